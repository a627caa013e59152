// SPDX-License-Identifier: Apache-2.0
// Reads within each system call. Serves correlate/storage/storage.c.
#include "correlate/storage/parts.h"

#include "base/order.h"

void storage_calls_add(struct storage_calls *calls, const struct trace_request *part,
		       const char *name, enum model_storage_cause cause)
{
	bool is_new;

	if (!(part->flags & TRACE_READ_CALL))
		return;
	// Those without a name are one row.
	uint32_t *place = u64map_put(&calls->by_number, name ? part->call : UINT32_MAX, &is_new);

	if (is_new) {
		vec_push(&calls->list, (struct model_storage_call){ .name = name });
		*place = (uint32_t)calls->list.count;
	}
	struct model_storage_call *row = &calls->list.items[*place - 1];

	row->bytes += part->size;
	if (cause == MODEL_STORAGE_METADATA)
		row->metadata += part->size;
	row->requests++;
}

ORDER_OF(compare_calls, model_storage_call,
	 ORDER(y->bytes, x->bytes) ?: order_text(x->name, y->name))

void storage_calls_fill(struct storage_calls *calls, struct arena *arena,
			struct model_storage *storage)
{
	vec_sort(&calls->list, compare_calls);
	storage->calls = vec_keep_counted(&calls->list, arena, &storage->call_count);
}

void storage_calls_deinit(struct storage_calls *calls)
{
	vec_deinit(&calls->list);
	u64map_deinit(&calls->by_number);
}
