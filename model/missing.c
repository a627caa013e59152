// SPDX-License-Identifier: Apache-2.0
#include "model/missing.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

static struct missing_counts counts_of(const struct model_counts *counts)
{
	return (struct missing_counts){
		.recorded = counts->recorded,
		.lost = counts->lost,
		.before_exec = counts->before_exec,
		.living = counts->living,
		.has_rusage = counts->has_rusage,
		.rusage = counts->rusage_minor + counts->rusage_major,
		.has_unsampled = counts->has_unsampled,
		.unsampled = counts->unsampled,
		.has_unrecorded = counts->has_unrecorded,
		.hidden = counts->hidden,
		.unseen_programs = counts->unseen_programs,
		.exec_unsampled = counts->exec_unsampled,
		.call_unsampled = counts->call_unsampled,
	};
}

uint64_t model_expected_rusage(const struct model_counts *counts)
{
	const struct missing_counts all = counts_of(counts);

	return missing_expected_rusage(&all);
}

struct missing model_missing(const struct model_counts *counts)
{
	const struct missing_counts all = counts_of(counts);

	return missing_of(&all);
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

const char *model_missing_text(const struct missing *missing, struct arena *arena)
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
	add_faults(&text, arena, missing->eventless,
		   "without an event, beyond what exec and fork take");
	add_faults(&text, arena, missing->uncounted, "only in the kernel's count");
	return arena_strdup(arena, strbuf_text(&text));
}
