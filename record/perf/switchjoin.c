// SPDX-License-Identifier: Apache-2.0
// Pauses from perf's records of context switches. A thread may leave on one CPU and come back on
// another, each of which has a ring of its own: the two halves are joined when all have been read.
#include "record/perf/private.h"

#include "base/order.h"

#include <stdlib.h>

enum { HALVES_MAX = 8 << 20 };

struct switch_half {
	uint64_t time_ns;
	uint32_t pid, tid;
	bool is_out, is_preempted;
};

void switchjoin_add(struct switchjoin *join, uint64_t time_ns, uint32_t pid, uint32_t tid,
		    bool is_out, bool is_preempted)
{
	if (join->halves.count >= HALVES_MAX) {
		join->dropped++;
		return;
	}
	vec_push(&join->halves, (struct switch_half){ time_ns, pid, tid, is_out, is_preempted });
}

bool switchjoin_has(const struct switchjoin *join, uint32_t tid)
{
	vec_foreach (half, &join->halves)
		if (half->tid == tid)
			return true;
	return false;
}

ORDER_OF(compare, switch_half, ORDER(x->tid, y->tid) ?: ORDER(x->time_ns, y->time_ns))

static void deliver(const struct switch_half *out, uint64_t back_ns, uint32_t flags,
		    struct sink *sink)
{
	const struct trace_pause pause = {
		.time_ns = out->time_ns,
		.woken_ns = out->is_preempted ? out->time_ns : back_ns,
		.back_ns = back_ns,
		.pid = out->pid,
		.tid = out->tid,
		.flags = flags | (out->is_preempted ? TRACE_PAUSE_PREEMPTED : 0u),
	};

	sink_pause(sink, &pause, false);
}

void switchjoin_finish(struct switchjoin *join, uint64_t end_ns, struct sink *sink)
{
	const struct switch_half *halves = join->halves.items;
	size_t count = join->halves.count;

	if (count > 0)
		qsort(join->halves.items, count, sizeof(*halves), compare);
	for (size_t i = 0; i < count; i++) {
		const struct switch_half *half = &halves[i];
		bool is_first = i == 0 || halves[i - 1].tid != half->tid || !halves[i - 1].is_out;
		bool is_last = i + 1 == count || halves[i + 1].tid != half->tid;
		struct switch_half born = *half;
		const struct switch_half runs = { end_ns, half->pid, half->tid, false, true };

		// Since its fork it has been waiting to run; or for something, if it was there.
		born.is_preempted = join->start_ns == 0;
		if (join->start_ns > 0)
			born.time_ns = join->start_ns;
		if (!half->is_out && is_first)
			deliver(&born, half->time_ns, 0, sink);
		if (is_last)
			deliver(half->is_out ? half : &runs, end_ns, TRACE_PAUSE_OPEN, sink);
		else if (half->is_out)
			deliver(half, halves[i + 1].time_ns, 0, sink);
	}
}
