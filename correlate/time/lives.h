// SPDX-License-Identifier: Apache-2.0
// The lives of all threads of a trace, from its events in order of time.
#pragma once

#include "correlate/time/life.h"
#include "correlate/replay/rows.h"

/** A thread through all programs that it executes, as the kernel counts it. */
struct task {
	bool is_whole; // its count at its beginning is known
	bool has_end;
	bool has_delay;
	uint64_t from_cpu_ns, from_delay_ns;
	uint64_t cpu_ns, delay_ns; // the kernel's at its end
	uint64_t account_cpu_ns, account_delay_ns;
};

/** What a sample or a pause of the trace counts for. */
struct lives_moment {
	uint32_t life;	       // into lives.list, plus one; 0: it counts for none
	uint64_t start_ns;     // of a pause: as far as its life goes; then it waited part.ns
	struct life_part part; // of a pause: waited; of a sample: samplepart_fill()'s
};

struct lives {
	VEC(struct life) list;
	VEC(struct task) tasks;
	VEC(struct model_process_times) processes; // without times, which account_fill() adds up
	uint64_t timed;				   // faults with a duration
	uint64_t untimed;		       // faults without a duration, but for those of exec
	uint64_t fault_samples;		       // samples that tell of these
	uint64_t unfinished;		       // lives that ended, nobody knows when
	struct lives_moment *samples, *pauses; // by the trace's indexes; NULL without an account
};

/**
 * Replay @trace, which has pauses. Names of processes get rows. @faults: all of them, with their
 * initiators; their times are since the start of the recording. @moments: likewise. Release with
 * lives_deinit().
 */
void lives_replay(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct all_moments *moments, struct lives *ret_lives);
void lives_deinit(struct lives *lives);
