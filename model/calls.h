// SPDX-License-Identifier: Apache-2.0
// How often system calls were made, and how long they took. Part of the model: plain data. Times
// are nanoseconds.
#pragma once

#include "model/account.h"

/** The system calls of one number of one process, or of all. */
struct model_call {
	uint32_t process; // into account.processes; MODEL_NONE: all of them
	const char *name; // NULL: unknown, or of 32 bits
	uint64_t count;	  // of an execve that ended the program and not the process: 0
	uint64_t ns;	  // from their beginnings to their ends
	// Of ns: off the processor.
	uint64_t wait_ns;     // waiting for something else than storage
	uint64_t file_io_ns;  // waiting for storage, within faults as well
	uint64_t runnable_ns; // able to run
	uint64_t bytes;	      // that storage delivered for them
};

/** NULL in a model whose trace has no record of system calls, or whose account is missing. */
struct model_calls {
	uint64_t lost; // records that were dropped
	uint64_t count, ns;
	const struct model_call *all; // most time first, then name
	size_t all_count;
	const struct model_call *by_process; // likewise, then process
	size_t by_process_count;
};
