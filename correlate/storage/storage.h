// SPDX-License-Identifier: Apache-2.0
// Bytes that storage delivered, and bytes of files that the run used.
#pragma once

#include "correlate/replay/objects.h"
#include "correlate/replay/replay.h"
#include "correlate/replay/rows.h"
#include "correlate/time/calls.h"
#include "trace/trace.h"

/**
 * Fill rows->model->storage and what initializers read, if @trace has a record of it; while @faults
 * has all faults, whose initiators and those of @moments are decided. Of these @counted are
 * counted, and requests that began in rows->model->window.
 * @page_size: a power of two
 * @calls: what was read in system calls is added there as well
 * @has_ios: whether rows->model->ios is filled; those of @moments are blamed already
 */
void storage_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct counted_faults *counted, const struct all_moments *moments,
		  uint64_t page_size, struct calls *calls, bool has_ios);

/** Add to @uses what was read, and fill @model->file_uses of its window. @faults: all of them */
void fileuses_fill(struct model *model, const struct objects *objects,
		   const struct model_thread *threads, const struct trace *trace,
		   const struct all_faults *faults, const struct fileuses *uses);
