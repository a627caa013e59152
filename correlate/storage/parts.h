// SPDX-License-Identifier: Apache-2.0
// What storage delivered, divided by place, cause and initiator. Serves
// correlate/storage/storage.c.
#pragma once

#include "base/range.h"
#include "correlate/storage/files.h"

struct storage_sums {
	uint64_t bytes[MODEL_STORAGE_CAUSES][MODEL_INITIATORS];
};

struct storage_parts {
	VEC(struct model_storage_part) list;
};

/** What requests delivered of @within of the file. */
struct storage_sums storage_sums_of(const struct storage_file *file, struct range within);

/** Take @part, of which it has at least as much, from @sums. */
void storage_sums_take(struct storage_sums *sums, const struct storage_sums *part);

/** @file: NULL: of no file. @section: kept. */
void storage_parts_add(struct storage_parts *parts, const struct storage_file *file,
		       const char *section, const struct storage_sums *sums);

/** Sort the parts, hand them to @storage and add them up by initiator. */
void storage_parts_fill(struct storage_parts *parts, struct arena *arena,
			struct model_storage *storage);
