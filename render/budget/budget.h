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

/** For a person. */
bool render_budget_text(const struct budget_answer *answer,
			const struct render_budget_options *options, FILE *out);

/** One document, docs/schema/check.schema.json. */
bool render_budget_json(const struct budget_answer *answer,
			const struct render_budget_options *options, FILE *out);

/** GitHub's Markdown: for a job's summary or a pull request. */
bool render_budget_markdown(const struct budget_answer *answer,
			    const struct render_budget_options *options, FILE *out);

/** A JUnit report, a test case a limit. */
bool render_budget_junit(const struct budget_answer *answer,
			 const struct render_budget_options *options, FILE *out);

/** Workflow commands of GitHub Actions: an annotation for each limit that is not kept. */
bool render_budget_github(const struct budget_answer *answer,
			  const struct render_budget_options *options, FILE *out);

/** What a baseline keeps, docs/schema/baseline.schema.json: one row a line, in a stable order. */
bool render_baseline_json(const struct budget_measures *measures, FILE *out);

/** What storing @measures changes, for a person: @before is what was stored, NULL: nothing. */
bool render_baseline_changes(const struct budget_measures *measures,
			     const struct budget_measures *before, const char *path, FILE *out);
