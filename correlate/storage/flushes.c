// SPDX-License-Identifier: Apache-2.0
// System calls that return when a file is written to storage, as operations that deliver nothing.
// Serves correlate/storage/storage.c.
#include "correlate/storage/parts.h"

#include "base/order.h"
#include "base/search.h"

#include <string.h>

/** False of those that give pages back. */
static bool is_flush(const char *call)
{
	return !call || (strcmp(call, "madvise") != 0 && strcmp(call, "fadvise64") != 0);
}

ORDER_OF(compare_starts, trace_request, ORDER(x->time_ns, y->time_ns) ?: ORDER(x->tid, y->tid))

void storage_flushes_init(struct storage_flushes *flushes, const struct trace *trace)
{
	vec_foreach (flush, &trace->flushes) {
		if (!is_flush(trace_call_name(trace, flush->call)))
			continue;
		const struct trace_request part = {
			.time_ns = trace_since(flush->time_ns, flush->duration_ns),
			.duration_ns = flush->duration_ns,
			.file_device = flush->device,
			.inode = flush->inode,
			.offset = flush->offset,
			.pid = flush->pid,
			.tid = flush->tid,
			.call = flush->call,
			.flags = TRACE_READ_CALL | (flush->inode ? TRACE_READ_FILE : 0),
		};

		vec_push(&flushes->list, part);
	}
	vec_sort(&flushes->list, compare_starts);
}

uint64_t storage_flush_wait(const struct trace *trace, const struct trace_request *flush)
{
	const struct trace_pause *pauses = trace->pauses.items;
	const uint64_t end_ns = flush->time_ns + flush->duration_ns;
	size_t at = search_first(trace->pauses.count, i, pauses[i].time_ns >= flush->time_ns);
	uint64_t ns = 0;

	for (; at < trace->pauses.count && pauses[at].time_ns < end_ns; at++)
		if (pauses[at].tid == flush->tid && pauses[at].woken_ns > pauses[at].time_ns)
			ns += (pauses[at].woken_ns < end_ns ? pauses[at].woken_ns : end_ns) -
			      pauses[at].time_ns;
	return ns;
}
