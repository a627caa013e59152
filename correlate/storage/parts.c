// SPDX-License-Identifier: Apache-2.0
#include "correlate/storage/parts.h"

#include "base/order.h"

struct storage_sums storage_sums_of(const struct storage_file *file, struct range within)
{
	struct storage_sums sums = { 0 };

	vec_foreach (piece, &file->pieces) {
		uint64_t start = piece->offset > within.start ? piece->offset : within.start, end;

		if (__builtin_add_overflow(piece->offset, piece->size, &end))
			end = UINT64_MAX;
		end = end < within.end ? end : within.end;
		if (start < end)
			sums.bytes[piece->cause][piece->initiator] += end - start;
	}
	return sums;
}

void storage_sums_take(struct storage_sums *sums, const struct storage_sums *part)
{
	for (size_t cause = 0; cause < MODEL_STORAGE_CAUSES; cause++)
		for (size_t i = 0; i < MODEL_INITIATORS; i++)
			sums->bytes[cause][i] -= part->bytes[cause][i];
}

void storage_parts_add(struct storage_parts *parts, const struct storage_file *file,
		       const char *section, const struct storage_sums *sums)
{
	for (enum model_storage_cause cause = 0; cause < MODEL_STORAGE_CAUSES; cause++)
		for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
			if (sums->bytes[cause][i] > 0)
				vec_push(&parts->list,
					 (struct model_storage_part){
						 .path = file ? file->row.path : NULL,
						 .section = section,
						 .object = file ? file->row.object : MODEL_NONE,
						 .cause = cause,
						 .initiator = i,
						 .bytes = sums->bytes[cause][i],
					 });
}

ORDER_OF(compare_parts, model_storage_part,
	 ORDER(y->bytes, x->bytes) ?: order_text(x->path, y->path)
		 ?: order_text(x->section, y->section) ?: ORDER(x->cause, y->cause)
		 ?: ORDER(x->initiator, y->initiator))

void storage_parts_fill(struct storage_parts *parts, struct arena *arena,
			struct model_storage *storage)
{
	vec_sort(&parts->list, compare_parts);
	vec_foreach (part, &parts->list)
		if (part->cause != MODEL_STORAGE_OTHERS)
			storage->by_initiator[part->initiator] += part->bytes;
	storage->parts = vec_keep_counted(&parts->list, arena, &storage->part_count);
}
