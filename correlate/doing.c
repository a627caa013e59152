// SPDX-License-Identifier: Apache-2.0
#include "correlate/doing.h"

#include "base/order.h"
#include "base/search.h"

static int compare_deeds(const void *a, const void *b)
{
	const struct deed *left = a, *right = b;

	return ORDER(left->tid, right->tid) ?: ORDER(left->start_ns, right->start_ns);
}

void doing_init(struct doing *doing, const struct rows *rows, const struct trace *trace,
		const struct all_faults *faults, const struct all_moments *moments)
{
	*doing = (struct doing){ 0 };
	vec_foreach (fault, &faults->list) {
		uint64_t start_ns = fault->time_ns + trace->meta.start_ns;

		// Others have asked for nothing.
		if (fault->has_read || fault->kind == MODEL_MAJOR)
			vec_push(&doing->faults,
				 (struct deed){ .start_ns = start_ns,
						.end_ns = start_ns + fault->duration_ns,
						.tid = rows_thread(rows, fault)->tid,
						.what = fault });
	}
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];

		if (!source->is_pause)
			continue;
		const struct trace_pause *pause = &trace->pauses.items[source->index];

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
