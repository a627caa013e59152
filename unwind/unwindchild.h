// SPDX-License-Identifier: Apache-2.0
// Work of the unwinding child between giving up privilege and leaving.
#pragma once

#include "base/notes.h"
#include "unwind/unwind.h"

/**
 * Unwind every stack into @writer and flush it. *@ret_lost counts stacks of one frame that is not
 * the outermost.
 * Returns: false when the trace could not be written; trace_writer_error() says why.
 */
bool unwindchild_run(const struct unwind_input *input, struct trace_writer *writer,
		     struct notes *notes, uint64_t *ret_lost);
