// SPDX-License-Identifier: Apache-2.0
// Outputs of an answer: one table, one row per output. A new one is a file with its writer, and its
// row.
#pragma once

#include "model/needs.h"
#include "render/render.h"

struct pivot;

/** The answer that is written. */
enum export_what {
	EXPORT_ANSWER,	     // all of it
	EXPORT_SCREEN,	     // what matters of it, on one screen
	EXPORT_INITIALIZERS, // what each initializer cost
	EXPORT_COUNTS,	     // faults counted by their fields
	EXPORT_TIMELINE,     // one file over time, in characters
	EXPORT_PAGE,
	EXPORT_PICTURE, // one file over time
	EXPORT_GRAPH,
};

/** All that writers ask for; each takes its part. */
struct export_options {
	struct render_text_options text;
	struct render_initializers_options initializers;
	struct render_picture_options picture;
	struct graph_options graph;
	enum graph_kind graph_kind;
	bool faults;		   // EXPORT_ANSWER as json: also the faults themselves
	bool stack_ids;		   // as ndjson: each stack once
	const struct pivot *pivot; // EXPORT_COUNTS
};

/**
 * Writes one output. @err: ERR_OS if @out failed; graphs also ERR_UNSUPPORTED.
 *
 * One that only its row calls is in no header: its file and exporters.c declare it by this type.
 */
typedef bool export_writer(const struct model *model, const struct export_options *options,
			   FILE *out, struct err *err);

struct exporter {
	enum export_what what;
	const char *name;      // of --format; NULL: has none
	const char *meaning;   // for its help; NULL: the name says it
	const char *extension; // of a file's name, ".svg"; NULL: goes to standard output only
	unsigned needs;	       // enum model_need
	export_writer *write;
};

/** Ends with a row that has no write(). */
extern const struct exporter exporters[];

/** The @index-th row of @what; NULL: there are not so many. */
const struct exporter *exporter_at(enum export_what what, size_t index);

/** The row of @what that has @name; NULL if there is none. */
const struct exporter *exporter_named(enum export_what what, const char *name);

/** The row of @what whose extension ends @path; NULL if there is none. */
const struct exporter *exporter_for(enum export_what what, const char *path);
