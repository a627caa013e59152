// SPDX-License-Identifier: Apache-2.0
// Two sides compared, as bytes. Each function returns false with errno set if @out failed.
#pragma once

#include "compare/compare.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stdio.h>

struct render_diff_options {
	struct terminal terminal;
	size_t top; // rows of each table of text and Markdown, 0: all
	bool full;  // rows without a verdict, too
};

typedef bool render_diff_function(const struct comparison *comparison,
				  const struct render_diff_options *options, FILE *out);

/** For a person: the differences that matter first, then tables by each word. */
render_diff_function render_diff_text;

/** One document, docs/schema/diff.schema.json. */
render_diff_function render_diff_json;

/** The same as the text, as GitHub's Markdown. */
render_diff_function render_diff_markdown;

/**
 * One page, complete in itself, in four steps, so that one model at a time is in memory: the start,
 * the run that compare_median_run() names of each side, before first, and the end.
 * docs/inside/page-format.md tells of the data in it.
 */
bool render_diff_page_start(const struct comparison *comparison, FILE *out);
bool render_diff_page_side(enum compare_side side, const struct model *model,
			   const struct compare_links *links, FILE *out);
bool render_diff_page_end(FILE *out);
