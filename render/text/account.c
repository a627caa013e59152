// SPDX-License-Identifier: Apache-2.0
// The account of the command's time, as text.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "model/marks.h"

static const char *meaning(enum model_state state)
{
	static const char *const meanings[] = { STATE_WORDS(WORD_MEANING) };

	return meanings[state];
}

/** The states, in their order; of all threads as well where there are several. */
static void print_states(struct text *text, const struct model_account *account)
{
	const struct model_times *times = &account->subject.times;
	const uint64_t main = model_times_used(times);
	const bool has_others = model_times_sum(&account->all) > model_times_sum(times);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (enum model_state i = 0; i < MODEL_STATES; i++) {
		if (account->all.ns[i] == 0)
			continue;
		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, times->ns[i]);
		// Waiting for a processor, and being recorded, are no part of its own time.
		if (!model_state_is_used(i))
			table_cell(table, "share", TABLE_RIGHT, "-");
		else
			table_share(table, "share", times->ns[i], main);
		if (has_others)
			table_figure(table, "all threads", TABLE_MILLISECONDS, account->all.ns[i]);
		table_cell(table, "state", TABLE_LEFT, model_state_title(account, i));
		table_cell(table, "meaning", TABLE_NAME,
			   account->faults_in_cpu && i == MODEL_STATE_CPU
				   ? "running, inside faults as well"
				   : meaning(i));
	}
	table_print(table, text->out);
}

/** Most time first; waiting for a processor does not count. */
static bool comes_before(const struct model_times *a, const struct model_times *b)
{
	const uint64_t x = model_times_used(a), y = model_times_used(b);

	return x > y || (x == y && model_times_sum(a) > model_times_sum(b));
}

/** Print the initiators of the first thread's time. */
static void print_initiators(struct text *text, const struct model_account *account)
{
	const struct model_times *times = account->subject.by_initiator;
	bool is_printed[MODEL_INITIATORS] = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (;;) {
		size_t best = MODEL_INITIATORS;

		for (size_t i = 0; i < MODEL_INITIATORS; i++)
			if (!is_printed[i] && model_times_sum(&times[i]) > 0 &&
			    (best == MODEL_INITIATORS || comes_before(&times[i], &times[best])))
				best = i;
		if (best == MODEL_INITIATORS)
			break;
		is_printed[best] = true;

		const uint64_t *ns = times[best].ns;

		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, model_times_used(&times[best]));
		table_figure(table, "in faults", TABLE_MILLISECONDS,
			     model_times_in_faults(&times[best]));
		table_figure(table, "computing", TABLE_MILLISECONDS, ns[MODEL_STATE_CPU]);
		table_cell(table, "error", TABLE_RIGHT,
			   ns[MODEL_STATE_CPU] > 0 && model_account_knows_causes(account)
				   ? text_milliseconds(text, account->subject.cpu_error_ns[best])
				   : "-");
		table_figure(table, "waiting", TABLE_MILLISECONDS,
			     ns[MODEL_STATE_WAIT] + ns[MODEL_STATE_FILE_IO]);
		if (account->subject.times.ns[MODEL_STATE_RUNNABLE] > 0)
			table_figure(table, "runnable", TABLE_MILLISECONDS,
				     ns[MODEL_STATE_RUNNABLE]);
		table_cell(table, "initiator", TABLE_NAME,
			   model_initiator_name((enum model_initiator)best));
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}

/** "account 20.31 ms, kernel 20.35 ms (0.04 ms more)" */
static const char *compared(struct text *text, uint64_t account, uint64_t kernel)
{
	uint64_t by = account > kernel ? account - kernel : kernel - account;

	return arena_printf(&text->arena, "account %s, kernel %s (differs by %s)",
			    text_milliseconds(text, account), text_milliseconds(text, kernel),
			    text_milliseconds(text, by));
}

static void print_check(struct text *text, const struct model_time_check *check)
{
	if (!check->is_known) {
		fputs("  processor  the account cannot be checked: the kernel's counts are not"
		      " known\n",
		      text->out);
		return;
	}
	fprintf(text->out, "  processor  %s\n",
		compared(text, check->account_cpu_ns, check->kernel_cpu_ns));
	fprintf(text->out, "  runnable   %s\n",
		compared(text, check->account_runnable_ns, check->kernel_runnable_ns));
	if (check->stolen_ns > 0)
		fprintf(text->out,
			"  stolen     %s more in runnable: a hypervisor or interrupts had the"
			" processor\n",
			text_milliseconds(text, check->stolen_ns));
}

void text_marks(struct text *text)
{
	const struct model *model = text->model;
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };
	const char *separator = "";

	if (model->mark_count == 0)
		return;
	array_foreach (mark, model->marks, model->mark_count) {
		if (!mark->held)
			continue;
		strbuf_printf(&list, "%s%s %s%s", separator, mark->name,
			      table_time(&text->arena, text->terminal, mark->since_ns),
			      mark->is_end ? " (end)" : "");
		separator = ", ";
	}
	separator = list.length > 0 ? "; not seen: " : "not seen: ";
	array_foreach (mark, model->marks, model->mark_count) {
		if (mark->held)
			continue;
		strbuf_printf(&list, "%s%s", separator, mark->name);
		separator = ", ";
	}
	fprintf(text->out, "  marks      %s\n", text_safe(text, strbuf_text(&list)));
}

const char *text_end_name(const struct text *text)
{
	const struct model *model = text->model;

	array_foreach (mark, model->marks, model->mark_count)
		if (mark->is_end)
			return mark->name;
	return NULL;
}

void text_account(struct text *text)
{
	const struct model_account *account = text->model->account;

	if (!account)
		return;
	const struct model_subject *subject = &account->subject;

	fprintf(text->out, "\n%sTime%s of the first thread%s: %s",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		text_of_subject(text), text_milliseconds(text, model_times_used(&subject->times)));
	// A time that rounds to nothing is not worth the words.
	if (subject->times.ns[MODEL_STATE_RUNNABLE] >= 5000)
		fprintf(text->out, "; %s more waited for a processor",
			text_milliseconds(text, subject->times.ns[MODEL_STATE_RUNNABLE]));
	const char *end = text_end_name(text);

	fprintf(text->out, "; %s %s\n", text_milliseconds(text, subject->wall_ns),
		text->model->window.is_set   ? "in the window"
		: text->model->trace.process ? "recorded"
		: end ? arena_printf(&text->arena, "from exec to %s", text_safe(text, end))
		      : "from exec to exit");
	print_states(text, account);
	text_marks(text);
	if (!account->complete)
		fprintf(text->out,
			"%s  INCOMPLETE: not all of the time is known; see the notes%s\n",
			terminal_start(text->terminal, TERMINAL_ALERT),
			terminal_end(text->terminal));
	if (!text->model->window.is_set)
		print_check(text, &account->check);
	// Where no stack tells there is nothing to divide.
	if (model_times_sum(&account->subject.by_initiator[MODEL_INITIATOR_UNKNOWN]) <
	    model_times_sum(&account->subject.times))
		print_initiators(text, account);
}
