// SPDX-License-Identifier: Apache-2.0
// The faults of each ELF file that was read, for what is counted file by file.
#pragma once

#include "correlate/replay/rows.h"

/** Some faults of one object, in time order. */
struct objectfaults {
	const struct model_fault *all; // all that are shown
	VEC(uint32_t) indexes;	       // into all
};

/**
 * Find the faults of every object that could be read and whose place in its file's memory is known:
 * one struct for each object, objects_all() of them; released with objectfaults_destroy(). O(n).
 */
struct objectfaults *objectfaults_create(const struct rows *rows, const struct shown_faults *shown,
					 size_t *ret_count);

/** Release the @count structs at @faults, which may be NULL. */
void objectfaults_destroy(struct objectfaults *faults, size_t count);

/** Whether @fault gave the process a page of its own, or wrote to one. */
static inline bool objectfaults_is_write(const struct model_fault *fault)
{
	return fault->access == MODEL_ACCESS_WRITE || fault->mechanism == MODEL_PRIVATE_WRITE ||
	       fault->mechanism == MODEL_COW_BREAK;
}
