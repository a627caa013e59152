// SPDX-License-Identifier: Apache-2.0
// Faults that happened and are not in the trace: whether the answer is complete is decided here and
// nowhere else.
#pragma once

#include "base/arena.h"
#include "model/model.h"

/** The parts do not overlap. */
struct model_missing {
	uint64_t lost;		  // raised an event that was dropped
	uint64_t hidden;	  // of programs that the recorder's caller may not trace
	uint64_t unseen_programs; // as perf events end at the exec of such a program
	uint64_t eventless;	  // raised no event, and neither exec nor another call explains it
	uint64_t uncounted;	  // only in the kernel's count of the whole command
	uint64_t total;		  // faults; of unseen programs at least one each
};

/**
 * Find what @counts lack.
 *
 * A trace recorded before these counts were kept says neither what is hidden nor what exec took:
 * only what was lost, and what the kernel counted beyond all that, is missing there.
 */
struct model_missing model_missing(const struct model_counts *counts);

/** Faults that the kernel should have counted, by what was found. */
uint64_t model_expected_rusage(const struct model_counts *counts);

/** Whether the trace has its end, no fault is missing and no mapping or task record. */
bool model_is_complete(const struct model *model);

/** "61 faults of a program that may not be traced; …": what is missing, in @arena; or NULL. */
const char *model_missing_text(const struct model_missing *missing, struct arena *arena);
