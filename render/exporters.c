// SPDX-License-Identifier: Apache-2.0
#include "render/exporters.h"

#include "render/pivot.h"

#include <string.h>

export_writer export_graph_svg;
export_writer export_graph_dot;

/** A row's writer: @call writes, and tells of a failure by errno. */
#define WRITER(name, call)                                                                \
	static bool name(const struct model *model, const struct export_options *options, \
			 FILE *out, struct err *err)                                      \
	{                                                                                 \
		(void)model;                                                              \
		(void)options;                                                            \
		return (call) || err_os(err, "writing");                                  \
	}

WRITER(answer_text, render_text(model, &options->text, out))
WRITER(screen_text, render_screen(model, &options->text, out))
WRITER(answer_json, render_json(model, options->faults, out))
WRITER(answer_ndjson, render_ndjson(model, options->stack_ids, out))
WRITER(answer_csv, render_csv(model, out))
WRITER(initializers_text, render_initializers_text(model, &options->initializers, out))
WRITER(initializers_json, render_initializers_json(model, &options->initializers, out))
WRITER(initializers_csv, render_initializers_csv(model, &options->initializers, out))
WRITER(counts_text, render_pivot_text(model, options->pivot, &options->text, out))
WRITER(counts_json, render_pivot_json(model, options->pivot, out))
WRITER(counts_ndjson, render_pivot_ndjson(options->pivot, out))
WRITER(counts_csv, render_pivot_csv(options->pivot, out))
WRITER(timeline_text, render_timeline(model, &options->picture, &options->text.terminal, out))
WRITER(page_html, render_html(model, out))
WRITER(picture_svg, render_svg(model, &options->picture, out))

enum {
	FAULTS = NEED_CODES,
	FAULTS_AND_STACKS = NEED_CODES | NEED_FRAME_SOURCES,
	SUMMARY = NEED_TABLES | NEED_FINDINGS,
};

const struct exporter exporters[] = {
	{ EXPORT_ANSWER, "text", NULL, NULL, SUMMARY | NEED_WHOLE | NEED_TIME_SOURCES,
	  answer_text },
	{ EXPORT_ANSWER, "json", "one document", NULL,
	  SUMMARY | NEED_WHOLE | NEED_SOURCES | NEED_FRAME_SOURCES | NEED_TIME_SOURCES,
	  answer_json },
	{ EXPORT_ANSWER, "ndjson", "one fault per line", NULL, FAULTS_AND_STACKS, answer_ndjson },
	{ EXPORT_ANSWER, "csv", "one per row", NULL, FAULTS, answer_csv },

	{ EXPORT_SCREEN, "text", NULL, NULL, SUMMARY, screen_text },

	{ EXPORT_INITIALIZERS, "text", NULL, NULL, NEED_TABLES | NEED_SOURCES, initializers_text },
	{ EXPORT_INITIALIZERS, "json", NULL, NULL, NEED_TABLES | NEED_SOURCES, initializers_json },
	{ EXPORT_INITIALIZERS, "csv", NULL, NULL, NEED_SOURCES, initializers_csv },

	{ EXPORT_COUNTS, "text", NULL, NULL, 0, counts_text },
	{ EXPORT_COUNTS, "json", NULL, NULL, 0, counts_json },
	{ EXPORT_COUNTS, "ndjson", NULL, NULL, 0, counts_ndjson },
	{ EXPORT_COUNTS, "csv", NULL, NULL, 0, counts_csv },

	{ EXPORT_TIMELINE, "text", NULL, NULL, NEED_TABLES, timeline_text },
	{ EXPORT_PAGE, NULL, NULL, ".html", SUMMARY | NEED_SOURCES | FAULTS_AND_STACKS, page_html },
	{ EXPORT_PICTURE, NULL, NULL, ".svg", NEED_TABLES, picture_svg },
	{ EXPORT_GRAPH, NULL, NULL, ".svg", NEED_TABLES | NEED_SOURCES, export_graph_svg },
	{ EXPORT_GRAPH, NULL, NULL, ".dot", NEED_TABLES | NEED_SOURCES, export_graph_dot },
	{ 0 },
};

const struct exporter *exporter_at(enum export_what what, size_t index)
{
	for (const struct exporter *row = exporters; row->write; row++)
		if (row->what == what && index-- == 0)
			return row;
	return NULL;
}

const struct exporter *exporter_named(enum export_what what, const char *name)
{
	for (const struct exporter *row = exporters; row->write; row++)
		if (row->what == what && row->name && strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const struct exporter *exporter_for(enum export_what what, const char *path)
{
	size_t length = strlen(path);

	for (const struct exporter *row = exporters; row->write; row++) {
		size_t end = row->extension ? strlen(row->extension) : SIZE_MAX;

		if (row->what == what && length > end &&
		    strcmp(path + length - end, row->extension) == 0)
			return row;
	}
	return NULL;
}
