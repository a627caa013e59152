// SPDX-License-Identifier: Apache-2.0
// Tables of the account of time.
#include "export/sqlite/schema.h"

#include "model/account.h"
#include "model/calls.h"
#include "model/waits.h"

static void add_account(struct database *base, const struct model_account *account)
{
	const struct model_time_check *check = &account->check;
	const struct model_subject *subject = &account->subject;
	struct table table = table_open(base, "account", 11);

	table_number(&table, account->complete);
	table_number(&table, account->wall_ns);
	table_number(&table, account->samples);
	table_number(&table, account->samples_lost);
	table_number(&table, account->pauses_lost);
	table_known(&table, check->is_known, check->kernel_cpu_ns);
	table_known(&table, check->is_known, check->account_cpu_ns);
	table_known(&table, check->is_known, check->kernel_runnable_ns);
	table_known(&table, check->is_known, check->account_runnable_ns);
	table_known(&table, subject->is_known && subject->process != MODEL_NONE, subject->process);
	table_known(&table, subject->is_known, subject->wall_ns);
	table_end_row(&table);
	table_close(&table);
}

/** Without what took no time. */
static void add_times(struct table *table, const char *scope, const struct model_times *times,
		      const uint64_t *errors)
{
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		for (enum model_state state = 0; state < MODEL_STATES; state++) {
			if (times[i].ns[state] == 0)
				continue;
			table_text(table, scope);
			table_number(table, sqlite_word(WORD_LIST_initiator, i));
			table_number(table, sqlite_word(WORD_LIST_state, state));
			table_number(table, times[i].ns[state]);
			table_known(table, state == MODEL_STATE_CPU, errors[i]);
			table_end_row(table);
		}
}

static void add_process_times(struct table *table, size_t process, const char *scope,
			      const struct model_times *times)
{
	for (enum model_state state = 0; state < MODEL_STATES; state++) {
		if (times->ns[state] == 0)
			continue;
		table_number(table, process);
		table_text(table, scope);
		table_number(table, sqlite_word(WORD_LIST_state, state));
		table_number(table, times->ns[state]);
		table_end_row(table);
	}
}

static void add_processes(struct database *base, const struct model *model)
{
	const struct model_account *account = model->account;
	struct table table = table_open(base, "processes", 9);
	struct table times = table_open(base, "process_times", 4);

	for (size_t i = 0; i < account->process_count; i++) {
		const struct model_process_times *row = &account->processes[i];
		CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

		strbuf_put_words(&command, row->command, row->command_count);
		table_number(&table, i);
		table_number(&table, row->pid);
		table_known(&table, row->parent_pid > 0, row->parent_pid);
		table_text(&table, model->comms[row->comm]);
		table_number(&table, row->start_ns);
		table_number(&table, row->end_ns);
		table_number(&table, row->thread_count);
		table_number(&table, row->faults);
		table_text(&table, row->command_count > 0 ? strbuf_text(&command) : NULL);
		table_end_row(&table);
		add_process_times(&times, i, "main", &row->main);
		add_process_times(&times, i, "all", &row->all);
	}
	table_close(&table);
	table_close(&times);
}

static void add_spots(struct database *base, const struct model_account *account)
{
	struct table table = table_open(base, "spots", 13);

	for (size_t i = 0; i < account->spot_count; i++) {
		const struct model_spot *row = &account->spots[i];

		table_number(&table, i);
		table_row(&table, row->function);
		table_text(&table, row->source);
		table_row(&table, row->blame);
		table_text(&table, row->blame_source);
		table_number(&table, sqlite_word(WORD_LIST_state, row->state));
		table_number(&table, sqlite_word(WORD_LIST_initiator, row->initiator));
		table_number(&table, row->is_main);
		table_number(&table, row->is_kernel);
		table_number(&table, row->is_left_out);
		table_number(&table, row->ns);
		table_number(&table, row->moments);
		table_real(&table, row->squares);
		table_end_row(&table);
	}
	table_close(&table);
}

/** @process: MODEL_NONE: of the command's first thread, or of all threads. */
static void add_kinds(struct table *table, const char *scope, uint32_t process,
		      const struct model_waits *waits, uint64_t *id)
{
	for (enum model_wait wait = 0; wait < MODEL_WAITS; wait++) {
		if (waits->count[wait] == 0 && model_waits_ns(waits, wait) == 0)
			continue;
		table_number(table, (*id)++);
		table_text(table, scope);
		table_row(table, process);
		table_number(table, sqlite_word(WORD_LIST_wait, wait));
		table_number(table, waits->wait_ns[wait]);
		table_number(table, waits->file_io_ns[wait]);
		table_number(table, waits->count[wait]);
		table_end_row(table);
	}
}

static void add_waits(struct database *base, const struct model_account *account)
{
	const struct model_waiting *waiting = account->waiting;
	struct table table = table_open(base, "waits", 7);
	uint64_t id = 0;

	add_kinds(&table, "main", MODEL_NONE, &waiting->main.kinds, &id);
	add_kinds(&table, "all", MODEL_NONE, &waiting->all, &id);
	for (size_t i = 0; i < account->process_count; i++)
		add_kinds(&table, "process", (uint32_t)i, &waiting->processes[i], &id);
	table_close(&table);

	table = table_open(base, "awaited", 8);
	for (size_t i = 0; i < waiting->main.awaited_count; i++) {
		const struct model_awaited *row = &waiting->main.awaited[i];

		table_number(&table, i);
		table_number(&table, sqlite_word(WORD_LIST_wait, row->wait));
		table_number(&table, sqlite_word(WORD_LIST_state, row->state));
		table_number(&table, sqlite_word(WORD_LIST_waker, row->waker));
		table_row(&table, row->process);
		table_text(&table, row->call);
		table_number(&table, row->count);
		table_number(&table, row->ns);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_critical_path(struct database *base, const struct model_critical *critical)
{
	struct table table = table_open(base, "critical_steps", 7);
	struct table times = table_open(base, "critical_times", 3);

	for (size_t i = 0; i < critical->step_count; i++) {
		const struct model_critical_part *row = &critical->steps[i];

		table_number(&table, i);
		table_row(&table, row->process);
		table_number(&table, row->tid);
		table_text(&table, row->thread);
		table_number(&table, row->start_ns);
		table_number(&table, row->end_ns);
		table_number(&table, row->ns);
		table_end_row(&table);
		for (enum model_state state = 0; state < MODEL_STATES; state++) {
			if (row->times.ns[state] == 0)
				continue;
			table_number(&times, i);
			table_number(&times, sqlite_word(WORD_LIST_state, state));
			table_number(&times, row->times.ns[state]);
			table_end_row(&times);
		}
	}
	table_close(&table);
	table_close(&times);
}

static void add_calls(struct table *table, const struct model_call *calls, size_t count,
		      uint64_t first)
{
	for (size_t i = 0; i < count; i++) {
		table_number(table, first + i);
		table_row(table, calls[i].process);
		table_text(table, calls[i].name);
		table_number(table, calls[i].count);
		table_number(table, calls[i].ns);
		table_number(table, calls[i].wait_ns);
		table_number(table, calls[i].file_io_ns);
		table_number(table, calls[i].runnable_ns);
		table_number(table, calls[i].bytes);
		table_end_row(table);
	}
}

void sqlite_account(struct database *base, const struct model *model)
{
	const struct model_account *account = model->account;
	const struct model_calls *calls = model->calls;

	if (!account)
		return;
	add_account(base, account);
	struct table times = table_open(base, "account_times", 5);

	add_times(&times, "main", account->main_by_initiator, account->main_cpu_error_ns);
	add_times(&times, "all", account->by_initiator, account->cpu_error_ns);
	if (account->subject.is_known)
		add_times(&times, "subject", account->subject.by_initiator,
			  account->subject.cpu_error_ns);
	table_close(&times);
	add_processes(base, model);
	add_spots(base, account);
	if (account->waiting)
		add_waits(base, account);
	if (account->critical)
		add_critical_path(base, account->critical);
	if (!calls)
		return;
	struct table table = table_open(base, "calls", 9);

	add_calls(&table, calls->all, calls->all_count, 0);
	add_calls(&table, calls->by_process, calls->by_process_count, calls->all_count);
	table_close(&table);
}
