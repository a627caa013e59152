// SPDX-License-Identifier: Apache-2.0
// A model as bytes. Maps, pivots, comparisons and verdicts have public headers of their own.
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "render/palette.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Each returns false with errno set if @out failed; what was written by then is cut anywhere.

/** How text is laid out. */
struct render_text_options {
	struct terminal terminal;
	size_t top;	  // rows of each table, 0: all
	bool hide_specks; // leave out symbols and functions of one fault, less than 0.1% of its
			  // object
};

/** The answer for a person on one screen: about 24 lines of 80 columns. All faults are shown. */
bool render_screen(const struct model *model, const struct render_text_options *options, FILE *out);

/** All of the answer for a person. */
bool render_text(const struct model *model, const struct render_text_options *options, FILE *out);

/**
 * The few faults that are shown, closely: what one touched, who did, why, and its stack with source
 * lines; of several the sections touched, and their stacks.
 */
bool render_detail(const struct model *model, const struct render_text_options *options, FILE *out);

/** One document, docs/schema/analysis.schema.json; @faults adds the faults themselves. */
bool render_json(const struct model *model, bool faults, FILE *out);

/**
 * One fault object a line, docs/schema/fault.schema.json. @with_stack_ids: frames and stacks have
 * lines of their own, which faults name: docs/schema/fault-ids.schema.json
 */
bool render_ndjson(const struct model *model, bool with_stack_ids, FILE *out);

/**
 * A heading and one row a fault: RFC 4180, but lines end as text lines do here. The columns carry
 * the names of the JSON document with dots between levels; nothing stands for null.
 * @terminal: names show control characters as escapes where @out is a terminal.
 */
bool render_csv(const struct model *model, FILE *out);

/** Names that the dynamic linker binds: by file, then who binds to whom; as one document, of a
 * model that has each name, docs/schema/bindings.schema.json. */
bool render_bindings_text(const struct model *model, const struct render_text_options *options,
			  FILE *out);
bool render_bindings_json(const struct model *model, FILE *out);

/** Operations of storage, of a model that has them: sums by cause and file, then the dearest. */
bool render_io_text(const struct model *model, const struct render_text_options *options,
		    FILE *out);

/** All of them as one document, docs/schema/io.schema.json; its rows one a line; as render_csv().
 */
bool render_io_json(const struct model *model, FILE *out);
bool render_io_ndjson(const struct model *model, FILE *out);
bool render_io_csv(const struct model *model, FILE *out);

/** One page, complete in itself: docs/inside/page-format.md tells of the data in it. */
bool render_html(const struct model *model, FILE *out);

/** The first rows of an answer about initializers: the words of --sort, in their order. */
enum render_sort {
	RENDER_SORT_TIME,   // most time, or most faults where no time is known
	RENDER_SORT_READ,   // most bytes read
	RENDER_SORT_FAULTS, // most faults
	RENDER_SORT_ORDER,  // what ran first
};

/** The initializers to show, and how. */
struct render_initializers_options {
	struct terminal terminal;
	size_t top; // rows of the text's table, 0: all
	bool all;   // also those that did not fault
	enum render_sort sort;
};

/** Write the cost of each initializer, as text. */
bool render_initializers_text(const struct model *model,
			      const struct render_initializers_options *options, FILE *out);

/** The rows of the same as one document, docs/schema/initializers.schema.json. */
bool render_initializers_json(const struct model *model,
			      const struct render_initializers_options *options, FILE *out);

/** And as render_csv() has them. */
bool render_initializers_csv(const struct model *model,
			     const struct render_initializers_options *options, FILE *out);

/** Options of a picture. */
struct render_picture_options {
	uint32_t object; // that it is of: derive/mainobject.h
	enum palette_by by;
	unsigned width, height; // of a picture in pixels: the limits below
	bool full_paths;	// name the file by its path
	bool is_small;		// for a README: of an SVG only where the time went
};

enum {
	RENDER_WIDTH_MIN = 480,
	RENDER_HEIGHT_MIN = 320,
	RENDER_SIZE_MAX = 8192,
	RENDER_SVG_BYTES_MAX = 2 << 20,
};

/**
 * The faults of one file over time as one static picture: at most RENDER_SVG_BYTES_MAX bytes,
 * however many faults there are. No script, nothing loaded.
 */
bool render_svg(const struct model *model, const struct render_picture_options *options, FILE *out);

/** The same as text; @options->width and height are the terminal's affair. */
bool render_timeline(const struct model *model, const struct render_picture_options *options,
		     const struct terminal *terminal, FILE *out);

/** A graph of a model: the words of report --graph, in their order. */
enum graph_kind {
	GRAPH_CAUSES,  // from what ran to the section or symbol that it touched
	GRAPH_OBJECTS, // from an object to those that its DT_NEEDED names
	GRAPH_KINDS,
};

struct graph_options {
	double min_share; // percent of all faults; less is pruned; negative: what can be seen at a
			  // glance
};

/** Write it as a picture, laid out by graphviz; ERR_UNSUPPORTED where elfault was built without. */
bool render_graph_svg(const struct model *model, enum graph_kind kind,
		      const struct graph_options *options, FILE *out, struct err *err);

/** The same in the language of graphviz, not laid out. */
bool render_graph_dot(const struct model *model, enum graph_kind kind,
		      const struct graph_options *options, FILE *out, struct err *err);
