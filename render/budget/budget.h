// SPDX-License-Identifier: Apache-2.0
// A budget's verdict as bytes. Each function returns false with errno set if @out failed.
#pragma once

#include "budget/budget.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stdio.h>

struct render_budget_options {
	struct terminal terminal;
	const char *baseline; // path of the baseline, NULL: none was read
	size_t top;	      // offenders of each table, 0: all
};

typedef bool render_budget_function(const struct budget_answer *answer,
				    const struct render_budget_options *options, FILE *out);

/** For a person. */
render_budget_function render_budget_text;

/** One document, docs/schema/check.schema.json. */
render_budget_function render_budget_json;

/** GitHub's Markdown: for a job's summary or a pull request. */
render_budget_function render_budget_markdown;

/** A JUnit report, a test case a limit. */
render_budget_function render_budget_junit;

/** Workflow commands of GitHub Actions: an annotation for each limit that is not kept. */
render_budget_function render_budget_github;

/** Write a baseline, docs/schema/baseline.schema.json: one row per line, in a stable order. */
bool render_baseline_json(const struct budget_measures *measures, FILE *out);

/**
 * Write the changes that storing @measures makes, as text: @before is the stored baseline, NULL:
 * none.
 */
bool render_baseline_changes(const struct budget_measures *measures,
			     const struct budget_measures *before, const char *path, FILE *out);
