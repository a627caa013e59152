// SPDX-License-Identifier: Apache-2.0
// Fills struct model_data of an object: which pages of its writable segments faulted, and why.
#pragma once

#include "model/data.h"
#include "correlate/linking/objectfaults.h"

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
