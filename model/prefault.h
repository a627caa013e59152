// SPDX-License-Identifier: Apache-2.0
// Faults that system calls took without an event. Part of the model: plain data.
#pragma once

#include <stdint.h>

/** Those of one system call on one file, of the whole trace; exec's are not among them. */
struct model_prefault {
	const char *call;    // NULL: unknown, or of 32 bits
	const char *file;    // its path, "[heap]" or the like; NULL: several, or unknown
	const char *section; // of the file; NULL: several, or unknown
	uint64_t faults;
};
