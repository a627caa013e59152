// SPDX-License-Identifier: Apache-2.0
// The account of time on the screen: a sum that adds up, the same as a bar, and the causes.
#include "render/screen/screen.h"

#include "base/order.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "model/storage.h"
#include "render/palette.h"
#include "render/timesum.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = MODEL_STATES + 1, COLUMN = 13, BAR_MAX = 100, CAUSES = 3, RESTS = 3 };

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
 * so that the figures add up to that of the sum. A line is broken between parts.
 */
static void print_sum(struct text *text, const char *before, const struct timesum_unit *unit,
		      const struct part *parts, size_t count)
{
	size_t width = text->terminal->width > 0 ? text->terminal->width : SIZE_MAX;
	size_t column = table_columns(before);
	uint64_t ns = 0, ticks = 0;
	const char *separator = "=";
	struct strbuf buf = { 0 };

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
	fprintf(text->out, "%s\n", buf.text);
	strbuf_deinit(&buf);
}

/** A letter a cell, in the order of the sum. */
static void print_bar(struct text *text, const struct part *parts, size_t count, uint64_t whole)
{
	size_t width = text->terminal->width > 0 ? text->terminal->width : BAR_MAX;
	size_t room = width > COLUMN + 8 ? width - COLUMN : 8, at = 0;
	struct strbuf buf = { 0 };
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
	strbuf_deinit(&buf);
}

// ---- With an account ------------------------------------------------------------------------

static void fill_parts(struct part *parts, const struct model_account *account,
		       const struct model_times *times)
{
	for (enum model_state i = 0; i < MODEL_STATES; i++) {
		parts[i] = part_of(i, times->ns[i]);
		parts[i].name = model_state_title(account, i);
	}
}

static void print_account(struct text *text, const struct model_account *account)
{
	const struct timesum_unit unit = unit_for(text, account->wall_ns);
	struct part parts[MODEL_STATES];

	fill_parts(parts, account, &account->main);
	print_sum(text,
		  arena_printf(
			  &text->arena, "  time       %s %s",
			  timesum_text(&text->arena, &unit, timesum_ticks(&unit, account->wall_ns)),
			  unit.name),
		  &unit, parts, MODEL_STATES);
	print_bar(text, parts, MODEL_STATES, account->wall_ns);
}

/** Print the time of all threads, if the first was not alone. */
static void print_threads(struct text *text, const struct model_account *account)
{
	const uint64_t all = model_times_sum(&account->all), main = model_times_sum(&account->main);
	const struct timesum_unit unit = unit_for(text, all);
	struct part parts[MODEL_STATES];

	if (all <= main)
		return;
	fill_parts(parts, account, &account->all);
	print_sum(text,
		  arena_printf(&text->arena, "  threads    all %s: %s %s",
			       figure_number(&text->arena, text->model->counts.threads),
			       timesum_text(&text->arena, &unit, timesum_ticks(&unit, all)),
			       unit.name),
		  &unit, parts, MODEL_STATES);
}

/** Work on one cause in one state; for a processor all causes wait alike. */
struct rest {
	uint64_t ns;
	enum model_initiator initiator;
	enum model_state state;
};

static int compare_rests(const void *left, const void *right)
{
	const struct rest *a = left, *b = right;

	return ORDER(b->ns, a->ns) ?: ORDER(a->initiator, b->initiator) ?: ORDER(a->state, b->state);
}

/** " in relocation"; nothing for all causes. */
static const char *place_of(struct text *text, enum model_initiator initiator)
{
	if (initiator == MODEL_INITIATORS)
		return "";
	return arena_printf(&text->arena, " in %s",
			    initiator == MODEL_INITIATOR_UNKNOWN ? "unknown code"
								 : model_initiator_name(initiator));
}

/** Print the rest of a run that is not mostly faults. */
static void print_rest(struct text *text, const struct model_account *account)
{
	struct rest rests[MODEL_INITIATORS * MODEL_STATES];
	struct strbuf buf = { 0 };
	size_t count = 0;

	rests[count++] = (struct rest){ account->main.ns[MODEL_STATE_RUNNABLE], MODEL_INITIATORS,
					MODEL_STATE_RUNNABLE };
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		for (enum model_state s = 0; s < MODEL_STATES; s++)
			if (s != MODEL_STATE_FAULT && s != MODEL_STATE_FAULT_IO &&
			    s != MODEL_STATE_RUNNABLE)
				rests[count++] =
					(struct rest){ account->main_by_initiator[i].ns[s], i, s };
	qsort(rests, count, sizeof(*rests), compare_rests);
	for (size_t i = 0; i < count && i < RESTS && rests[i].ns * 100 > account->wall_ns; i++)
		strbuf_printf(&buf, "%s%s %s%s", buf.length > 0 ? ", " : ": ",
			      model_state_name(rests[i].state),
			      table_time(&text->arena, text->terminal, rests[i].ns),
			      place_of(text, rests[i].initiator));
	fprintf(text->out, "  rest       %s of the time is not spent in faults%s\n",
		figure_percent(&text->arena,
			       account->wall_ns - model_times_in_faults(&account->main),
			       account->wall_ns),
		strbuf_text(&buf));
	strbuf_deinit(&buf);
}

// ---- Causes ---------------------------------------------------------------------------------

/** Time of one initiator. */
struct cause {
	uint64_t weight;
	enum model_initiator initiator;
};

static int compare_causes(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	return ORDER(b->weight, a->weight) ?: ORDER(a->initiator, b->initiator);
}

/**
 * Return the first thread's time in the kernel that no sample shows: the kernel was not sampled.
 */
static uint64_t unsampled_ns(const struct model_account *account)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < account->spot_count; i++)
		if (account->spots[i].is_main && account->spots[i].is_kernel &&
		    account->spots[i].moments == 0)
			ns += account->spots[i].ns;
	return ns;
}

/** "relocation 12.3 ms (5.4 ms in faults)" */
static const char *describe(struct text *text, const struct cause *cause)
{
	const struct model_account *account = text->model->account;
	struct arena *arena = &text->arena;
	const char *name = model_initiator_name(cause->initiator);

	if (!account && text->model->total.duration_ns == 0)
		return arena_printf(arena, "%s %s", name,
				    text_plural(text, cause->weight, "fault", "faults"));
	const char *time = table_time(arena, text->terminal, cause->weight);

	if (!account)
		return arena_printf(arena, "%s %s", name, time);
	uint64_t faults = model_times_in_faults(&account->main_by_initiator[cause->initiator]);
	uint64_t unsampled =
		cause->initiator == MODEL_INITIATOR_UNKNOWN ? unsampled_ns(account) : 0;

	if (unsampled > 0)
		return arena_printf(arena, "%s %s (%s in the kernel, which is not sampled)", name,
				    time, table_time(arena, text->terminal, unsampled));

	if (faults == 0 || faults == cause->weight)
		return arena_printf(arena, "%s %s%s", name, time, faults > 0 ? " in faults" : "");
	return arena_printf(arena, "%s %s (%s in faults)", name, time,
			    table_time(arena, text->terminal, faults));
}

/** Print the causes of the time, or else of the faults. */
static void print_causes(struct text *text)
{
	const struct model *model = text->model;
	struct cause causes[MODEL_INITIATORS];
	uint64_t whole = 0;
	struct strbuf buf = { 0 };
	size_t i;

	for (enum model_initiator c = 0; c < MODEL_INITIATORS; c++) {
		const struct model_count *count = &text->initiators[c];

		causes[c] = (struct cause){
			model->account ? model_times_used(&model->account->main_by_initiator[c])
			: model->total.duration_ns > 0 ? count->duration_ns
						       : count->faults,
			c,
		};
		whole += causes[c].weight;
	}
	if (whole == 0)
		return;
	qsort(causes, MODEL_INITIATORS, sizeof(*causes), compare_causes);
	// What is less than a hundredth does not explain much.
	for (i = 0; i < CAUSES && causes[i].weight > whole / 100; i++)
		strbuf_printf(&buf, "%s%s", i > 0 ? ", " : "", describe(text, &causes[i]));
	if (i < MODEL_INITIATORS && causes[i].weight > 0)
		strbuf_printf(&buf, " %s", terminal_ellipsis(text->terminal));
	fprintf(text->out, "  causes     %s\n", strbuf_text(&buf));
	strbuf_deinit(&buf);
}

// ---- Without an account ---------------------------------------------------------------------

/** The faults' share of the recording, where one thread alone faulted; else their sum. */
static void print_fault_time(struct text *text)
{
	const struct model *model = text->model;
	struct arena *arena = &text->arena;
	uint64_t waited = 0, whole = model->trace.duration_ns, taken = model->total.duration_ns;
	bool adds_up = model->counts.threads <= 1 && taken <= whole;

	for (size_t i = 0; i < model->fault_count; i++)
		if (model->faults[i].kind == MODEL_MAJOR && model->faults[i].has_duration)
			waited += model->faults[i].duration_ns;
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
			  3);
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
			  &unit, parts, 2);
	}
}

// ---- Storage --------------------------------------------------------------------------------

static void print_storage(struct text *text, const struct model_storage *storage)
{
	struct strbuf buf = { 0 };

	for (enum model_storage_cause i = 0; i < MODEL_STORAGE_CAUSES; i++)
		if (storage->by_cause[i] > 0)
			strbuf_printf(&buf, "%s%s %s", buf.length > 0 ? " + " : " = ",
				      model_storage_cause_text(i),
				      figure_size(&text->arena, storage->by_cause[i]));
	fprintf(text->out, "  storage    %s%s; %s\n",
		figure_size(&text->arena, storage->device_bytes), strbuf_text(&buf),
		text_plural(text, storage->requests, "request", "requests"));
	strbuf_deinit(&buf);
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
	print_causes(text);
	if (account && model_times_in_faults(&account->main) < account->wall_ns / 2) {
		// Of several programs there is no room for it: what held the command up comes
		// first.
		if (is_one) {
			if (!account->faults_in_cpu)
				print_rest(text, account);
			screen_hot(text);
		}
	} else if (!account && model->counts.threads <= 1 && model->total.duration_ns > 0 &&
		   model->total.duration_ns < model->trace.duration_ns / 2) {
		fputs("  rest       computing, reading or waiting; this trace records only "
		      "faults\n",
		      text->out);
	}
	if (model->storage && model->storage->device_bytes > 0)
		print_storage(text, model->storage);
}
