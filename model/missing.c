// SPDX-License-Identifier: Apache-2.0
#include "model/missing.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

/** @a + @b, or the largest number: a trace may claim anything. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return checked_add(a, b, &sum) ? sum : UINT64_MAX;
}

uint64_t model_expected_rusage(const struct model_counts *counts)
{
	return counts->recorded + counts->lost + counts->before_exec +
	       (counts->has_unsampled ? counts->unsampled : 0) - counts->living;
}

struct model_missing model_missing(const struct model_counts *counts)
{
	const uint64_t rusage =
		counts->has_rusage ? counts->rusage_minor + counts->rusage_major : 0;
	const uint64_t rest = checked_rest(rusage, model_expected_rusage(counts));
	struct model_missing missing = { .lost = counts->lost };

	if (counts->has_unsampled)
		missing.uncounted = rest;
	if (counts->has_unrecorded) {
		// Where tasks are not counted one by one, the rest is what raised no event.
		uint64_t eventless = counts->has_unsampled ? counts->unsampled : rest;

		missing.hidden = counts->hidden;
		missing.unseen_programs = counts->unseen_programs;
		missing.eventless =
			checked_rest(checked_rest(checked_rest(eventless, counts->hidden),
						  counts->exec_unsampled),
				     counts->call_unsampled);
	}
	missing.total =
		add(add(missing.lost, missing.hidden), add(missing.eventless, missing.uncounted));
	if (missing.total < missing.unseen_programs)
		missing.total = missing.unseen_programs;
	return missing;
}

bool model_is_complete(const struct model *model)
{
	return model->trace.complete && model->counts.lost_other == 0 &&
	       model_missing(&model->counts).total == 0;
}

/** Add "N faults" and @rest, if there are any. */
static void add_faults(struct strbuf *text, struct arena *arena, uint64_t count, const char *rest)
{
	if (count > 0)
		strbuf_printf(text, "%s%s fault%s %s", text->length > 0 ? "; " : "",
			      figure_number(arena, count), figure_plural(count), rest);
}

const char *model_missing_text(const struct model_missing *missing, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	if (missing->total == 0)
		return NULL;
	add_faults(&text, arena, missing->lost, "lost");
	add_faults(&text, arena, missing->hidden,
		   "of a program that the user may not trace (setuid or unreadable)");
	if (missing->unseen_programs > 0)
		strbuf_printf(&text, "%s%s program%s not seen (setuid or unreadable)",
			      text.length > 0 ? "; " : "",
			      figure_number(arena, missing->unseen_programs),
			      figure_plural(missing->unseen_programs));
	add_faults(&text, arena, missing->eventless, "without an event, beyond what exec takes");
	add_faults(&text, arena, missing->uncounted, "only in the kernel's count");
	return arena_strdup(arena, strbuf_text(&text));
}
