// SPDX-License-Identifier: Apache-2.0
// The account of time on the screen: a sum that adds up, the same as a bar, and the causes.
#include "render/screen/screen.h"

#include "base/order.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "model/storage.h"
#include "model/waits.h"
#include "render/palette.h"
#include "render/timesum.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = MODEL_STATES + 1, CAUSES = 3, COLUMN = 13, BAR_MAX = 100 };

/** Time in one state; or outside faults, where nothing else is known of it. */
struct part {
	const char *name;
	char letter;
	unsigned char ansi;
	uint64_t ns;
};

static struct part part_of(enum model_state state, uint64_t ns)
{
	unsigned count;
	const struct palette_group *group = &palette_states(&count)[state];

	return (struct part){ group->name, group->letter, group->ansi, ns };
}

// ---- Numbers that add up --------------------------------------------------------------------

static struct timesum_unit unit_for(const struct text *text, uint64_t ns)
{
	return timesum_unit(ns, text->terminal->has_utf8);
}

/** "C cpu 38.3", coloured as its part of the bar. */
static void add_part(struct text *text, struct strbuf *buf, const struct part *part,
		     const char *figure)
{
	if (text->terminal->has_color)
		strbuf_printf(buf, "\033[7;38;5;%um%c\033[0m %s %s", part->ansi, part->letter,
			      part->name, figure);
	else
		strbuf_printf(buf, "%c %s %s", part->letter, part->name, figure);
}

/**
 * Print "  time       259.3 ms = C cpu 38.3 + F fault 28.0": @before, then the parts, each rounded
 * so that the figures add up to that of the sum; @behind: after them. A line is broken between
 * parts.
 */
static void print_sum(struct text *text, const char *before, const struct timesum_unit *unit,
		      const struct part *parts, size_t count, const char *behind)
{
	size_t width = text->terminal->width > 0 ? text->terminal->width : SIZE_MAX;
	size_t column = table_columns(before);
	uint64_t ns = 0, ticks = 0;
	const char *separator = "=";
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	strbuf_puts(&buf, before);
	for (size_t i = 0; i < count; i++) {
		ns += parts[i].ns;
		uint64_t next = timesum_ticks(unit, ns);

		if (next <= ticks)
			continue;
		const char *figure = timesum_text(&text->arena, unit, next - ticks);
		size_t columns = 2 + strlen(parts[i].name) + 1 + strlen(figure);

		if (column + 3 + columns > width) {
			strbuf_printf(&buf, "\n%*s%s ", COLUMN, "", separator);
			column = COLUMN + 2 + columns;
		} else {
			strbuf_printf(&buf, " %s ", separator);
			column += 3 + columns;
		}
		add_part(text, &buf, &parts[i], figure);
		separator = "+";
		ticks = next;
	}
	if (column + strlen(behind) > width)
		strbuf_printf(&buf, "\n%*s", COLUMN - 1, "");
	fprintf(text->out, "%s%s\n", buf.text, behind);
}

/** A letter a cell, in the order of the sum. */
static void print_bar(struct text *text, const struct part *parts, size_t count, uint64_t whole)
{
	size_t width = text->terminal->width > 0 ? text->terminal->width : BAR_MAX;
	size_t room = width > COLUMN + 8 ? width - COLUMN : 8, at = 0;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	uint64_t ns = 0;

	if (whole == 0)
		return;
	room = room < BAR_MAX ? room : BAR_MAX;
	strbuf_printf(&buf, "%*s", COLUMN, "");
	for (size_t i = 0; i < count; i++) {
		ns += parts[i].ns;
		double share = ns < whole ? (double)ns / (double)whole : 1;
		size_t end = (size_t)(share * (double)room + 0.5);

		if (end <= at)
			continue;
		if (text->terminal->has_color)
			strbuf_printf(&buf, "\033[7;38;5;%um", parts[i].ansi);
		for (; at < end && at < room; at++)
			strbuf_putc(&buf, parts[i].letter);
		strbuf_puts(&buf, terminal_end(text->terminal));
	}
	fprintf(text->out, "%s\n", buf.text);
}

// ---- With an account ------------------------------------------------------------------------

/** Fill in all states that are the program's doing; return how many. */
static size_t fill_parts(struct part *parts, const struct model_account *account,
			 const struct model_times *times)
{
	size_t count = 0;

	for (enum model_state i = 0; i < MODEL_STATES; i++) {
		if (!model_state_is_used(i))
			continue;
		parts[count] = part_of(i, times->ns[i]);
		parts[count++].name = model_state_title(account, i);
	}
	return count;
}

/** Print the time that it waited for a processor, which is in no sum: it is nobody's doing. */
static void print_late(struct text *text, const char *label, uint64_t late_ns)
{
	if (late_ns > 0)
		fprintf(text->out, "  %-11s%s more waited for a processor\n", label,
			table_time(&text->arena, text->terminal, late_ns));
}

/** Print when the subject, which is not the command, began and ended within it. */
static void print_whole(struct text *text, const struct model_account *account)
{
	const struct model_process_times *row = &account->processes[account->subject.process];
	const uint64_t begin_ns = account->critical->steps[0].start_ns;
	const uint64_t since_ns = row->start_ns > begin_ns ? row->start_ns - begin_ns : 0;

	fprintf(text->out, "  command    %s; %s ran from %s to %s of it\n",
		table_time(&text->arena, text->terminal, account->wall_ns), text_subject(text),
		table_time(&text->arena, text->terminal, since_ns),
		table_time(&text->arena, text->terminal, since_ns + account->subject.wall_ns));
}

/** " (recording added 4.1)": time that is in no sum either. */
static const char *added_text(struct text *text, const struct timesum_unit *unit,
			      const struct model_times *times)
{
	const uint64_t ns = times->ns[MODEL_STATE_RECORDING];

	return ns > 0 ? arena_printf(&text->arena, " (recording added %s)",
				     timesum_text(&text->arena, unit, timesum_ticks(unit, ns)))
		      : "";
}

static void print_account(struct text *text, const struct model_account *account)
{
	const struct model_subject *subject = &account->subject;
	const uint64_t used = model_times_used(&subject->times);
	const struct timesum_unit unit = unit_for(text, used);
	struct part parts[MODEL_STATES];
	size_t count = fill_parts(parts, account, &subject->times);

	print_sum(text,
		  arena_printf(&text->arena, "  time       %s %s%s",
			       timesum_text(&text->arena, &unit, timesum_ticks(&unit, used)),
			       unit.name, text_of_subject(text)),
		  &unit, parts, count, added_text(text, &unit, &subject->times));
	print_bar(text, parts, count, used);
	if (!model_account_was_busy(account)) // else the first line said so
		print_late(text, "late", subject->times.ns[MODEL_STATE_RUNNABLE]);
	if (subject->is_other)
		print_whole(text, account);
}

/** Print the time of all threads, if the first was not alone. */
static void print_threads(struct text *text, const struct model_account *account)
{
	const uint64_t all = model_times_used(&account->all);
	const struct timesum_unit unit = unit_for(text, all);
	struct part parts[MODEL_STATES];
	size_t count;

	if (model_times_sum(&account->all) <= model_times_sum(&account->subject.times))
		return;
	count = fill_parts(parts, account, &account->all);
	print_sum(text,
		  arena_printf(&text->arena, "  threads    all %s: %s %s",
			       figure_number(&text->arena, text->model->counts.threads),
			       timesum_text(&text->arena, &unit, timesum_ticks(&unit, all)),
			       unit.name),
		  &unit, parts, count, added_text(text, &unit, &account->all));
	print_late(text, "", account->all.ns[MODEL_STATE_RUNNABLE]);
}

// ---- Without an account ---------------------------------------------------------------------

/** The faults' share of the recording, where one thread alone faulted; else their sum. */
static void print_fault_time(struct text *text)
{
	const struct model *model = text->model;
	struct arena *arena = &text->arena;
	uint64_t waited = 0, whole = model->trace.duration_ns, taken = model->total.own_ns;
	bool adds_up = model->counts.threads <= 1 && taken <= whole;

	for (size_t i = 0; i < model->fault_count; i++)
		if (model->faults[i].kind == MODEL_MAJOR)
			waited += model_fault_own(&model->faults[i]);
	waited = waited < taken ? waited : taken;

	const struct part parts[] = {
		part_of(MODEL_STATE_FAULT, taken - waited),
		part_of(MODEL_STATE_FAULT_IO, waited),
		{ "rest", '.', 242, adds_up ? whole - taken : 0 },
	};
	const uint64_t shown = adds_up ? whole : taken;
	const struct timesum_unit unit = unit_for(text, shown);
	const char *sum = arena_printf(
		arena, "%s %s", timesum_text(&text->arena, &unit, timesum_ticks(&unit, shown)),
		unit.name);

	if (taken == 0) {
		fprintf(text->out, "  time       %s; time in faults is unknown\n",
			text_lasted(text));
	} else if (adds_up) {
		print_sum(text, arena_printf(arena, "  time       %s recorded", sum), &unit, parts,
			  3, "");
		print_bar(text, parts, 3, shown);
	} else {
		fprintf(text->out, "  time       recorded for %s\n",
			table_time(arena, text->terminal, whole));
		const char *threads = arena_printf(
			arena,
			"all %s: ", text_plural(text, model->counts.threads, "thread", "threads"));

		print_sum(text,
			  arena_printf(arena, "  in faults  %s%s",
				       model->counts.threads > 1 ? threads : "", sum),
			  &unit, parts, 2, "");
	}
}

/** Time of the faults of one initiator, or their number where they have no time. */
struct cause {
	uint64_t weight;
	enum model_initiator initiator;
};

ORDER_OF(compare_causes, cause, ORDER(y->weight, x->weight) ?: ORDER(x->initiator, y->initiator))

/** Print "  causes     relocation 12.3 ms, loader 2.1 ms …". */
static void print_fault_causes(struct text *text)
{
	const bool has_time = text->model->total.own_ns > 0;
	struct cause causes[MODEL_INITIATORS];
	uint64_t whole = 0;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	size_t i;

	for (enum model_initiator c = 0; c < MODEL_INITIATORS; c++) {
		const struct model_count *count = &text->initiators[c];

		causes[c] = (struct cause){ has_time ? count->own_ns : count->faults, c };
		whole += causes[c].weight;
	}
	if (whole == 0)
		return;
	qsort(causes, MODEL_INITIATORS, sizeof(*causes), compare_causes);
	// What is less than a hundredth does not explain much.
	for (i = 0; i < CAUSES && causes[i].weight > whole / 100; i++)
		strbuf_printf(&buf, "%s%s %s", i > 0 ? ", " : "",
			      model_initiator_name(causes[i].initiator),
			      has_time ? table_time(&text->arena, text->terminal, causes[i].weight)
				       : text_plural(text, causes[i].weight, "fault", "faults"));
	if (i < MODEL_INITIATORS && causes[i].weight > 0)
		strbuf_printf(&buf, " %s", terminal_ellipsis(text->terminal));
	fprintf(text->out, "  causes     %s\n", strbuf_text(&buf));
}

// ---- Storage --------------------------------------------------------------------------------

static void print_storage(struct text *text, const struct model_storage *storage)
{
	const uint64_t others = storage->by_cause[MODEL_STORAGE_OTHERS];
	const uint64_t own = storage->device_bytes - others;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	strbuf_puts(&buf,
		    own > 0 ? figure_size(&text->arena, own) : "nothing read for the command");
	for (enum model_storage_cause i = 0, shown = 0; i < MODEL_STORAGE_CAUSES; i++)
		if (storage->by_cause[i] > 0 && i != MODEL_STORAGE_OTHERS)
			strbuf_printf(&buf, "%s%s %s", shown++ > 0 ? " + " : " = ",
				      model_storage_cause_text(i),
				      figure_size(&text->arena, storage->by_cause[i]));
	if (own > 0)
		strbuf_printf(&buf, "; %s",
			      text_plural(text, storage->requests - storage->other_requests,
					  "request", "requests"));
	strbuf_puts(&buf, text_flushes(text, storage));
	if (others > 0)
		strbuf_printf(&buf, "; others read %s in %s meanwhile",
			      figure_size(&text->arena, others),
			      text_plural(text, storage->other_requests, "request", "requests"));
	fprintf(text->out, "  storage    %s\n", strbuf_text(&buf));
}

void screen_time(struct text *text)
{
	const struct model *model = text->model;
	const struct model_account *account = model->account;

	// Of several programs the table of them tells more.
	const bool is_one = model->counts.programs <= 1;

	if (account) {
		print_account(text, account);
		if (is_one)
			print_threads(text, account);
	} else {
		print_fault_time(text);
	}
	text_held_up(text);
	if (account)
		screen_causes(text);
	else
		print_fault_causes(text);
	// Of several programs there is no room for it: what held the command up comes first.
	if (account && is_one &&
	    model_times_in_faults(&account->subject.times) < account->subject.wall_ns / 2)
		screen_hot(text);
	else if (!account && model->counts.threads <= 1 && model->total.own_ns > 0 &&
		 model->total.own_ns < model->trace.duration_ns / 2)
		fputs("  rest       computing, reading or waiting; this trace records only "
		      "faults\n",
		      text->out);
	if (model->storage && model->storage->device_bytes + model->storage->flushes > 0)
		print_storage(text, model->storage);
}
