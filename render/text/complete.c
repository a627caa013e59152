// SPDX-License-Identifier: Apache-2.0
// Can the answer be relied on? One line, and one for each kind of note that changes it.
#include "render/text/text.h"

#include "model/account.h"
#include "model/missing.h"
#include "model/storage.h"

#include <string.h>

enum text_rusage text_rusage(const struct model_counts *counts, uint64_t *ret_difference)
{
	uint64_t rusage = counts->rusage_minor + counts->rusage_major;
	uint64_t counted = model_expected_rusage(counts);

	*ret_difference = rusage > counted ? rusage - counted : counted - rusage;
	if (!counts->has_rusage)
		return TEXT_RUSAGE_UNKNOWN;
	if (rusage == counted)
		return TEXT_RUSAGE_COMPLETE;
	if (rusage < counted)
		return counts->has_unsampled && counts->lost == 0 ? TEXT_RUSAGE_UNWAITED
								  : TEXT_RUSAGE_TOO_MANY;
	if (counts->has_unsampled)
		return TEXT_RUSAGE_MISSING;
	if (!counts->has_unrecorded)
		return TEXT_RUSAGE_EVENTLESS;
	return model_missing(counts).eventless > 0 ? TEXT_RUSAGE_MISSING : TEXT_RUSAGE_BY_EXEC;
}

/** The words of a verdict: reasons for doubt first, then facts worth knowing. */
struct verdict {
	struct strbuf doubts, remarks;
	bool adds_up; // to what the kernel counted
};

static void add(struct strbuf *list, const char *item)
{
	strbuf_printf(list, "%s%s", list->length > 0 ? "; " : "", item);
}

static void judge_faults(struct text *text, struct verdict *verdict)
{
	const struct model_counts *counts = &text->model->counts;
	const struct missing missing = model_missing(counts);
	struct arena *arena = &text->arena;
	uint64_t difference;

	if (!text->model->trace.complete)
		add(&verdict->doubts, "the trace ends early");
	if (missing.total > 0)
		add(&verdict->doubts, model_missing_text(&missing, arena));
	if (counts->lost_other > 0)
		add(&verdict->doubts,
		    arena_printf(arena, "%s lost, so that files may be mistaken",
				 text_plural(text, counts->lost_other, "mapping or task record",
					     "mapping or task records")));
	switch (text_rusage(counts, &difference)) {
	case TEXT_RUSAGE_MISSING:
		break;
	case TEXT_RUSAGE_TOO_MANY:
		// Nor are processes in that count which nobody waited for.
		add(&verdict->remarks,
		    arena_printf(arena, "%s more than the kernel counted",
				 text_plural(text, difference, "fault", "faults")));
		break;
	case TEXT_RUSAGE_UNKNOWN:
		add(&verdict->remarks,
		    text->model->window.is_set
			    ? "the kernel's count is of the whole run, not of a window"
			    : "the kernel's count is unknown and cannot be checked");
		break;
	case TEXT_RUSAGE_EVENTLESS:
		add(&verdict->remarks,
		    arena_printf(arena, "the kernel counted %s more, perhaps without an event",
				 figure_number(arena, difference)));
		break;
	case TEXT_RUSAGE_COMPLETE:
	case TEXT_RUSAGE_BY_EXEC:
	case TEXT_RUSAGE_UNWAITED:
		verdict->adds_up = true;
		break;
	}
	if (counts->unattributed > 0)
		add(&verdict->remarks,
		    arena_printf(arena, "%s without a known mapping",
				 text_plural(text, counts->unattributed, "fault", "faults")));
	// A few are no reason for doubt.
	if (counts->without_stack > counts->recorded / 100)
		add(&verdict->remarks,
		    arena_printf(arena, "%s without a call stack",
				 text_plural(text, counts->without_stack, "fault", "faults")));
}

/** Do both differ by more than 1% and 1 ms? */
static bool differ(uint64_t a, uint64_t b)
{
	enum { MS = 1000000 };
	uint64_t difference = a > b ? a - b : b - a, larger = a > b ? a : b;

	return difference > MS && difference > larger / 100;
}

static void judge_time(struct text *text, const struct model_account *account,
		       struct verdict *verdict)
{
	const struct model_time_check *check = &account->check;
	struct arena *arena = &text->arena;

	if (!account->complete)
		add(&verdict->doubts, "the account of time has gaps");
	if (account->pauses_lost > 0)
		add(&verdict->doubts,
		    arena_printf(arena, "%s of tasks lost",
				 text_plural(text, account->pauses_lost, "switch", "switches")));
	if (account->samples_lost > 0)
		add(&verdict->remarks,
		    arena_printf(arena, "%s of the processor lost",
				 text_plural(text, account->samples_lost, "sample", "samples")));
	// It is of whole tasks.
	if (text->model->window.is_set)
		return;
	if (!check->is_known)
		add(&verdict->remarks, "the kernel's count of time is unknown");
	else if (check->account_cpu_ns > check->kernel_cpu_ns &&
		 differ(check->kernel_cpu_ns, check->account_cpu_ns))
		// It leaves out interrupts and what a hypervisor took, where it can.
		add(&verdict->remarks,
		    arena_printf(arena, "%s on the processor that the kernel did not count",
				 table_time(arena, text->terminal,
					    check->account_cpu_ns - check->kernel_cpu_ns)));
	else if (differ(check->kernel_cpu_ns, check->account_cpu_ns))
		add(&verdict->doubts,
		    arena_printf(arena, "processor time is %s where the kernel counted %s",
				 table_time(arena, text->terminal, check->account_cpu_ns),
				 table_time(arena, text->terminal, check->kernel_cpu_ns)));
	else if (differ(check->kernel_runnable_ns, check->account_runnable_ns))
		// Taken at other moments than the kernel's; no event is missing for that.
		add(&verdict->remarks,
		    arena_printf(arena, "waits for a processor are %s where the kernel counted %s",
				 table_time(arena, text->terminal, check->account_runnable_ns),
				 table_time(arena, text->terminal, check->kernel_runnable_ns)));
}

/** Does the screen have a line for this kind of note? What changes all of it stands above. */
static bool is_told(const struct note_kind *kind, size_t position)
{
	enum { MOST = 4 };

	return kind->effect == NOTE_ALERT || (kind->effect == NOTE_ANSWER && position < MOST);
}

/** The line of a kind, cut between words to three of the terminal: --full has all of it. */
static const char *short_note(struct text *text, const struct note_kind *kind)
{
	enum { LINES = 3, LABEL = 13 };
	const char *line = text_note_kind(text, kind);
	size_t width = text->terminal->width, room = (width - LABEL) * LINES;

	if (width <= 2 * LABEL || strlen(line) <= room)
		return line;
	for (room -= LABEL; room > 0 && line[room] != ' ';)
		room--;
	return arena_printf(&text->arena, "%.*s %s (--full)", (int)room, line,
			    terminal_ellipsis(text->terminal));
}

void text_complete(struct text *text)
{
	const struct model *model = text->model;
	struct verdict verdict = { 0 };
	size_t kind_count, notes = 0;
	const struct note_kind *kinds = notes_kinds(&model->notes, &text->arena, &kind_count);

	judge_faults(text, &verdict);
	if (model->account)
		judge_time(text, model->account, &verdict);
	if (model->storage && !model->storage->complete)
		add(&verdict.doubts, "not all storage requests were seen");
	for (size_t i = 0; i < kind_count; i++)
		notes += is_told(&kinds[i], i) ? 0 : kinds[i].notes;
	// That it is a run of a set stands above.
	notes -= model->set && notes > 0;
	if (notes > 0)
		add(&verdict.remarks, arena_printf(&text->arena, "%s (--full)",
						   text_plural(text, notes, "note", "notes")));
	const bool is_complete = verdict.doubts.length == 0;
	const char *line = arena_printf(
		&text->arena, "  %-11s%s%s%s", is_complete ? "complete" : "INCOMPLETE  ",
		!is_complete	  ? strbuf_text(&verdict.doubts)
		: verdict.adds_up ? "all faults the kernel counted are accounted for"
				  : "nothing is known to be lost",
		verdict.remarks.length > 0 ? "; " : "", strbuf_text(&verdict.remarks));

	if (is_complete)
		fprintf(text->out, "%s\n", line);
	else
		text_alert(text, line);
	for (size_t i = 0; i < kind_count; i++)
		if (is_told(&kinds[i], i) && kinds[i].effect != NOTE_ALERT)
			fprintf(text->out, "  %-11s%s\n", "note", short_note(text, &kinds[i]));
	strbuf_deinit(&verdict.doubts);
	strbuf_deinit(&verdict.remarks);
}
