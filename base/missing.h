// SPDX-License-Identifier: Apache-2.0
// Faults that happened and were not recorded: how many, and why, is decided here and nowhere else.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Counts of one run, by the recording and by the kernel. */
struct missing_counts {
	uint64_t recorded, lost;
	uint64_t before_exec; // of the command's process, in rusage but not recorded
	uint64_t living;      // recorded, of tasks that still ran at the end: not in rusage
	bool has_rusage;
	uint64_t rusage; // minor and major
	bool has_unsampled;
	uint64_t unsampled; // counted by the kernel of each task, but raising no event
	// Explanations of that. Not known of traces from before it was kept.
	bool has_unrecorded;
	uint64_t hidden;	  // of programs that the recorder's caller may not trace
	uint64_t unseen_programs; // whose exec ended the events of perf
	uint64_t exec_unsampled;  // taken by exec, without an event
	uint64_t call_unsampled;  // by other system calls
};

/** The parts do not overlap. */
struct missing {
	uint64_t lost;		  // raised an event that was dropped
	uint64_t hidden;	  // of programs that the recorder's caller may not trace
	uint64_t unseen_programs; // as perf events end at the exec of such a program
	uint64_t eventless;	  // raised no event, and neither exec nor another call explains it
	uint64_t uncounted;	  // only in the kernel's count of the whole command
	uint64_t total;		  // faults; of unseen programs at least one each
};

/**
 * Find what was not recorded.
 *
 * A trace recorded before the counts of unrecorded faults were kept says neither what is hidden nor
 * what exec took: only what was lost, and what the kernel counted beyond all that, is missing
 * there.
 */
struct missing missing_of(const struct missing_counts *counts);

/** Faults that the kernel should have counted, by what was found. */
uint64_t missing_expected_rusage(const struct missing_counts *counts);
