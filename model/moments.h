// SPDX-License-Identifier: Apache-2.0
// Moments of threads beside their faults: samples of the processor, and pauses. Part of the model:
// plain data. Times are nanoseconds.
#pragma once

#include "model/waits.h"

/** A sample stands for a part of what its thread computed, a pause for what it waited. */
struct model_moment {
	uint64_t time_ns; // since the start of the recording; of a pause: when it began
	uint64_t ns;	  // of a sample computed, of a pause waited: 0 where it only was runnable
	uint64_t back_ns; // of a pause: when the thread ran again; of a sample: time_ns
	const struct model_ip *by; // the program's instruction; NULL: unknown, or none, as in exec
	uint32_t thread;	   // into model.threads; MODEL_NONE: of a pause, it has no row
	uint32_t life;		   // into model_moments.lives
	uint32_t stack;		   // into model.stacks, or MODEL_NONE
	uint32_t function, blame;  // into model.functions, or MODEL_NONE
	uint32_t initializer;	   // that was running: into model.initializers, or MODEL_NONE
	enum model_state state;	   // of a sample cpu
	enum model_initiator initiator;
	enum model_wait wait; // of a pause
	bool is_sample;
	bool is_kernel;	  // of a sample: the kernel ran, on behalf of the program
	bool is_left_out; // as in struct model_spot
};

/** The life of one thread within one program, as far as it is in the window. */
struct model_life {
	uint32_t process; // into account.processes
	uint32_t pid, tid;
	uint64_t start_ns, end_ns; // since the start of the recording
};

/**
 * NULL in a model that nobody asked for it, or without an account. All together: computed_ns of
 * samples and unsampled_ns are what the account has of cpu, waits what it has of wait and file-io;
 * unplaced_ns of them are of moments without a thread.
 */
struct model_moments {
	const struct model_moment *items; // in order of time
	size_t count;
	uint64_t unsampled_ns; // computed where no sample was taken
	uint64_t unplaced_ns;  // waited by threads that have neither a fault nor a stack: no row
	const struct model_life *lives; // in the order they began
	size_t life_count;
};
