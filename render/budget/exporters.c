// SPDX-License-Identifier: Apache-2.0
#include "render/budget/budget.h"

const struct budget_exporter budget_exporters[] = {
	{ "text", NULL, render_budget_text },
	{ "json", "one document", render_budget_json },
	{ "markdown", "for a pull request or a job summary", render_budget_markdown },
	{ "junit", "a test report", render_budget_junit },
	{ "github", "annotations", render_budget_github },
	{ 0 },
};
