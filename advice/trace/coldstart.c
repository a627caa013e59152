// SPDX-License-Identifier: Apache-2.0
// Pages had to be read from disk first.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/u64map.h"
#include "derive/pageset.h"
#include "model/account.h"

#include <string.h>

enum { MIN_MAJOR = 8, MIN_PERCENT = 5, MIN_WORK_PERCENT = 10, NAMED = 4 };

/** A place where major faults waited: a section, or the page that .data and .bss share. */
struct place {
	struct model_count count;
	uint64_t start, end; // offsets in the file, of pages
	uint32_t section;
	bool is_tail;
};

ORDER_OF(compare, place,
	 ORDER(y->count.own_ns, x->count.own_ns) ?: ORDER(y->count.major, x->count.major)
		 ?: ORDER(x->section, y->section) ?: ORDER(x->is_tail, y->is_tail))

/**
 * .bss has no bytes in the file to wait for. A write there that copies a page of the file is the
 * kernel's or ld.so's, which zero the rest of .data's last page.
 */
static bool is_zeroed_tail(const struct model *model, const struct model_fault *fault)
{
	return model_is_in_section(model, fault, ".bss") &&
	       (fault->mechanism == MODEL_PRIVATE_WRITE || fault->mechanism == MODEL_COW_BREAK);
}

/** "libfoo.so .text from 0x11000 to 0x18000: 7 waits, 43.8 us, reading 1.8 MiB" */
static const char *describe(struct findings *findings, const struct place *place)
{
	const struct model *model = findings->model;
	const struct model_section *section = &model->sections[place->section];
	struct arena *arena = findings->arena;
	const char *name = section->name ? section->name : "(unknown section)";
	const char *label =
		section->object == MODEL_NONE ? NULL : rule_label(findings, section->object);
	const char *text =
		arena_printf(arena, "%s%s%s%s", place->is_tail ? "the zeroed last page of " : "",
			     label ? label : "", label ? " " : "", place->is_tail ? ".data" : name);

	if (place->end > place->start && !place->is_tail)
		text = arena_printf(arena, "%s from 0x%llx to 0x%llx", text,
				    (unsigned long long)place->start,
				    (unsigned long long)place->end);
	text = arena_printf(arena, "%s: %s", text, kit_plural(arena, place->count.major, "wait"));
	if (place->count.own_ns > 0)
		text = arena_printf(arena, "%s, %s", text,
				    rule_time(findings, place->count.own_ns));
	if (place->count.read_pages > 0)
		text = arena_printf(arena, "%s, reading %s", text,
				    figure_size(arena, model_read_bytes(model, &place->count)));
	return text;
}

static void count_place(struct place *place, const struct model_fault *fault, uint64_t page_size)
{
	uint64_t start = fault->at.offset - fault->at.offset % page_size;

	model_count_fault(&place->count, fault);
	if (!fault->at.has_offset)
		return;
	if (place->end == 0 || start < place->start)
		place->start = start;
	if (start + page_size > place->end)
		place->end = start + page_size;
}

/** " Reading files by calls waited another 12.0 ms."; "" where it did not, as far as known. */
static const char *describe_calls(struct findings *findings)
{
	const struct model_account *account = findings->model->account;
	uint64_t ns = account ? account->all.ns[MODEL_STATE_FILE_IO] : 0;

	if (ns == 0 || findings->is_partial)
		return "";
	return arena_printf(findings->arena,
			    " Calls that read or open files waited for storage another %s.",
			    rule_time(findings, ns));
}

/** Do major faults take enough of the time, or are there enough where times are not known? */
static bool is_worth(const struct findings *findings, const struct model_count *cost,
		     size_t place_count)
{
	const struct model_count *total = &findings->model->total;
	const struct model_account *account = findings->model->account;

	// A few that waited long are worth as much.
	if (account && place_count > 0 &&
	    kit_is_share((double)cost->own_ns, (double)model_times_used(&account->all),
			 MIN_WORK_PERCENT))
		return true;
	if (cost->major < MIN_MAJOR)
		return false;
	return total->own_ns > 0
		       ? kit_is_share((double)cost->own_ns, (double)total->own_ns, MIN_PERCENT)
		       : rule_is_worth(findings, cost, 0, 0);
}

static void find(struct findings *findings)
{
	if (findings->model->total.major == 0)
		return;

	const struct model *model = findings->model;
	struct model_count cost = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	CLEANUP(u64map_deinit) struct u64map numbers = { 0 };
	CLEANUP(vec_release) VEC(struct place) places = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		bool is_new;

		// More memory would help there, no list of what to read.
		if (fault->kind != MODEL_MAJOR || fault->mechanism == MODEL_REFAULT)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		if (fault->at.section == MODEL_NONE)
			continue;

		struct place place = { .section = fault->at.section,
				       .is_tail = is_zeroed_tail(model, fault) };
		uint32_t *number =
			u64map_put(&numbers, (uint64_t)place.section << 1 | place.is_tail, &is_new);
		if (is_new) {
			*number = (uint32_t)places.count;
			vec_push(&places, place);
		}
		count_place(&places.items[*number], fault, findings->page_size);
	}
	if (is_worth(findings, &cost, places.count)) {
		const char *most = NULL;

		vec_sort(&places, compare);
		for (size_t i = 0; i < places.count && i < NAMED; i++)
			most = kit_append(findings->arena, most, "; ",
					  describe(findings, &places.items[i]));
		rule_add(findings, MODEL_NONE, &cost, pageset_count(&pages), cost.faults,
			 KIT_VALUES({ "faults",
				      kit_plural(findings->arena, cost.faults, "major fault") },
				    { "sections",
				      kit_plural(findings->arena, places.count, "section") },
				    { "most", most ? most : "memory outside files" },
				    { "calls", describe_calls(findings) },
				    { "read", rule_read(findings, &cost) }));
	}
}

const struct rule rule_coldstart = {
	.prose = {
		.id = "cold-start",
		.title = "The program waits for pages from disk",
		.evidence = "{faults} in {sections}; most: {most}.{read}{calls}",
	},
	.cures = {
		{ MODEL_FOR_RUN, "`elfault prefetch {trace} -o prefetch.list; {prefetch} "
				 "prefetch.list -- {run}` asks for these ranges before the program does, without "
				 "building anything." },
		{ MODEL_FOR_PACKAGE, "Ship such a list, and start the program by `{prefetch} LIST --` in its unit or desktop file." },
		{ MODEL_FOR_BUILD, "Call `readahead(2)` on the ranges before the libraries are loaded, in pieces of 128 KiB: a longer request is cut to what the device takes at once. Whole files are too much." },
	},
	.about = "Pages had to be read from disk first. Those that had been in memory before are "
		 "`read-again`'s.",
	.when = "Reported for the run from 8 major faults on, when they took at least 5 % of the "
		"time spent in faults, or if fewer took a tenth of the time of all threads; where times "
		"are not known, when they reach the threshold.",
	.details = "The evidence has the ranges that took most and how much their faults read, "
		   "including read-ahead, where the trace records it. A wait in `.bss` is for the "
		   "last page of `.data`, whose rest is zeroed. The saving is all "
		   "waits; the faults themselves stay, as minor ones. Measured with 128 KiB of "
		   "read-ahead: clang --version -72 %, ld.lld --version -85 %, Firefox -40 %.",
	.where = "kind=major,mechanism!=refault",
	.saves_storage = true,
	.saves_waits = true,
	.find = find,
};
