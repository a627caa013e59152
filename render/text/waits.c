// SPDX-License-Identifier: Apache-2.0
// Waits of threads and what the end of the command waited for, as text.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "model/waits.h"

#include <string.h>

enum { LABEL = 13 };

static void heading(struct text *text, const char *name, const char *rest, uint64_t ns)
{
	fprintf(text->out, "\n%s%s%s%s: %s\n", terminal_start(text->terminal, TERMINAL_BOLD), name,
		terminal_end(text->terminal), rest, text_milliseconds(text, ns));
}

/** "cc1", or "firefox (Renderer)" of a thread that is not the first. */
static const char *name_of(struct text *text, const struct model_critical_part *part)
{
	const struct model *model = text->model;
	const char *comm = model->comms[model->account->processes[part->process].comm];

	if (!part->thread)
		return comm;
	return arena_printf(&text->arena, "%s (%s)", comm,
			    part->thread[0] ? part->thread : "another thread");
}

static uint64_t waited(const struct model_waits *waits)
{
	uint64_t ns = 0;

	for (enum model_wait i = 0; i < MODEL_WAITS; i++)
		ns += model_waits_ns(waits, i);
	return ns;
}

/** The perf backend does not tell of any. */
static bool has_kinds(const struct model_waiting *waiting)
{
	return waiting && waited(&waiting->all) > model_waits_ns(&waiting->all, MODEL_WAIT_UNKNOWN);
}

// ---- Waits ----------------------------------------------------------------------------------

static const char *wait_meaning(enum model_wait wait)
{
	static const char *const meanings[] = { WAIT_WORDS(WORD_MEANING) };

	return meanings[wait];
}

static void print_kinds(struct text *text, const struct model_waiting *waiting)
{
	const struct model_waits *kinds = &waiting->subject.kinds;
	const uint64_t main = waited(kinds), all = waited(&waiting->all);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (enum model_wait i = 0; i < MODEL_WAITS; i++) {
		if (waiting->all.count[i] == 0)
			continue;
		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, model_waits_ns(kinds, i));
		table_figure(table, "waits", TABLE_NUMBER, kinds->count[i]);
		if (all != main) {
			table_figure(table, "all threads", TABLE_MILLISECONDS,
				     model_waits_ns(&waiting->all, i));
			table_figure(table, "waits", TABLE_NUMBER, waiting->all.count[i]);
		}
		table_cell(table, "wait", TABLE_LEFT, model_wait_name(i));
		table_cell(table, "meaning", TABLE_NAME, wait_meaning(i));
	}
	table_print(table, text->out);
}

static const char *ended_by(struct text *text, const struct model_awaited *row)
{
	static const char *const meanings[] = { WAKER_WORDS(WORD_MEANING) };
	const struct model *model = text->model;

	if (row->state == MODEL_STATE_FILE_IO)
		return "storage";
	if (row->process == MODEL_NONE)
		return meanings[row->waker];
	const struct model_process_times *process = &model->account->processes[row->process];

	return arena_printf(&text->arena, "%s %u", model->comms[process->comm], process->pid);
}

/** "cpu 301.00 ms, fault 80.20 ms": what is a twentieth or more, in the order of the states. */
static const char *states(struct text *text, const struct model_times *times)
{
	const uint64_t sum = model_times_sum(times);
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (enum model_state i = 0; i < MODEL_STATES; i++)
		if (times->ns[i] > 0 && times->ns[i] >= sum / 20)
			strbuf_printf(&buf, "%s%s %s", buf.length > 0 ? ", " : "",
				      model_state_name(i), text_milliseconds(text, times->ns[i]));

	const char *kept = arena_strdup(&text->arena, strbuf_text(&buf));

	return kept[0] ? kept : "-";
}

/** Print what ended the first thread's waits. */
static void print_awaited(struct text *text, const struct model_thread_waits *waiting)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < waiting->awaited_count && i < text->top; i++) {
		const struct model_awaited *row = &waiting->awaited[i];

		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, row->ns);
		table_figure(table, "waits", TABLE_NUMBER, row->count);
		table_cell(table, "wait", TABLE_LEFT, row->call ?: model_wait_name(row->wait));
		table_cell(table, "ended by", TABLE_SHORT, ended_by(text, row));
		table_cell(table, "which meanwhile", TABLE_NAME,
			   row->process == MODEL_NONE ? "-" : states(text, &row->meanwhile));
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	text_more(text, waiting->awaited_count);
}

// ---- The critical path ----------------------------------------------------------------------

/** The kind of wait that most of the waiting is for; nothing where there is none. */
static const char *mostly_for(const struct model_waits *waits)
{
	enum model_wait best = 0;

	for (enum model_wait i = 0; i < MODEL_WAITS; i++)
		if (model_waits_ns(waits, i) > model_waits_ns(waits, best))
			best = i;
	return model_waits_ns(waits, best) > 0 ? model_wait_name(best) : "-";
}

/** The time of all parts, without waiting for a processor. */
static uint64_t time_of_parts(const struct model_critical *critical)
{
	uint64_t ns = 0;

	array_foreach (part, critical->parts, critical->part_count)
		ns += model_times_used(&part->times);
	return ns;
}

/** @is_ordered: steps, which have a beginning; else parts, which have a share. */
static void print_parts(struct text *text, const struct model_critical_part *parts, size_t count,
			bool is_ordered)
{
	const struct model_account *account = text->model->account;
	const uint64_t whole = time_of_parts(account->critical);
	const uint64_t begin = count > 0 ? parts[0].start_ns : 0;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < count && i < text->top; i++) {
		const struct model_critical_part *part = &parts[i];
		const uint64_t *ns = part->times.ns;
		const char *name = arena_printf(
			&text->arena, "%s %u", name_of(text, part),
			part->thread ? part->tid : account->processes[part->process].pid);

		table_begin_row(table);
		if (is_ordered)
			table_figure(table, "from", TABLE_MILLISECONDS, part->start_ns - begin);
		else
			table_share(table, "share", model_times_used(&part->times), whole);
		table_figure(table, "time", TABLE_MILLISECONDS, model_times_used(&part->times));
		table_figure(table, "computing", TABLE_MILLISECONDS, ns[MODEL_STATE_CPU]);
		table_figure(table, "in faults", TABLE_MILLISECONDS,
			     model_times_in_faults(&part->times));
		table_figure(table, "runnable", TABLE_MILLISECONDS, ns[MODEL_STATE_RUNNABLE]);
		table_figure(table, "waiting", TABLE_MILLISECONDS,
			     ns[MODEL_STATE_WAIT] + ns[MODEL_STATE_FILE_IO]);
		table_cell(table, "for", TABLE_LEFT, mostly_for(&part->waits));
		table_cell(table, is_ordered ? "step" : "program", TABLE_NAME,
			   is_ordered && part->stays > 1
				   ? arena_printf(&text->arena, "%s and %s", name,
						  text_plural(text, part->stays - 1, "short one",
							      "short ones"))
				   : name);
	}
	table_print(table, text->out);
	text_more(text, count);
}

void text_waits(struct text *text)
{
	const struct model_account *account = text->model->account;
	const struct model_critical *critical = account ? account->critical : NULL;

	if (account && has_kinds(account->waiting)) {
		const struct model_thread_waits *waits = &account->waiting->subject;

		heading(text, "Waits",
			arena_printf(&text->arena, " of the first thread%s", text_of_subject(text)),
			waited(&waits->kinds));
		print_kinds(text, account->waiting);
		if (waits->awaited_count > 0)
			print_awaited(text, waits);
	}
	// Of one thread alone the account says as much.
	if (!critical || critical->part_count < 2)
		return;
	heading(text, "Critical path",
		arena_printf(&text->arena, ", what %s waited for",
			     text_safe(text, text_end_name(text) ?: "the end of the command")),
		time_of_parts(critical));
	print_parts(text, critical->parts, critical->part_count, false);
	fputc('\n', text->out);
	print_parts(text, critical->steps, critical->step_count, true);
}

// ---- On one screen --------------------------------------------------------------------------

/** A holder of the command: a program that did something, or waited for something unknown. */
struct holder {
	const char *name;
	enum model_wait wait; // MODEL_WAITS: it did not wait
	uint64_t ns;	      // without waiting for a processor, which is nobody's doing
};

struct holders {
	VEC(struct holder) list;
	size_t names;
};

static void hold(struct holders *holders, const struct holder *holder)
{
	bool is_named = false;

	if (holder->ns == 0)
		return;
	vec_foreach (row, &holders->list) {
		if (strcmp(row->name, holder->name) != 0)
			continue;
		is_named = true;
		if (row->wait != holder->wait)
			continue;
		row->ns += holder->ns;
		return;
	}
	holders->names += !is_named;
	vec_push(&holders->list, *holder);
}

ORDER_OF(compare_holders, holder,
	 ORDER(y->ns, x->ns) ?: strcmp(x->name, y->name) ?: ORDER(x->wait, y->wait))

static const char *describe(struct text *text, const struct holder *holder, bool is_alone)
{
	struct arena *arena = &text->arena;
	const char *time = table_time(arena, text->terminal, holder->ns);

	if (holder->wait != MODEL_WAITS && is_alone)
		return arena_printf(arena, "%s %s", model_wait_name(holder->wait), time);
	if (holder->wait != MODEL_WAITS && !holder->name[0])
		return arena_printf(arena, "its own wait: %s %s", model_wait_name(holder->wait),
				    time);
	if (holder->wait != MODEL_WAITS)
		return arena_printf(arena, "%s %s (wait: %s)", holder->name, time,
				    model_wait_name(holder->wait));
	return arena_printf(arena, "%s %s", holder->name, time);
}

/** The name of @part, which is not the subject: another process may be called the same. */
static const char *holder_name(struct text *text, const struct model_critical_part *part)
{
	const struct model_account *account = text->model->account;
	const struct model_subject *subject = &account->subject;
	const char *name = name_of(text, part);

	if (!subject->is_known || part->process == subject->process ||
	    account->processes[part->process].comm != account->processes[subject->process].comm)
		return name;
	return arena_printf(&text->arena, "another %s", name);
}

void text_held_up(struct text *text)
{
	const struct model_account *account = text->model->account;
	const struct model_critical *critical = account ? account->critical : NULL;
	struct holders holders = { 0 };
	const size_t width = text->terminal->width > LABEL ? text->terminal->width : 100;
	const size_t room = 2 * (width - LABEL) - LABEL; // two lines, folded between words
	struct strbuf buf = { 0 };
	bool others = false, knows_subject = false;

	if (!critical)
		return;
	array_foreach (part, critical->parts, critical->part_count) {
		const bool is_subject = account->subject.is_known && !part->thread &&
					part->process == account->subject.process;
		const char *name = is_subject ? "" : holder_name(text, part);

		others |= !is_subject && model_times_used(&part->times) > 0;
		knows_subject |= is_subject;
		// The account above has what the program itself did.
		if (!is_subject)
			hold(&holders,
			     &(struct holder){ name, MODEL_WAITS,
					       model_times_used(&part->times) -
						       part->times.ns[MODEL_STATE_WAIT] });
		for (enum model_wait i = 0; i < MODEL_WAITS; i++)
			hold(&holders, &(struct holder){ name, i, part->waits.wait_ns[i] });
	}

	const bool is_alone = knows_subject ? !others : holders.names < 2;

	vec_sort(&holders.list, compare_holders);
	vec_foreach (holder, &holders.list) {
		// Alone, what it did is in the account above.
		if ((is_alone && holder->wait >= MODEL_WAIT_UNKNOWN) ||
		    holder->ns <= account->wall_ns / (is_alone ? 20 : 100))
			continue;
		const char *what = describe(text, holder, is_alone);

		// Two lines are enough; what does not fit matters less.
		if (buf.length > 0 && table_columns(buf.text) + 2 + strlen(what) + 4 > room) {
			strbuf_printf(&buf, " %s", terminal_ellipsis(text->terminal));
			break;
		}
		strbuf_printf(&buf, "%s%s", buf.length > 0 ? ", " : "", what);
	}
	if (buf.length > 0)
		fprintf(text->out, "  %s%s\n", is_alone ? "waits      " : "held up    by ",
			text_safe(text, buf.text));
	strbuf_deinit(&buf);
	vec_deinit(&holders.list);
}
