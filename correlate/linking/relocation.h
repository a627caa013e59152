// SPDX-License-Identifier: Apache-2.0
// The data pages and the relocation of one object, from its file and its faults. Serves costs.c.
#pragma once

#include "correlate/replay/rows.h"
#include "model/data.h"
#include "model/relocation.h"

/** The faults of one object, in time order. */
struct objectfaults {
	const struct model_fault *all;
	VEC(uint32_t) indexes;		   // into all
	const struct model_window *window; // causes are learned from all, counted is what is in it
};

/**
 * Find the faults of every object that could be read and whose place in its file's memory is known:
 * one struct for each object, objects_all() of them; released with objectfaults_destroy(). O(n).
 */
struct objectfaults *objectfaults_create(const struct rows *rows, const struct all_faults *all,
					 size_t *ret_count);

/** Release the @count structs at @faults, which may be NULL. */
void objectfaults_destroy(struct objectfaults *faults, size_t count);

/** True if @fault gave the process a page of its own, or wrote to one. */
static inline bool objectfaults_is_write(const struct model_fault *fault)
{
	return fault->access == MODEL_ACCESS_WRITE || fault->mechanism == MODEL_PRIVATE_WRITE ||
	       fault->mechanism == MODEL_COW_BREAK;
}

/** True if @fault, one of @faults, is in the window. */
static inline bool objectfaults_counts(const struct objectfaults *faults,
				       const struct model_fault *fault)
{
	return model_window_has(faults->window, fault->time_ns);
}

/** True if @fault is counted, and relocation copied a page by it. */
static inline bool objectfaults_is_copy(const struct objectfaults *faults,
					const struct model_fault *fault)
{
	return fault->initiator == MODEL_RELOCATION && objectfaults_is_write(fault) &&
	       objectfaults_counts(faults, fault);
}

/**
 * Explain the data pages of object @id, whose faults are @faults and have their initiators; rows
 * have their names. Returns NULL where no fault touched a writable segment; the result is the
 * model's. O(faults + pages log pages).
 *
 * The cause of a page is that of the first fault that made it the process's own: a write, or any
 * fault where the page has no bytes in the file. Zeroing the end of .data's last page is known by
 * its address, at or past the end of the segment's file part, and by its initiator.
 */
const struct model_data *datapages_new(const struct rows *rows, uint32_t id,
				       const struct objectfaults *faults, uint64_t page_size);

/** State shared by the parts of the count. */
struct relocation_count {
	const struct rows *rows;
	struct elfmap *map;
	const struct objectfaults *faults;
	uint64_t page_size;
	struct model_relocation *to; // what they fill
};

/** The names that the language's and the system's libraries of a trace define. */
struct targets;

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

/** Fill count->to's owners where they are wanted, when the written pages are listed. O(slots log
 * slots). */
void ownership_fill(const struct relocation_count *count);

/** Reads no file before the first question. */
struct targets *targets_create(const struct rows *rows);
void targets_destroy(struct targets *targets);

/** Fill of count->to what is bound to what, when all else is filled. O(slots). */
void targets_fill(struct targets *targets, const struct relocation_count *count);
