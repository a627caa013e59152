// SPDX-License-Identifier: Apache-2.0
// Fills struct model_relocation of an object from its file and its faults.
#pragma once

#include "correlate/linking/objectfaults.h"
#include "model/relocation.h"

/** What the parts of the count share. */
struct relocation_count {
	const struct rows *rows;
	struct elfmap *map;
	const struct objectfaults *faults;
	uint64_t page_size;
	struct model_relocation *to; // what they fill
};

struct targets; // correlate/linking/targets.h

/**
 * Count relocation of object @id, whose faults are @faults and have their initiators; rows have
 * their names. Returns NULL for an object without relocations; the result is the model's.
 * O(slots + faults log faults).
 */
const struct model_relocation *relocation_new(const struct rows *rows, uint32_t id,
					      const struct objectfaults *faults,
					      struct targets *targets, uint64_t page_size);

/** The tables of one object while faults are counted, and the names looked up. */
struct relocation_tables;

struct relocation_tables *relocation_tables_create(const struct relocation_count *count);

/** Count @fault, whose initiator is relocation or symbol-lookup. */
void relocation_tables_fault(struct relocation_tables *tables, const struct model_fault *fault);

/** Fill count->to and release @tables. */
void relocation_tables_finish(struct relocation_tables *tables);

/** Fill lookups_at_load and what other ways to link would change, when all else is filled. In
 * relink.c. */
void relocation_add_relinks(struct relocation_count *count);

/** Pages that [@start, @start + @size) touches; 0 for nothing and for what wraps around. */
static inline uint64_t relocation_pages(uint64_t start, uint64_t size, uint64_t page_size)
{
	if (size == 0 || size - 1 > UINT64_MAX - start)
		return 0;
	return (start + size - 1) / page_size - start / page_size + 1;
}
