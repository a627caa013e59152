// SPDX-License-Identifier: Apache-2.0
#include "derive/programsums.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/u64map.h"
#include "model/account.h"

#include <stdlib.h>
#include <string.h>

/** One process and one program that it ran. */
struct run {
	uint64_t faults, fault_ns;
	uint32_t comm;
	bool has_thread; // comm is the first thread's
};

/** The row of the programs called @comm and executed with @option, if any. */
static struct program_sum *sum_of(struct program_sums *sums, struct u64map *by_name, uint32_t comm,
				  const char *option)
{
	bool is_new;
	uint32_t *index = u64map_put(by_name, option ? hash_text(comm, option) : comm, &is_new);

	if (is_new) {
		*index = (uint32_t)sums->list.count;
		vec_push(&sums->list, (struct program_sum){ .comm = comm, .option = option });
	}
	return &sums->list.items[*index];
}

// ---- From the account -----------------------------------------------------------------------

static uint64_t waits_of(const struct model_times *times)
{
	return times->ns[MODEL_STATE_FAULT_IO] + times->ns[MODEL_STATE_FILE_IO] +
	       times->ns[MODEL_STATE_WAIT];
}

/** Forks, which show whether a row is before a fork's exec. */
struct forks {
	struct u64map last;  // pid -> its last row so far
	struct u64map names; // pid and comm of all rows so far
	bool *goes_on;	     // by row: the process executes another program
};

static void forks_deinit(struct forks *forks)
{
	u64map_deinit(&forks->last);
	u64map_deinit(&forks->names);
	free(forks->goes_on);
}

static void forks_find(struct forks *forks, const struct model_account *account)
{
	bool is_new;

	forks->goes_on = xcalloc(account->process_count, sizeof(*forks->goes_on));
	for (size_t i = 0; i < account->process_count; i++) {
		uint32_t *last = u64map_put(&forks->last, account->processes[i].pid, &is_new);

		if (!is_new)
			forks->goes_on[*last] = true;
		*last = (uint32_t)i;
	}
	u64map_deinit(&forks->last);
	forks->last = (struct u64map){ 0 };
}

/** Is row @index, the next one, the time of a process before its first exec? */
static bool is_before_exec(struct forks *forks, const struct model_process_times *row, size_t index)
{
	bool is_first, is_new;

	u64map_put(&forks->last, row->pid, &is_first);
	bool is_fork = is_first && forks->goes_on[index] &&
		       u64map_get(&forks->names, (uint64_t)row->parent_pid << 32 | row->comm);

	u64map_put(&forks->names, (uint64_t)row->pid << 32 | row->comm, &is_new);
	return is_fork;
}

/** Programs of many processes tell their parts by it: chromium --type=renderer. */
static const char *first_option(const struct model_process_times *row)
{
	const bool has_option = row->command_count > 1 && strncmp(row->command[1], "--", 2) == 0;

	return has_option ? row->command[1] : NULL;
}

/** Add the time in which none of those before lived: rows come by their start. */
static void add_wall(struct program_sum *sum, const struct model_process_times *row)
{
	const uint64_t start = row->start_ns > sum->end_ns ? row->start_ns : sum->end_ns;

	if (row->end_ns <= start)
		return;
	sum->wall_ns += row->end_ns - start;
	sum->end_ns = row->end_ns;
}

static void add_account(struct program_sums *sums, struct u64map *by_name,
			const struct model *model)
{
	const struct model_account *account = model->account;
	CLEANUP(forks_deinit) struct forks forks = { 0 };

	forks_find(&forks, account);
	for (size_t i = 0; i < account->process_count; i++) {
		const struct model_process_times *row = &account->processes[i];

		if (model->window.is_set && row->thread_count == 0)
			continue;
		struct program_sum *sum = sum_of(sums, by_name, row->comm, first_option(row));

		sum->runs += !is_before_exec(&forks, row, i);
		add_wall(sum, row);
		sum->own_ns += model_times_used(&row->main);
		sum->cpu_ns += row->all.ns[MODEL_STATE_CPU] + row->all.ns[MODEL_STATE_FAULT];
		sum->wait_ns += waits_of(&row->main);
		sum->fault_ns += model_times_in_faults(&row->all);
		sum->faults += row->faults;
	}
}

// ---- From the faults ------------------------------------------------------------------------

static void add_fault(struct run *run, const struct model_fault *fault,
		      const struct model_thread *thread)
{
	bool is_first = thread->tid == thread->pid;

	run->faults++;
	run->fault_ns += model_fault_own(fault);
	// Until the exec is done, the name is that of the program before.
	if (thread->comm == MODEL_NONE || fault->initiator == MODEL_EXEC ||
	    (run->has_thread && !is_first))
		return;
	run->comm = thread->comm;
	run->has_thread = is_first;
}

static void add_faults(struct program_sums *sums, struct u64map *by_name, const struct model *model)
{
	CLEANUP(u64map_deinit) struct u64map execs = { 0 };
	CLEANUP(freep) struct run *runs = xcalloc(model->program_count, sizeof(*runs));
	bool is_new;

	array_foreach (fault, model->faults, model->fault_count) {
		const struct model_thread *thread = model_thread(model, fault);
		struct run *run = &runs[thread->program];

		if (run->faults == 0)
			run->comm = MODEL_NONE;
		if (model->programs[thread->program].has_exec)
			u64map_put(&execs, thread->pid, &is_new);
		add_fault(run, fault, thread);
	}
	for (size_t i = 0; i < model->program_count; i++) {
		const struct model_program *program = &model->programs[i];
		struct program_sum *sum;

		if (runs[i].faults == 0)
			continue;
		sum = sum_of(sums, by_name, runs[i].comm, NULL);
		sum->runs += program->has_exec || !u64map_get(&execs, program->pid);
		sum->faults += runs[i].faults;
		sum->fault_ns += runs[i].fault_ns;
	}
}

// ---- Both -----------------------------------------------------------------------------------

static int compare(const void *left, const void *right, void *context)
{
	const struct program_sum *a = left, *b = right;
	const struct model *model = context;

	int order = ORDER(b->own_ns, a->own_ns) ?: ORDER(b->fault_ns, a->fault_ns) ?:
		    ORDER(b->faults, a->faults);

	if (order != 0)
		return order;
	if (a->comm == MODEL_NONE || b->comm == MODEL_NONE)
		return (a->comm == MODEL_NONE) - (b->comm == MODEL_NONE);
	return strcmp(model->comms[a->comm], model->comms[b->comm])
		       ?: order_text(a->option, b->option);
}

void programsums_init(struct program_sums *sums, const struct model *model)
{
	CLEANUP(u64map_deinit) struct u64map by_name = { 0 };

	*sums = (struct program_sums){ .has_times = model->account };
	if (model->account)
		add_account(sums, &by_name, model);
	else
		add_faults(sums, &by_name, model);
	if (sums->list.count > 0)
		qsort_r(sums->list.items, sums->list.count, sizeof(*sums->list.items), compare,
			(void *)model);
}
