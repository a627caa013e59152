// SPDX-License-Identifier: Apache-2.0
// The time that the command took, and each program in it: from exec to the end, whatever faulted.
#pragma once

#include "base/range.h"
#include "base/vec.h"
#include "model/model.h"

#include <stdint.h>

/**
 * Return the time of the command, in ns since the start of the recording: by the account from exec
 * to the end of its first process, else to the end of the recording, and in any case all of the
 * faults shown. Empty where nothing is known. O(faults).
 */
struct range lifetime_of_command(const struct model *model);

/**
 * Return the time axis of pictures: by the account from the exec of the command to the end of its
 * first process, as far as it is in the window; else lifetime_of_command(). O(processes).
 */
struct range lifetime_axis(const struct model *model);

/** The time of one program in a process. */
struct lifetime {
	uint32_t pid;
	uint32_t process;  // into account.processes
	struct range time; // in ns since the start of the recording
};

/** All programs that the account has. */
struct lifetimes {
	VEC(struct lifetime) list; // by process, then by time
};

/** Release with lifetimes_deinit(). */
void lifetimes_init(struct lifetimes *lifetimes, const struct model *model);
void lifetimes_deinit(struct lifetimes *lifetimes);

/** Find the program that process @pid ran at @time_ns; NULL: not known. O(log n). */
const struct lifetime *lifetimes_at(const struct lifetimes *lifetimes, uint32_t pid,
				    uint64_t time_ns);
