// SPDX-License-Identifier: Apache-2.0
// System calls that brought pages of a file into memory. Serves correlate/storage/storage.c.
#include "correlate/storage/parts.h"

#include "base/order.h"
#include "base/search.h"
#include "base/vec.h"

ORDER_OF_POINTERS(compare_reads, trace_read, ORDER(x->tid, y->tid) ?: ORDER(x->time_ns, y->time_ns) ?:
		  ORDER(x, y))

void filecalls_count(struct storage_files *files, const struct trace *trace)
{
	CLEANUP(vec_release) VEC(const struct trace_read *) reads = { 0 };

	vec_foreach (read, &trace->reads)
		if (read->flags & (TRACE_READ_CALL | TRACE_READ_EXEC) &&
		    read->flags & TRACE_READ_FILE && !(read->flags & TRACE_READ_METADATA))
			vec_push(&reads, read);
	vec_sort(&reads, compare_reads);
	vec_foreach (call, &trace->calls) {
		size_t at = search_first(reads.count, i,
					 reads.items[i]->tid > call->tid ||
						 (reads.items[i]->tid == call->tid &&
						  reads.items[i]->time_ns >= call->time_ns));
		const struct trace_read *read = at < reads.count ? reads.items[at] : NULL;

		if (!(call->flags & TRACE_CALL_ALONE) || !read || read->tid != call->tid ||
		    read->time_ns - call->time_ns > call->duration_ns)
			continue;
		struct storage_file *file = storage_files_find(files, read->device, read->inode);

		file->row.calls += call->count;
		file->row.call_ns += call->duration_ns;
	}
}
