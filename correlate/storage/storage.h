// SPDX-License-Identifier: Apache-2.0
// What storage delivered: each byte of each request under its cause and its file, and beside it
// what of the file was mapped and touched.
#pragma once

#include "correlate/time/calls.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/rows.h"
#include "trace/trace.h"

/**
 * Fill rows->model->storage and what initializers read, if @trace has a record of it; while @faults
 * has all faults, whose initiators and those of @moments are decided.
 * @page_size: a power of two
 * @calls: what was read in system calls is added there as well
 */
void storage_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct all_moments *moments, uint64_t page_size, struct calls *calls);
