// SPDX-License-Identifier: Apache-2.0
// Waits of threads, and the chain of threads that the end of the command waited for. Part of the
// model: plain data. Times are nanoseconds.
#pragma once

#include "model/account.h"

/** Kinds of waits. */
enum model_wait { WAIT_WORDS(WORD_IDENTIFIER) MODEL_WAITS };

/** "child", "lock", "poll" ... */
const char *model_wait_name(enum model_wait wait);

/** Wakers: what ended a wait. */
enum model_waker { WAKER_WORDS(WORD_IDENTIFIER) MODEL_WAKERS };

/** "thread", "interrupt" ... */
const char *model_waker_name(enum model_waker waker);

/** Waits by their kind: of the states wait and file-io, which these add up to. */
struct model_waits {
	uint64_t wait_ns[MODEL_WAITS];	  // something else than storage
	uint64_t file_io_ns[MODEL_WAITS]; // storage, in such a call
	uint64_t count[MODEL_WAITS];
};

/** Both states. */
static inline uint64_t model_waits_ns(const struct model_waits *waits, enum model_wait wait)
{
	return waits->wait_ns[wait] + waits->file_io_ns[wait];
}

/** Waits of a first thread for one thing that the same process ended. */
struct model_awaited {
	enum model_wait wait;
	enum model_state state; // wait, or file-io
	enum model_waker waker;
	uint32_t process;   // the waker's, into account.processes; MODEL_NONE: not recorded
	const char *call;   // of wait other: the system call; else NULL
	uint64_t count, ns; // without what it was runnable afterwards
	// Times meanwhile of the thread that ended the wait; of a child its first thread.
	// All 0 where there is none, less than ns where it began later.
	struct model_times meanwhile;
};

/** Waits of one thread. */
struct model_thread_waits {
	struct model_waits kinds;
	const struct model_awaited *awaited; // most time first
	size_t awaited_count;
};

struct model_waiting {
	struct model_thread_waits main;	     // the command's first thread
	struct model_thread_waits subject;   // the first thread of the account's subject
	struct model_waits all;		     // all threads
	const struct model_waits *processes; // all threads of each of account.processes
};

/** One process, program and thread on the way to the end of the command. */
struct model_critical_part {
	uint32_t process;   // into account.processes
	uint32_t tid;	    // of a step: the thread; of a part: one of them
	const char *thread; // NULL: the first thread; "": another without a name of its own
	uint64_t start_ns,
		end_ns; // since the start of the recording; of a part: the first, the last
	uint64_t ns;	// what the states add up to
	uint64_t stays; // how often the way comes here; of a step: how many are in it
	struct model_times times;
	struct model_waits waits;
};

/**
 * From the end of the command's first thread back to its exec: through what it ran, and where it
 * waited for another recorded thread through what that one did before it ended the wait. Where a
 * timer or something unknown ended a wait for a child or a signal, it leads through the child that
 * lived then. Any other wait that nothing recorded ended stays on the way. parts and steps each add
 * up to wall_ns exactly.
 */
struct model_critical {
	const struct model_critical_part *parts; // by process, program and thread; most time first
	size_t part_count;
	// In order of time. What is shorter than a hundredth of the wall time is one step with what
	// is beside it; it has the name of the longest.
	const struct model_critical_part *steps;
	size_t step_count;
};
