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
	CLEANUP(table_close) struct table table = table_open(base, "account");

	table_add(&table, cell_number(account->complete), cell_number(account->wall_ns),
		  cell_number(account->samples), cell_number(account->samples_lost),
		  cell_number(account->pauses_lost),
		  cell_known(check->is_known, check->kernel_cpu_ns),
		  cell_known(check->is_known, check->account_cpu_ns),
		  cell_known(check->is_known, check->kernel_runnable_ns),
		  cell_known(check->is_known, check->account_runnable_ns),
		  cell_known(subject->is_known && subject->process != MODEL_NONE, subject->process),
		  cell_known(subject->is_known, subject->wall_ns));
}

/** Without what took no time. */
static void add_times(struct table *table, const char *scope, const struct model_times *times,
		      const uint64_t *errors)
{
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		for (enum model_state state = 0; state < MODEL_STATES; state++) {
			if (times[i].ns[state] == 0)
				continue;
			table_add(table, cell_text(scope), cell_word(WORD_LIST_initiator, i),
				  cell_word(WORD_LIST_state, state),
				  cell_number(times[i].ns[state]),
				  cell_known(state == MODEL_STATE_CPU, errors[i]));
		}
}

static void add_process_times(struct table *table, size_t process, const char *scope,
			      const struct model_times *times)
{
	for (enum model_state state = 0; state < MODEL_STATES; state++) {
		if (times->ns[state] == 0)
			continue;
		table_add(table, cell_number(process), cell_text(scope),
			  cell_word(WORD_LIST_state, state), cell_number(times->ns[state]));
	}
}

static void add_processes(struct database *base, const struct model *model)
{
	const struct model_account *account = model->account;
	CLEANUP(table_close) struct table table = table_open(base, "processes");
	CLEANUP(table_close) struct table times = table_open(base, "process_times");

	for (size_t i = 0; i < account->process_count; i++) {
		const struct model_process_times *row = &account->processes[i];
		CLEANUP(strbuf_deinit) struct strbuf command = { 0 };

		strbuf_put_words(&command, row->command, row->command_count);
		table_add(&table, cell_number(i), cell_number(row->pid),
			  cell_known(row->parent_pid > 0, row->parent_pid),
			  cell_text(model->comms[row->comm]), cell_number(row->start_ns),
			  cell_number(row->end_ns), cell_number(row->thread_count),
			  cell_number(row->faults),
			  cell_text(row->command_count > 0 ? strbuf_text(&command) : NULL));
		add_process_times(&times, i, "main", &row->main);
		add_process_times(&times, i, "all", &row->all);
	}
}

static void add_spots(struct database *base, const struct model_account *account)
{
	CLEANUP(table_close) struct table table = table_open(base, "spots");

	for (size_t i = 0; i < account->spot_count; i++) {
		const struct model_spot *row = &account->spots[i];

		table_add(&table, cell_number(i), cell_row(row->function), cell_text(row->source),
			  cell_row(row->blame), cell_text(row->blame_source),
			  cell_word(WORD_LIST_state, row->state),
			  cell_word(WORD_LIST_initiator, row->initiator), cell_number(row->is_main),
			  cell_number(row->is_kernel), cell_number(row->is_left_out),
			  cell_number(row->ns), cell_number(row->moments), cell_real(row->squares));
	}
}

/** @process: MODEL_NONE: of the command's first thread, or of all threads. */
static void add_kinds(struct table *table, const char *scope, uint32_t process,
		      const struct model_waits *waits, uint64_t *id)
{
	for (enum model_wait wait = 0; wait < MODEL_WAITS; wait++) {
		if (waits->count[wait] == 0 && model_waits_ns(waits, wait) == 0)
			continue;
		table_add(table, cell_number((*id)++), cell_text(scope), cell_row(process),
			  cell_word(WORD_LIST_wait, wait), cell_number(waits->wait_ns[wait]),
			  cell_number(waits->file_io_ns[wait]), cell_number(waits->count[wait]));
	}
}

static void add_waits(struct database *base, const struct model_account *account)
{
	const struct model_waiting *waiting = account->waiting;
	CLEANUP(table_close) struct table table = table_open(base, "waits");
	uint64_t id = 0;

	add_kinds(&table, "main", MODEL_NONE, &waiting->main.kinds, &id);
	add_kinds(&table, "all", MODEL_NONE, &waiting->all, &id);
	for (size_t i = 0; i < account->process_count; i++)
		add_kinds(&table, "process", (uint32_t)i, &waiting->processes[i], &id);

	CLEANUP(table_close) struct table awaited = table_open(base, "awaited");

	for (size_t i = 0; i < waiting->main.awaited_count; i++) {
		const struct model_awaited *row = &waiting->main.awaited[i];

		table_add(&awaited, cell_number(i), cell_word(WORD_LIST_wait, row->wait),
			  cell_word(WORD_LIST_state, row->state),
			  cell_word(WORD_LIST_waker, row->waker), cell_row(row->process),
			  cell_text(row->call), cell_number(row->count), cell_number(row->ns));
	}
}

static void add_critical_path(struct database *base, const struct model_critical *critical)
{
	CLEANUP(table_close) struct table table = table_open(base, "critical_steps");
	CLEANUP(table_close) struct table times = table_open(base, "critical_times");

	for (size_t i = 0; i < critical->step_count; i++) {
		const struct model_critical_part *row = &critical->steps[i];

		table_add(&table, cell_number(i), cell_row(row->process), cell_number(row->tid),
			  cell_text(row->thread), cell_number(row->start_ns),
			  cell_number(row->end_ns), cell_number(row->ns));
		for (enum model_state state = 0; state < MODEL_STATES; state++) {
			if (row->times.ns[state] == 0)
				continue;
			table_add(&times, cell_number(i), cell_word(WORD_LIST_state, state),
				  cell_number(row->times.ns[state]));
		}
	}
}

static void add_calls(struct table *table, const struct model_call *calls, size_t count,
		      uint64_t first)
{
	for (size_t i = 0; i < count; i++) {
		table_add(table, cell_number(first + i), cell_row(calls[i].process),
			  cell_text(calls[i].name), cell_number(calls[i].count),
			  cell_number(calls[i].ns), cell_number(calls[i].wait_ns),
			  cell_number(calls[i].file_io_ns), cell_number(calls[i].runnable_ns),
			  cell_number(calls[i].bytes));
	}
}

void sqlite_account(struct database *base, const struct model *model)
{
	const struct model_account *account = model->account;
	const struct model_calls *calls = model->calls;

	if (!account)
		return;
	add_account(base, account);
	CLEANUP(table_close) struct table times = table_open(base, "account_times");

	add_times(&times, "main", account->main_by_initiator, account->main_cpu_error_ns);
	add_times(&times, "all", account->by_initiator, account->cpu_error_ns);
	if (account->subject.is_known)
		add_times(&times, "subject", account->subject.by_initiator,
			  account->subject.cpu_error_ns);
	add_processes(base, model);
	add_spots(base, account);
	if (account->waiting)
		add_waits(base, account);
	if (account->critical)
		add_critical_path(base, account->critical);
	if (!calls)
		return;
	CLEANUP(table_close) struct table table = table_open(base, "calls");

	add_calls(&table, calls->all, calls->all_count, 0);
	add_calls(&table, calls->by_process, calls->by_process_count, calls->all_count);
}
