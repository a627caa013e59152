// SPDX-License-Identifier: Apache-2.0
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/figure.h"

#include <math.h>
#include <string.h>

static const char *side_name(enum compare_side side)
{
	return side == COMPARE_BEFORE ? "before" : "after";
}

/** Runs that were asked for different things differ for that, too. */
static void note_commands(struct comparison *comparison)
{
	size_t runs = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];
	const struct compare_run *first = comparison->runs;

	for (size_t i = 1; i < runs; i++) {
		const struct compare_run *run = &comparison->runs[i];
		bool are_shown_equal = strcmp(first->arguments, run->arguments) == 0;

		if (are_shown_equal && (first->arguments_hash == run->arguments_hash ||
					first->arguments_hash == 0 || run->arguments_hash == 0))
			continue;
		if (are_shown_equal)
			notes_add(
				&comparison->notes,
				"the arguments of '%s' (%s) and '%s' (%s) differ, and so may what "
				"they do; --arguments shows them",
				first->command, first->path, run->command, run->path);
		else
			notes_add(&comparison->notes,
				  "the command lines differ, and so may what they do: '%s' (%s) "
				  "and '%s' "
				  "(%s)",
				  first->command, first->path, run->command, run->path);
		return;
	}
}

/** Faults that are not in the traces of @side: of one trace by its name, of several as a range. */
static void note_lost(struct comparison *comparison, enum compare_side side)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count = comparison->run_count[side], lossy = 0;
	const struct compare_run *runs =
		comparison->runs +
		(side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE]);
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].missing == 0)
			continue;
		lossy++;
		least = runs[i].missing < least ? runs[i].missing : least;
		most = runs[i].missing > most ? runs[i].missing : most;
	}
	if (lossy == 0)
		return;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	if (least < most)
		strbuf_printf(&text, "%s to ", figure_number(&arena, least));
	strbuf_printf(&text, "%s fault%s missing from the recording", figure_number(&arena, most),
		      most == 1 ? " is" : "s are");
	if (count > 1 && lossy == count)
		strbuf_printf(&text, ", in each of %zu runs", count);
	else if (count > 1)
		strbuf_printf(&text, ", in %zu of %zu runs", lossy, count);
	notes_add(&comparison->notes, "%s: %s", count > 1 ? side_name(side) : runs->path,
		  strbuf_text(&text));
}

/** A note of the runs of @side; of both sides, where @other is what that of the other one says. */
static void note_run_note(struct comparison *comparison, enum compare_side side,
			  const struct runnote *note, const struct runnote *other)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 }, theirs = { 0 }, line = { 0 };

	runnote_print(&comparison->run_notes[side], note, &text);
	if (other)
		runnote_print(&comparison->run_notes[!side], other, &theirs);
	if (!other || strcmp(strbuf_text(&text), strbuf_text(&theirs)) != 0)
		strbuf_printf(&line, "%s: ", side_name(side));
	else if (side == COMPARE_AFTER)
		return;
	strbuf_puts(&line, strbuf_text(&text));
	notes_add_text(&comparison->notes, strbuf_text(&line), 1);
}

/** The windows of all runs of @side. */
static struct windows windows_of(const struct comparison *comparison, enum compare_side side)
{
	const struct compare_run *runs =
		comparison->runs +
		(side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE]);
	struct windows sum = { 0 };

	array_foreach (run, runs, comparison->run_count[side]) {
		sum.known += run->windows.known;
		sum.large += run->windows.large;
		if (run->windows.largest > sum.largest)
			sum.largest = run->windows.largest;
	}
	return sum;
}

static const char *share_of(struct arena *arena, const struct windows *windows)
{
	return windows->large == 0 ? "none" : figure_percent(arena, windows->large, windows->known);
}

/** Large folios decide how often the same bytes fault: sides that differ in them do for that. */
static void note_folios(struct comparison *comparison)
{
	enum { LEAST_POINTS = 5 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct windows before = windows_of(comparison, COMPARE_BEFORE);
	const struct windows after = windows_of(comparison, COMPARE_AFTER);

	if (before.known == 0 || after.known == 0 ||
	    fabs((double)before.large / (double)before.known -
		 (double)after.large / (double)after.known) *
			    100 <
		    LEAST_POINTS)
		return;
	notes_add(
		&comparison->notes,
		"large folios: %s of the faults that mapped parts of files mapped more than %s at "
		"once before, %s after (up to %s and %s); how files came into memory changes "
		"how often the same bytes fault",
		share_of(&arena, &before), figure_size(&arena, WINDOWS_AROUND),
		share_of(&arena, &after), figure_size(&arena, before.largest),
		figure_size(&arena, after.largest));
}

void comparison_note_runs(struct comparison *comparison)
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		note_lost(comparison, (enum compare_side)side);
	note_commands(comparison);
	note_folios(comparison);
	for (int side = 0; side < COMPARE_SIDES; side++)
		vec_foreach (note, &comparison->run_notes[side].list)
			note_run_note(comparison, (enum compare_side)side, note,
				      runnotes_find(&comparison->run_notes[!side], note->text));
}
