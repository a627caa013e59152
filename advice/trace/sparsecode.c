// SPDX-License-Identifier: Apache-2.0
// Functions that ran lie scattered over the code, so that nearly each brings its own fault.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "derive/codeuse.h"

#include <string.h>

/** By index of the rule's cures. */
enum {
	CURE_ORDER = 1 << 0,
	CURE_BOLT = 1 << 1,
	CURE_STRIPPED = 1 << 2,
};

enum { MIN_PERCENT_SAVED = 50, MIN_PERCENT_NAMED = 50 };

static uint64_t divide_up(uint64_t number, uint64_t by)
{
	return number / by + (number % by > 0);
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct codeuse *use = &findings->codeuse[id];
	uint64_t page_size = findings->model->trace.page_size;
	uint64_t faults = use->fetches.faults;
	struct arena *arena = findings->arena;

	if (!rule_is_worth(findings, &use->fetches, 0, 0) || use->bytes == 0 || page_size == 0)
		return;
	// What a few functions would fill says nothing of the others.
	if (!kit_is_share((double)use->named_pages, (double)use->pages, MIN_PERCENT_NAMED))
		return;
	uint64_t packed = divide_up(use->bytes, page_size);
	uint64_t needed = divide_up(packed, use->around) * use->spaces;
	if (needed >= faults ||
	    !kit_is_share((double)(faults - needed), (double)faults, MIN_PERCENT_SAVED))
		return;

	const struct model_object *object = &findings->model->objects[id];
	bool is_stripped = !object->symbols || (strcmp(object->symbols, "symtab") != 0 &&
						strcmp(object->symbols, "debug-file") != 0);
	rule_add_found(
		findings,
		&(struct rule_found){
			.object = id,
			.cost = use->fetches,
			.pages = use->pages,
			.saves = faults - needed,
			.cures = CURE_ORDER | CURE_BOLT | (is_stripped ? CURE_STRIPPED : 0),
		},
		KIT_VALUES({ "functions", kit_plural(arena, use->functions, "function") },
			   { "bytes", figure_size(arena, use->bytes) },
			   { "pages", kit_plural(arena, use->pages, "page") },
			   { "known",
			     use->named_pages == use->pages
				     ? ""
				     : arena_printf(arena, ", on %s of which functions are known",
						    figure_number(arena, use->named_pages)) },
			   { "packed", kit_plural(arena, packed, "page") },
			   { "faults", kit_plural(arena, needed, "fault") },
			   { "spaces", use->spaces <= 1
					       ? ""
					       : arena_printf(arena, " in %s address spaces",
							      figure_number(arena, use->spaces)) },
			   { "around", kit_plural(arena, use->around, "page") }));
}

const struct rule rule_sparsecode = {
	.prose = {
		.id = "sparse-code",
		.title = "The code that runs is scattered",
		.evidence = "{functions} ({bytes}) were seen to run, on {pages}{known}. Side by side they "
			    "would fill {packed}, and {faults}{spaces} would map them, {around} "
			    "each.",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Order the functions that run: `elfault order --exact -o functions.order -- {run}` finds all of them (a trace sees about a third); compile with `-ffunction-sections` and link with `-Wl,--symbol-ordering-file=functions.order` (lld). gold wants section names: `--format gold` and `-Wl,--section-ordering-file=functions.order`. GNU ld orders no functions." },
		{ MODEL_FOR_LINK, "Without linking again: `elfault order --exact --format bolt -o functions.order -- {run}`, then `llvm-bolt --reorder-functions=user --function-order=functions.order`, of a file that was linked with `-Wl,--emit-relocs`." },
		{ MODEL_FOR_PACKAGE, "The file is stripped: install its debug file (`-dbgsym` or `-debuginfo` package) before you order, so that functions have names.", "of a file without .symtab" },
	},
	.about = "Functions that ran lie far apart, so that nearly each one costs a fault of its "
		 "own; side by side, one fault would map a whole group of them (fault-around, 16 "
		 "pages by default).",
	.when = "Reported for an object when the faults that mapped code to run it reach the "
		"threshold, functions packed together would need at most half of them, and functions are "
		"known on at least half of the pages on which code was seen to run.",
	.details = "Functions and their sizes are those of faulting instructions and of the stacks "
		   "above them. Which functions are in the list matters, their order hardly does: of ld.lld's 2,244 "
		   "that run, a trace had 674 and saved 11 % of the faults, all of them 36 %. `gcc -flto -fprofile-use` orders few of them: of a program with 22 faults it "
		   "left 18, the list of `order --exact` 7. "
		   "`llvm-profdata order` (LLVM 17) writes a list from a temporal profile.",
	.limits = "Functions that ran without being on a stack during a fault are not seen. There "
		  "are always some, so that the saving is an upper bound.",
	.where = "object={object},access=exec",
	.saves_storage = true,
	.needs_all_faults = true,
	.relinks = true,
	.find_in = find_in,
};
