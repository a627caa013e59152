// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/calls.h"

#include "machine/machine.h"
#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>

ORDER_OF_INDEXES(compare_processes, model_process_times, ORDER(x->pid, y->pid) ?:
		 ORDER(x->start_ns, y->start_ns) ?: ORDER(x, y))

/** The program that process @pid ran at @time_ns, or MODEL_NONE. */
static uint32_t process_at(const struct calls *calls, uint32_t pid, uint64_t time_ns)
{
	const struct model_process_times *all = calls->lives->processes.items;
	const uint32_t *by = calls->processes;
	uint64_t since = trace_since(time_ns, calls->start_ns);
	size_t at = search_first(calls->lives->processes.count, i,
				 all[by[i]].pid > pid ||
					 (all[by[i]].pid == pid && all[by[i]].start_ns > since));

	return at > 0 && all[by[at - 1]].pid == pid ? by[at - 1] : MODEL_NONE;
}

/** Those without a name are one row. */
static uint64_t key_of(const struct calls *calls, uint32_t process, uint32_t call)
{
	return (uint64_t)process << 32 | (machine_call(calls->machine, call) ? call : UINT32_MAX);
}

static void add_call(struct calls *calls, const struct trace_call *call)
{
	uint32_t process = process_at(calls, call->pid, call->time_ns);
	// An execve that a program begins ends in the next one; of a sum time_ns is the end.
	uint64_t end_ns = call->time_ns;

	if (call->flags & TRACE_CALL_ALONE && call->duration_ns < UINT64_MAX - end_ns)
		process = process_at(calls, call->pid, end_ns + call->duration_ns);
	if (process == MODEL_NONE)
		return;
	uint32_t row =
		u64map_row(&calls->by_key, key_of(calls, process, call->call), &calls->rows,
			   (struct model_call){ .process = process,
						.name = machine_call(calls->machine, call->call) });

	calls->rows.items[row].count += call->count;
	calls->rows.items[row].ns += call->duration_ns;
}

/** The row of calls that were timed, or NULL. */
static struct model_call *row_of(struct calls *calls, uint32_t process, uint32_t call)
{
	const uint32_t *row = u64map_get(&calls->by_key, key_of(calls, process, call));

	return row ? &calls->rows.items[*row] : NULL;
}

static void add_pause(struct calls *calls, const struct trace_pause *pause,
		      const struct lives_moment *moment)
{
	if (moment->life == 0 || !(pause->flags & TRACE_PAUSE_IN_CALL))
		return;
	const struct life *life = &calls->lives->list.items[moment->life - 1];
	struct model_call *row = row_of(calls, life->process, pause->call);
	uint64_t all_ns = moment->back_ns - moment->start_ns,
		 waited_ns = moment->part.ns + moment->recording_ns;

	if (!row)
		return;
	if (moment->part.state == MODEL_STATE_WAIT)
		row->wait_ns += waited_ns;
	else if (moment->part.state == MODEL_STATE_FILE_IO ||
		 moment->part.state == MODEL_STATE_FAULT_IO)
		row->file_io_ns += waited_ns;
	else
		waited_ns = 0;
	row->runnable_ns += all_ns - waited_ns - moment->part.held_ns;
}

void calls_init(struct calls *calls, const struct trace *trace, const struct lives *lives,
		bool is_of_window)
{
	*calls = (struct calls){ 0 };
	// The kernel adds up calls that are over: when each was is not known.
	if (!trace->meta.has_calls || !lives->pauses || is_of_window)
		return;
	size_t count = lives->processes.count;

	calls->lives = lives;
	calls->machine = machine_named(trace->meta.machine);
	calls->execve = machine_call_number(calls->machine, "execve");
	calls->start_ns = trace->meta.start_ns;
	calls->processes = xcalloc(count + 1, sizeof(*calls->processes));
	for (uint32_t i = 0; i < count; i++)
		calls->processes[i] = i;
	if (count > 0)
		qsort_r(calls->processes, count, sizeof(*calls->processes), compare_processes,
			lives->processes.items);
	vec_foreach (call, &trace->calls)
		add_call(calls, call);
	for (size_t i = 0; i < trace->pauses.count; i++)
		add_pause(calls, &trace->pauses.items[i], &lives->pauses[i]);
}

void calls_deinit(struct calls *calls)
{
	free(calls->processes);
	vec_deinit(&calls->rows);
	u64map_deinit(&calls->by_key);
}

void calls_add_bytes(struct calls *calls, const struct trace_request *part)
{
	uint32_t call = part->flags & TRACE_READ_EXEC ? calls->execve : part->call;
	struct model_call *row = NULL;

	if (calls->lives)
		row = row_of(calls, process_at(calls, part->pid, part->time_ns), call);
	if (row)
		row->bytes += part->size;
}

ORDER_OF(compare_rows, model_call, ORDER(y->ns - y->runnable_ns, x->ns - x->runnable_ns) ?:
	 order_text(x->name, y->name) ?: ORDER(x->process, y->process))

/** The sums of all processes, by name. */
static void add_up(const struct calls *calls, struct arena *arena, struct model_calls *model)
{
	VEC(struct model_call) all = { 0 };
	CLEANUP(u64map_deinit) struct u64map by_name = { 0 };

	vec_foreach (row, &calls->rows) {
		// Names are constants: equal ones are one.
		uint32_t at =
			u64map_row(&by_name, (uintptr_t)row->name, &all,
				   (struct model_call){ .process = MODEL_NONE, .name = row->name });
		struct model_call *sum = &all.items[at];

		// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): u64map_row() adds a row
		sum->count += row->count;
		sum->ns += row->ns;
		sum->wait_ns += row->wait_ns;
		sum->file_io_ns += row->file_io_ns;
		sum->runnable_ns += row->runnable_ns;
		sum->bytes += row->bytes;
		model->count += row->count;
		model->ns += row->ns;
	}
	vec_sort(&all, compare_rows);
	model->all = vec_keep_counted(&all, arena, &model->all_count);
}

void calls_fill(struct calls *calls, struct model *model, const struct trace *trace)
{
	struct arena *arena = &model->arena;

	if (!calls->lives || !model->account)
		return;
	struct model_calls *kept = arena_array(arena, 1, sizeof(*kept));

	kept->lost = trace->summary.calls_lost;
	notes_add_counted(&model->notes, kept->lost,
			  "a record of system calls was lost: they are missing where calls are"
			  " counted");
	add_up(calls, arena, kept);
	vec_sort(&calls->rows, compare_rows);
	kept->by_process = vec_keep_counted(&calls->rows, arena, &kept->by_process_count);
	model->calls = kept;
}
