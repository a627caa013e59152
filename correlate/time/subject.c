// SPDX-License-Identifier: Apache-2.0
// The account's subject: the program that the end of the command waited for most.
#include "correlate/time/lives.h"

#include "base/cleanup.h"
#include "model/waits.h"

#include <stdio.h>
#include <string.h>

/** The time of @part that is of interest: not waiting for a processor, nor for a child to end. */
static uint64_t weight_of(const struct model_critical_part *part)
{
	return model_times_used(&part->times) - part->waits.wait_ns[MODEL_WAIT_CHILD] -
	       part->waits.wait_ns[MODEL_WAIT_SIGNAL];
}

/** Is @row of @program, its name as far as the kernel keeps it, or its process id? */
static bool is_of(const struct model_process_times *row, const char *const *comms,
		  const char *program)
{
	enum { COMM_LENGTH = 15 };
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", row->pid);
	return strcmp(program, pid) == 0 || strncmp(program, comms[row->comm], COMM_LENGTH) == 0;
}

/** The time of each row on the critical path that counts; on the heap. */
static uint64_t *weigh(const struct model_account *account)
{
	uint64_t *weights = xcalloc(account->process_count + 1, sizeof(*weights));
	const struct model_critical *critical = account->critical;

	array_foreach (part, critical->parts, critical->part_count)
		weights[part->process] += weight_of(part);
	return weights;
}

/** Of two rows: has the second more on the path, or as much and did more altogether? */
static bool is_more(const struct model_account *account, const uint64_t *weights, uint32_t best,
		    uint32_t row, bool by_all)
{
	if (weights[row] != weights[best] || !by_all)
		return weights[row] > weights[best];
	return model_times_used(&account->processes[row].main) >
	       model_times_used(&account->processes[best].main);
}

/**
 * The process and program with most time on the critical path; of equals the one that began first.
 * An attached process was chosen by its number: only programs of its own compete. Of those that
 * @program names, which may be beside the path, the one that did most wins where the path tells
 * none apart.
 */
static uint32_t choose(const struct model_account *account, const struct trace *trace,
		       const char *const *comms, const char *program)
{
	CLEANUP(freep) uint64_t *weights = NULL;
	uint32_t best = MODEL_NONE;

	if (!account->critical)
		return MODEL_NONE;
	weights = weigh(account);
	for (uint32_t i = 0; i < account->process_count; i++) {
		const struct model_process_times *row = &account->processes[i];
		const bool competes =
			program ? is_of(row, comms, program)
				: !trace->meta.attached || row->pid == trace->meta.root_pid;

		if (competes &&
		    (best == MODEL_NONE || is_more(account, weights, best, i, program != NULL)))
			best = i;
	}
	return best;
}

/** The last row before @before of process @pid; MODEL_NONE: none. */
static uint32_t last_row(const struct model_account *account, uint32_t before, uint32_t pid)
{
	for (uint32_t i = before; i > 0; i--)
		if (account->processes[i - 1].pid == pid)
			return i - 1;
	return MODEL_NONE;
}

/** The first row of the command's process; MODEL_NONE: none. */
static uint32_t row_of_command(const struct model_account *account, const struct trace *trace)
{
	for (uint32_t i = 0; i < account->process_count; i++)
		if (account->processes[i].pid == trace->meta.root_pid)
			return i;
	return MODEL_NONE;
}

/** Find who forked or executed it. Between its fork and its exec a process is its parent's copy. */
static void find_starter(const struct model_account *account, const struct trace *trace,
			 struct model_subject *subject)
{
	const struct model_process_times *row = &account->processes[subject->process];
	const bool is_root = row->pid == trace->meta.root_pid;
	const uint32_t former = last_row(account, subject->process, row->pid);
	const bool is_after_fork = former != MODEL_NONE && !is_root &&
				   last_row(account, former, row->pid) == MODEL_NONE;

	subject->is_other = !is_root || former != MODEL_NONE;
	subject->is_forked = !is_root && former == MODEL_NONE;
	if (former != MODEL_NONE && !is_after_fork)
		subject->starter = former;
	else if (row->parent_pid != 0)
		subject->starter = last_row(
			account, former != MODEL_NONE ? former : subject->process, row->parent_pid);
}

static void add_lives(const struct lives *lives, struct model_subject *subject)
{
	double variance[MODEL_INITIATORS] = { 0 };

	vec_foreach (life, &lives->list) {
		if (life->process != subject->process || life->tid != life->pid)
			continue;
		subject->wall_ns += life->end_ns - life->start_ns;
		model_times_add(&subject->times, &life->times);
		for (size_t i = 0; i < MODEL_INITIATORS; i++) {
			model_times_add(&subject->by_initiator[i], &life->by_initiator[i]);
			variance[i] += life->cpu_variance[i];
		}
	}
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		subject->cpu_error_ns[i] = model_error_ns(variance[i]);
}

void subject_fill(const struct lives *lives, const struct trace *trace, const char *const *comms,
		  const char *program, struct model_account *account)
{
	struct model_subject *subject = &account->subject;

	*subject = (struct model_subject){
		.process = program ? choose(account, trace, comms, program) : MODEL_NONE,
		.starter = MODEL_NONE,
		.command = row_of_command(account, trace),
	};
	subject->is_chosen = subject->process != MODEL_NONE;
	if (!subject->is_chosen)
		subject->process = choose(account, trace, comms, NULL);
	if (subject->process == MODEL_NONE) {
		subject->wall_ns = account->wall_ns;
		subject->times = account->main;
		memcpy(subject->by_initiator, account->main_by_initiator,
		       sizeof(subject->by_initiator));
		memcpy(subject->cpu_error_ns, account->main_cpu_error_ns,
		       sizeof(subject->cpu_error_ns));
		return;
	}
	subject->is_known = true;
	find_starter(account, trace, subject);
	add_lives(lives, subject);
}
