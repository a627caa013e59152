// SPDX-License-Identifier: Apache-2.0
// The activity of a thread when it asked storage for something: the fault that it was in, or why it
// then waited.
#include "correlate/storage/parts.h"

#include "base/order.h"
#include "base/search.h"

#include <string.h>

ORDER_OF(compare_deeds, deed, ORDER(x->tid, y->tid) ?: ORDER(x->start_ns, y->start_ns))

/** Note that main runs, since the program itself does something; @what is so at @time_ns. */
static void see_program(struct doing *doing, uint32_t pid, const struct model_fault *what,
			uint64_t time_ns)
{
	if (what->initiator != MODEL_PROGRAM)
		return;
	uint32_t place = u64map_row(&doing->programs, pid, &doing->main_ns, time_ns);

	if (time_ns < doing->main_ns.items[place])
		doing->main_ns.items[place] = time_ns;
}

/** The kernel names io_uring's threads after the thread that they work for. */
static void find_workers(struct doing *doing, const struct trace *trace)
{
	vec_foreach (task, &trace->tasks)
		if (task->kind == TRACE_TASK_COMM && task->tid != task->pid &&
		    (strncmp(task->comm, "iou-wrk-", 8) == 0 ||
		     strncmp(task->comm, "iou-sqp-", 8) == 0))
			u64map_add(&doing->workers, task->tid);
}

void doing_init(struct doing *doing, const struct model_thread *threads, const struct trace *trace,
		const struct all_faults *faults, const struct all_moments *moments)
{
	*doing = (struct doing){ 0 };
	find_workers(doing, trace);
	vec_foreach (fault, &faults->list) {
		uint64_t start_ns = fault->time_ns + trace->meta.start_ns;

		if (doing->workers.count > 0)
			see_program(doing, threads[fault->thread].pid, fault, start_ns);

		// Others have asked for nothing.
		if (fault->has_read || fault->kind == MODEL_MAJOR)
			vec_push(&doing->faults,
				 (struct deed){ .start_ns = start_ns,
						.end_ns = start_ns + fault->duration_ns,
						.tid = threads[fault->thread].tid,
						.what = fault });
	}
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];

		if (!source->is_pause)
			continue;
		const struct trace_pause *pause = &trace->pauses.items[source->index];

		if (doing->workers.count > 0)
			see_program(doing, pause->pid, &moments->list.items[i], pause->time_ns);

		vec_push(&doing->pauses,
			 (struct deed){ .start_ns = pause->time_ns,
					.end_ns = pause->back_ns,
					.tid = pause->tid,
					.call = pause->flags & TRACE_PAUSE_HAS_CALL ? pause->call
										    : UINT32_MAX,
					.what = &moments->list.items[i] });
	}
	vec_sort(&doing->faults, compare_deeds);
	vec_sort(&doing->pauses, compare_deeds);
}

void doing_deinit(struct doing *doing)
{
	vec_deinit(&doing->faults);
	vec_deinit(&doing->pauses);
	vec_deinit(&doing->main_ns);
	u64map_deinit(&doing->workers);
	u64map_deinit(&doing->programs);
}

/** The first of @count that begins later than @time_ns in thread @tid, or is of one behind it. */
static size_t first_after(const struct deed *deeds, size_t count, uint32_t tid, uint64_t time_ns)
{
	return search_first(count, i,
			    deeds[i].tid > tid ||
				    (deeds[i].tid == tid && deeds[i].start_ns > time_ns));
}

static const struct model_fault *fault_at(const struct doing *doing, const struct trace_read *read)
{
	const struct deed *deeds = doing->faults.items;
	size_t at = first_after(deeds, doing->faults.count, read->tid, read->time_ns);

	return at > 0 && deeds[at - 1].tid == read->tid && deeds[at - 1].end_ns >= read->time_ns
		       ? deeds[at - 1].what
		       : NULL;
}

/** A read that is waited for is followed by the pause; what is read ahead stands between two. */
static const struct model_fault *call_at(const struct doing *doing, const struct trace_read *read)
{
	const struct deed *deeds = doing->pauses.items;
	size_t count = doing->pauses.count;
	size_t at = first_after(deeds, count, read->tid, read->time_ns);
	const struct deed *after = at < count ? &deeds[at] : NULL;
	const struct deed *before = at > 0 ? &deeds[at - 1] : NULL;

	if (after && (after->tid != read->tid || after->call != read->call))
		after = NULL;
	if (before && (before->tid != read->tid || before->call != read->call))
		before = NULL;
	if (!(read->flags & TRACE_READ_ASYNC))
		return after ? after->what : NULL;
	if (after && before &&
	    (after->what->initiator != before->what->initiator ||
	     after->what->initializer != before->what->initializer))
		return NULL;
	return before ? before->what : after ? after->what : NULL;
}

const struct model_fault *doing_at(const struct doing *doing, const struct trace_read *read)
{
	return read->flags & TRACE_READ_FAULT  ? fault_at(doing, read)
	       : read->flags & TRACE_READ_CALL ? call_at(doing, read)
					       : NULL;
}

bool doing_by_worker(const struct doing *doing, const struct trace_read *read)
{
	const uint32_t *place = u64map_get(&doing->programs, read->pid);

	return place && u64map_get(&doing->workers, read->tid) &&
	       doing->main_ns.items[*place] <= read->time_ns;
}
