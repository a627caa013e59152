// SPDX-License-Identifier: Apache-2.0
#include "export/exporters.h"

#include "render/columns/columns.h"
#include "render/pivot.h"

#include <string.h>

/** A row's writer: @call writes, and states why not in @err. */
#define WRITER_THAT_EXPLAINS(name, call)                                                        \
	static bool name(const struct export_subject *of, const struct export_options *options, \
			 FILE *out, struct err *err)                                            \
	{                                                                                       \
		return call;                                                                    \
	}

/** The same of a @call that fails with errno. */
#define WRITER(name, call) WRITER_THAT_EXPLAINS(name, (call) || err_os(err, "writing"))

WRITER(answer_text, render_text(of->model, &options->text, out))
WRITER(screen_text, render_screen(of->model, &options->text, out))
WRITER(detail_text, render_detail(of->model, &options->text, out))
WRITER(answer_json, render_json(of->model, options->faults, out))
WRITER(answer_ndjson, render_ndjson(of->model, options->stack_ids, out))
WRITER(answer_csv, render_csv(of->model, out))
WRITER(initializers_text, render_initializers_text(of->model, &options->initializers, out))
WRITER(initializers_json, render_initializers_json(of->model, &options->initializers, out))
WRITER(initializers_csv, render_initializers_csv(of->model, &options->initializers, out))
WRITER(bindings_text, render_bindings_text(of->model, &options->text, out))
WRITER(bindings_json, render_bindings_json(of->model, out))
WRITER(io_text, render_io_text(of->model, &options->text, out))
WRITER(io_json, render_io_json(of->model, out))
WRITER(io_ndjson, render_io_ndjson(of->model, out))
WRITER(io_csv, render_io_csv(of->model, out))
WRITER(counts_text, render_pivot_text(of->model, of->pivot, &options->text, out))
WRITER(counts_json, render_pivot_json(of->model, of->pivot, out))
WRITER(counts_ndjson, render_pivot_ndjson(of->pivot, out))
WRITER(counts_csv, render_pivot_csv(of->pivot, out))
WRITER(timeline_text, render_timeline(of->model, &options->picture, &options->terminal, out))
WRITER(page_html, render_html(of->model, out))
WRITER(picture_svg, render_svg(of->model, &options->picture, out))
WRITER_THAT_EXPLAINS(graph_svg,
		     render_graph_svg(of->model, options->graph_kind, &options->graph, out, err))
WRITER_THAT_EXPLAINS(graph_dot,
		     render_graph_dot(of->model, options->graph_kind, &options->graph, out, err))
WRITER(diff_text, render_diff_text(of->comparison, &options->diff, out))
WRITER(diff_json, render_diff_json(of->comparison, &options->diff, out))
WRITER(diff_markdown, render_diff_markdown(of->comparison, &options->diff, out))
WRITER(bench_text, render_bench_text(of->bench, &options->terminal, out))
WRITER(bench_json, render_bench_json(of->bench, out))
WRITER(check_text, render_budget_text(of->verdict, &options->budget, out))
WRITER(check_json, render_budget_json(of->verdict, &options->budget, out))
WRITER(check_markdown, render_budget_markdown(of->verdict, &options->budget, out))
WRITER(check_junit, render_budget_junit(of->verdict, &options->budget, out))
WRITER(check_github, render_budget_github(of->verdict, &options->budget, out))
WRITER(whatif_text, render_whatif_text(of->model, of->cures, &options->terminal, out))
WRITER(whatif_json, render_whatif_json(of->model, of->cures, out))
WRITER(whatif_ndjson, render_whatif_ndjson(of->cures, out))
WRITER(whatif_csv, render_whatif_csv(of->cures, out))
WRITER(order_text, render_order_text(of->order, out))
WRITER(order_json, columns_print("order", of->order, NULL, out))
WRITER(map_text, render_map_text(of->map, &options->map, &options->terminal, out))
WRITER(map_json, columns_print("map", of->map, NULL, out))
WRITER(map_csv, render_owners_csv(of->map, out))
WRITER(map_diff_text, render_mapdiff_text(of->map_diff, &options->map, &options->terminal, out))
WRITER(map_diff_json, columns_print("map-diff", of->map_diff, NULL, out))
WRITER(map_diff_csv, render_mapdiff_csv(of->map_diff, out))
WRITER(smaps_text, render_smaps_text(of->smaps, &options->smaps, &options->terminal, out))
WRITER(smaps_json, columns_print("smaps", of->smaps, NULL, out))
WRITER(smaps_csv, render_smaps_csv(of->smaps, out))
WRITER(smaps_diff_text,
       render_smaps_diff_text(of->smaps_diff, &options->smaps, &options->terminal, out))
WRITER(smaps_diff_json, columns_print("smaps-diff", of->smaps_diff, NULL, out))
WRITER(smaps_diff_csv, render_smaps_diff_csv(of->smaps_diff, out))
WRITER(tune_text, render_tune_text(of->tuned, &options->terminal, out))
WRITER(tune_list, render_tune_list(of->tuned, &options->terminal, out))
WRITER(tune_json, render_tune_json(of->tuned, out))

#define TOOL(name, ...)                   \
	export_tool_writer export_##name; \
	WRITER_THAT_EXPLAINS(tool_##name, export_##name(of->model, &options->tool, out, err))
#include "export/tools.def"

enum {
	FAULTS = NEED_CODES,
	STACKS = NEED_CODES | NEED_FRAME_SOURCES,
	SUMMARY = NEED_TABLES | NEED_FINDINGS,
	SOURCES = NEED_TABLES | NEED_SOURCES,
	BUILDS = SOURCES | NEED_FUNCTIONS,
	WHOLE = SUMMARY | NEED_WHOLE | NEED_TIME_SOURCES | NEED_BINDINGS,
};

// The first of an answer is its default.
const struct exporter exporters[] = {
	{ EXPORT_ANSWER, "text", NULL, NULL, WHOLE | NEED_OWNERS, answer_text },
	{ EXPORT_ANSWER, "json", "one document", NULL,
	  WHOLE | NEED_SOURCES | NEED_FRAME_SOURCES | NEED_OWNERS, answer_json },
	{ EXPORT_ANSWER, "ndjson", "one fault per line", NULL, STACKS | NEED_IO, answer_ndjson },
	{ EXPORT_ANSWER, "csv", "one per row", NULL, FAULTS, answer_csv },

	{ EXPORT_DETAIL, "text", NULL, NULL, NEED_TABLES | STACKS, detail_text },

	{ EXPORT_SCREEN, "text", NULL, NULL, SUMMARY, screen_text },

	{ EXPORT_INITIALIZERS, "text", NULL, NULL, SOURCES, initializers_text },
	{ EXPORT_INITIALIZERS, "json", NULL, NULL, SOURCES, initializers_json },
	{ EXPORT_INITIALIZERS, "csv", NULL, NULL, NEED_SOURCES, initializers_csv },

	{ EXPORT_BINDINGS, "text", NULL, NULL, NEED_TABLES | NEED_BINDINGS, bindings_text },
	{ EXPORT_BINDINGS, "json", NULL, NULL, NEED_TABLES | NEED_BINDINGS | NEED_BOUND_NAMES,
	  bindings_json },

	{ EXPORT_IO, "text", NULL, NULL, NEED_IO, io_text },
	{ EXPORT_IO, "json", NULL, NULL, NEED_IO | STACKS, io_json },
	{ EXPORT_IO, "ndjson", NULL, NULL, NEED_IO | STACKS, io_ndjson },
	{ EXPORT_IO, "csv", NULL, NULL, NEED_IO, io_csv },

	{ EXPORT_COUNTS, "text", NULL, NULL, 0, counts_text },
	{ EXPORT_COUNTS, "json", NULL, NULL, 0, counts_json },
	{ EXPORT_COUNTS, "ndjson", NULL, NULL, 0, counts_ndjson },
	{ EXPORT_COUNTS, "csv", NULL, NULL, 0, counts_csv },

	{ EXPORT_TIMELINE, "text", NULL, NULL, SUMMARY | NEED_MOMENTS, timeline_text },
	{ EXPORT_PAGE, NULL, NULL, ".html",
	  SUMMARY | NEED_OWNERS | NEED_SOURCES | STACKS | NEED_MOMENTS | NEED_IO | NEED_LISTINGS |
		  NEED_BINDINGS,
	  page_html },
	{ EXPORT_PICTURE, NULL, NULL, ".svg", SUMMARY | NEED_MOMENTS, picture_svg },
	{ EXPORT_GRAPH, NULL, NULL, ".svg", SOURCES, graph_svg },
	{ EXPORT_GRAPH, NULL, NULL, ".dot", SOURCES, graph_dot },

#define TOOL(name, meaning, needs, ...) \
	{ EXPORT_TOOL, #name, meaning, NULL, needs, tool_##name, ##__VA_ARGS__ },
#include "export/tools.def"

	{ EXPORT_DIFF, "text", NULL, NULL, BUILDS, diff_text },
	{ EXPORT_DIFF, "json", "one document", NULL, BUILDS, diff_json },
	{ EXPORT_DIFF, "markdown", "for a pull request", NULL, BUILDS, diff_markdown },

	{ EXPORT_BENCH, "text", NULL, NULL, 0, bench_text },
	{ EXPORT_BENCH, "json", "one document", NULL, 0, bench_json },

	{ EXPORT_CHECK, "text", NULL, NULL, NEED_TABLES, check_text },
	{ EXPORT_CHECK, "json", "one document", NULL, NEED_TABLES, check_json },
	{ EXPORT_CHECK, "markdown", "for a pull request or a job summary", NULL, NEED_TABLES,
	  check_markdown },
	{ EXPORT_CHECK, "junit", "a test report", NULL, NEED_TABLES, check_junit },
	{ EXPORT_CHECK, "github", "annotations", NULL, NEED_TABLES, check_github },

	{ EXPORT_WHATIF, "text", NULL, NULL, NEED_TABLES, whatif_text },
	{ EXPORT_WHATIF, "json", "one document", NULL, NEED_TABLES, whatif_json },
	{ EXPORT_WHATIF, "ndjson", "one cure per line", NULL, NEED_TABLES, whatif_ndjson },
	{ EXPORT_WHATIF, "csv", "one cure per row, the run as it was first", NULL, NEED_TABLES,
	  whatif_csv },

	{ EXPORT_ORDER, "text", NULL, NULL, 0, order_text },
	{ EXPORT_ORDER, "json", NULL, NULL, 0, order_json },

	{ EXPORT_MAP, "text", NULL, NULL, 0, map_text },
	{ EXPORT_MAP, "json", "one document", NULL, 0, map_json },
	{ EXPORT_MAP, "csv", NULL, NULL, 0, map_csv },

	{ EXPORT_MAP_DIFF, "text", NULL, NULL, 0, map_diff_text },
	{ EXPORT_MAP_DIFF, "json", "one document", NULL, 0, map_diff_json },
	{ EXPORT_MAP_DIFF, "csv",
	  "of two files: one difference per row; with --relocations one owner", NULL, 0,
	  map_diff_csv },

	{ EXPORT_SMAPS, "text", NULL, NULL, 0, smaps_text },
	{ EXPORT_SMAPS, "json", "one document", NULL, 0, smaps_json },
	{ EXPORT_SMAPS, "csv", "one section per row", NULL, 0, smaps_csv },

	{ EXPORT_SMAPS_DIFF, "text", NULL, NULL, 0, smaps_diff_text },
	{ EXPORT_SMAPS_DIFF, "json", NULL, NULL, 0, smaps_diff_json },
	{ EXPORT_SMAPS_DIFF, "csv", NULL, NULL, 0, smaps_diff_csv },

	{ EXPORT_TUNE, "text", NULL, NULL, 0, tune_text },
	{ EXPORT_TUNE, "json", "one document", NULL, 0, tune_json },

	{ EXPORT_TUNE_LIST, "text", NULL, NULL, 0, tune_list },
	{ EXPORT_TUNE_LIST, "json", "one document", NULL, 0, tune_json },
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
