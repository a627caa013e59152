// SPDX-License-Identifier: Apache-2.0
// The registry of outputs: every answer in every format, one row each. A new output is a file with
// its writer, and its row.
#pragma once

#include "export/export.h"
#include "model/needs.h"
#include "render/bench/bench.h"
#include "render/budget/budget.h"
#include "render/diff/diff.h"
#include "render/map.h"
#include "render/order.h"
#include "render/render.h"
#include "render/smaps.h"
#include "render/tune/tune.h"
#include "render/whatif.h"

struct pivot;

/** The answer that is written. */
enum export_what {
	EXPORT_ANSWER,	     // all of it
	EXPORT_DETAIL,	     // one fault, or those of a function or initializer
	EXPORT_SCREEN,	     // what matters of it, on one screen
	EXPORT_INITIALIZERS, // what each initializer cost
	EXPORT_IO,	     // operations of storage
	EXPORT_BINDINGS,     // names that the dynamic linker binds
	EXPORT_COUNTS,	     // faults counted by their fields
	EXPORT_TIMELINE,     // one file over time, in characters
	EXPORT_PAGE,
	EXPORT_PICTURE, // one file over time
	EXPORT_GRAPH,
	EXPORT_TOOL, // the answer in the format of another tool
	EXPORT_DIFF,
	EXPORT_BENCH,
	EXPORT_CHECK,
	EXPORT_WHATIF,
	EXPORT_ORDER, // what files have of an order file
	EXPORT_MAP,
	EXPORT_MAP_DIFF,
	EXPORT_SMAPS,
	EXPORT_SMAPS_DIFF,
	EXPORT_TUNE,	  // screens of tuned starts
	EXPORT_TUNE_LIST, // a line of each
};

/** The tables that it is written of; an output takes those its answer consists of. */
struct export_subject {
	const struct model *model;
	const struct pivot *pivot;
	const struct comparison *comparison;
	const struct bench *bench;
	const struct budget_answer *verdict;
	const struct whatif_answer *cures;
	const struct render_order *order;
	const struct map_model *map;
	const struct mapdiff *map_diff;
	const struct smaps_model *smaps;
	const struct smaps_comparison *smaps_diff;
	const struct tunedstarts *tuned;
};

/** All that writers ask for; each takes its part. */
struct export_options {
	struct terminal terminal; // of texts whose own options have none
	struct render_text_options text;
	struct render_initializers_options initializers;
	struct render_picture_options picture;
	struct graph_options graph;
	enum graph_kind graph_kind;
	struct render_diff_options diff;
	struct render_budget_options budget;
	struct map_text_options map;
	struct smaps_text_options smaps;
	struct export_tool_options tool;
	bool faults;	// EXPORT_ANSWER as json: also the faults themselves
	bool stack_ids; // as ndjson: each stack once
};

/** Writes one output. @err: ERR_OS if @out failed; graphs and databases also ERR_UNSUPPORTED. */
typedef bool export_writer(const struct export_subject *of, const struct export_options *options,
			   FILE *out, struct err *err);

struct exporter {
	enum export_what what;
	const char *name;      // of --format or --to; NULL: has none
	const char *meaning;   // for its help; NULL: the name says it
	const char *extension; // of a file's name, ".svg"; NULL: goes to standard output only
	unsigned needs;	       // enum model_need
	export_writer *write;
	bool is_binary;	 // not for a terminal
	bool takes_sets; // those of many traces may stand one behind the other in one file
};

/** Ends with a row that has no write(). */
extern const struct exporter exporters[];

/** The @index-th row of @what; NULL: there are not so many. */
const struct exporter *exporter_at(enum export_what what, size_t index);

/** The row of @what that has @name; NULL if there is none. */
const struct exporter *exporter_named(enum export_what what, const char *name);

/** The row of @what whose extension ends @path; NULL if there is none. */
const struct exporter *exporter_for(enum export_what what, const char *path);
