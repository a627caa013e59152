// SPDX-License-Identifier: Apache-2.0
// sparse-code: the functions that ran lie scattered over the code, so that nearly each brings its
// own fault.
//
// Speaks for an object when the faults that mapped code to run it are worth a finding, and at most
// half of them would be needed if the functions that were seen lay side by side. With faults left
// out, functions are missing: then it is silent.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "derive/codeuse.h"

enum { MIN_PERCENT_SAVED = 50 };

static uint64_t divide_up(uint64_t number, uint64_t by)
{
	return number / by + (number % by > 0);
}

static void look_at(struct findings *findings, uint32_t id, const struct codeuse *use)
{
	uint64_t page_size = findings->model->trace.page_size;
	uint64_t faults = use->fetches.faults;

	if (!rule_is_worth(findings, faults) || use->bytes == 0 || page_size == 0)
		return;
	uint64_t packed = divide_up(use->bytes, page_size);
	uint64_t needed = divide_up(packed, use->around) * use->spaces;
	if (needed >= faults || !rule_is_share(faults - needed, faults, MIN_PERCENT_SAVED))
		return;

	const char *where = use->spaces > 1 ? rule_text(findings, " in %s address spaces",
							rule_number(findings, use->spaces))
					    : "";
	rule_add(
		findings,
		&(struct model_finding){
			.id = "sparse-code",
			.where = rule_where(findings, "object", id, "access=exec"),
			.title = "The code that runs is scattered",
			.object = id,
			.faults = faults,
			.pages = use->pages,
			.duration_ns = use->fetches.duration_ns,
			.saves_faults = faults - needed,
			.evidence = rule_text(
				findings,
				"%s (%s) were seen to run, on %s. Side by side they would fill %s, "
				"and %s%s would map them, %s each.",
				rule_plural(findings, use->functions, "function", "functions"),
				figure_size(findings->arena, use->bytes),
				rule_plural(findings, use->pages, "page", "pages"),
				rule_plural(findings, packed, "page", "pages"),
				rule_plural(findings, needed, "fault", "faults"), where,
				rule_plural(findings, use->around, "page", "pages")),
			.advice = "Order the functions by first use: -ffunction-sections and lld's "
				  "-Wl,--symbol-ordering-file=FILE (gold: "
				  "--section-ordering-file), or "
				  "gcc -flto -fprofile-use, which places them by "
				  "-fprofile-reorder-functions.",
		});
}

void rule_sparsecode(struct findings *findings)
{
	if (findings->is_partial)
		return;
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i],
			&findings->codeuse[findings->model->shown[i]]);
}
