// SPDX-License-Identifier: Apache-2.0
// The account of a run's time: for each thread the states that it was in, from its beginning to its
// end, and what it worked on meanwhile. Part of the model: plain data. Times are nanoseconds.
//
// The states of one thread add up to its wall time exactly: each moment is in one of them.
#pragma once

#include "model/model.h"

#include <math.h>

struct model_account;
struct model_waiting;
struct model_critical;

/** States of a thread. */
enum model_state { STATE_WORDS(WORD_IDENTIFIER) MODEL_STATES };

/** The contract's word: "cpu", "fault", "fault-io" … */
const char *model_state_name(enum model_state state);

/** The same for a person: "cpu, faults included" where the recording could not tell them apart. */
const char *model_state_title(const struct model_account *account, enum model_state state);

/** Outside faults, for storage or something else; not for a processor. */
static inline bool model_state_waits(enum model_state state)
{
	return state == MODEL_STATE_WAIT || state == MODEL_STATE_FILE_IO;
}

struct model_times {
	uint64_t ns[MODEL_STATES];
};

/** All states together. */
static inline uint64_t model_times_sum(const struct model_times *times)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < MODEL_STATES; i++)
		sum += times->ns[i];
	return sum;
}

/** True if a state is the program's doing: not waiting for a processor, and not the recorder. */
static inline bool model_state_is_used(enum model_state state)
{
	return state != MODEL_STATE_RUNNABLE && state != MODEL_STATE_RECORDING;
}

/** All that is the program's doing. */
static inline uint64_t model_times_used(const struct model_times *times)
{
	return model_times_sum(times) - times->ns[MODEL_STATE_RUNNABLE] -
	       times->ns[MODEL_STATE_RECORDING];
}

static inline void model_times_add(struct model_times *to, const struct model_times *from)
{
	for (size_t i = 0; i < MODEL_STATES; i++)
		to->ns[i] += from->ns[i];
}

/** Of a normal distribution, 19 of 20 are nearer than this: what an error of the account is. */
static inline uint64_t model_error_ns(double variance)
{
	return (uint64_t)(1.96 * sqrt(variance));
}

/** Inside faults, running or waiting for storage. */
static inline uint64_t model_times_in_faults(const struct model_times *times)
{
	return times->ns[MODEL_STATE_FAULT] + times->ns[MODEL_STATE_FAULT_IO];
}

/** A part of some time: what one cause had of one state. */
struct model_cell {
	enum model_state state;
	enum model_initiator initiator;
	uint64_t ns;
	uint64_t error_ns; // of cpu, of what samples divide, as in struct model_account
};

/** By state, then initiator; without those of no time. */
struct model_cells {
	const struct model_cell *items;
	size_t count;
};

/** One process and the program it ran: a process that executes another one has a row for each. */
struct model_process_times {
	uint32_t pid;
	uint32_t parent_pid; // 0: unknown, or outside the recording
	uint32_t comm;	     // into model.comms
	// As far as it was recorded and is shown (model/shown.h); count 0: it executed nothing, or
	// that was not recorded.
	const char *const *command;
	size_t command_count;
	uint32_t thread_count;		      // 0: it has no part in the window
	uint64_t start_ns, end_ns;	      // since the start of the recording, within the window
	struct model_times main;	      // its first thread
	struct model_times all;		      // all its threads
	struct model_cells main_cells, cells; // what main and all consist of
	uint64_t faults;
};

/** The kernel's own counts of the tasks that ended, against the account's of the same tasks. */
struct model_time_check {
	bool is_known;
	uint64_t kernel_cpu_ns;	      // sum_exec_runtime, which ru_utime + ru_stime add up to
	uint64_t account_cpu_ns;      // cpu + fault
	uint64_t kernel_runnable_ns;  // run_delay, of /proc/PID/schedstat
	uint64_t account_runnable_ns; // without stolen_ns
	uint64_t stolen_ns; // of runnable, of all tasks: had by a hypervisor or interrupts
};

/**
 * Time that threads spent at one place of the code outside faults: computing, by samples of the
 * processor, or waiting, by pauses.
 */
struct model_spot {
	uint32_t function;	// into model.functions: it ran, or entered the kernel; MODEL_NONE:
				// unknown, or none, as in exec
	uint32_t blame;		// likewise, by the rule of model_fault.blame
	enum model_state state; // cpu, file-io or wait
	enum model_initiator initiator;
	bool is_main;		  // by the command's first thread
	bool is_subject;	  // by the subject's
	bool is_kernel;		  // of cpu: the kernel ran, on behalf of the function
	bool is_exit;		  // of cpu: the kernel ended the thread, where nothing is sampled
	bool is_left_out;	  // by OBJECT arguments or conditions
	const char *source;	  // line in the function, NULL: unknown; equal ones share a pointer
	const char *blame_source; // likewise in the function to blame
	uint64_t ns;
	uint64_t moments; // samples or pauses; 0: no sample was taken of it, or of the kernel
			  // where it is not sampled
	double squares;	  // sum of the squares of what each sample stands for, in ns^2
};

/**
 * The program that the command's end waited for most, or another that was asked for: one process
 * from one exec to the next, or from the fork of one that executes nothing. docs/reading.md has the
 * rule. Times are of its first thread.
 */
struct model_subject {
	bool is_known;	  // false: no exec of the command was seen; times are the account's main
	uint32_t process; // into account.processes; MODEL_NONE: not known
	uint32_t starter; // likewise: it forked or executed this one; MODEL_NONE: not recorded
	uint32_t command; // likewise: the first program of the recorded command
	bool is_other;	  // it is not that program
	bool is_chosen;	  // it was asked for
	bool is_forked;	  // it has executed nothing: a copy of the starter
	uint64_t wall_ns;
	struct model_times times;			   // adds up to wall_ns
	struct model_times by_initiator[MODEL_INITIATORS]; // adds up to times
	uint64_t cpu_error_ns[MODEL_INITIATORS];
};

/** NULL in a model whose trace has no record of time. */
struct model_account {
	bool complete;		 // no event of time was lost, and every task was seen to its end
	bool knows_recording;	 // what recording added is the state of that name; else nobody's
	bool faults_in_cpu;	 // no fault has a known duration: cpu includes them
	uint64_t wall_ns;	 // of the command's first thread, from exec to exit
	struct model_times main; // of that thread; adds up to wall_ns
	struct model_times all;	 // of all threads
	// Of all threads. What cannot be attributed is MODEL_INITIATOR unknown; adds up to all.
	struct model_times by_initiator[MODEL_INITIATORS];
	struct model_times main_by_initiator[MODEL_INITIATORS]; // adds up to main
	// Of cpu, of what samples divide: the true part is nearer than this in 19 of 20 cases.
	uint64_t cpu_error_ns[MODEL_INITIATORS];
	uint64_t main_cpu_error_ns[MODEL_INITIATORS];
	struct model_subject subject;
	uint64_t samples;	 // of the processor; 0: none were taken
	uint32_t sample_hz;	 // how often, of a thread's time, at first; 0: unknown
	uint32_t sample_cost_ns; // of one, measured before the start; 0: unknown
	uint64_t samples_lost;
	// Of cpu of all threads: between two faults or pauses of one cause, which has it.
	uint64_t bracketed_ns;
	uint64_t exit_ns;     // of unknown's cpu, of all threads: the kernel ended them
	uint64_t pauses_lost; // switches of tasks that were not recorded
	const struct model_process_times *processes; // by start
	size_t process_count;
	struct model_time_check check;
	// Most time first. Those of one state add up to what all has of it, those of the first
	// thread to what main has.
	const struct model_spot *spots;
	size_t spot_count;
	// The word of a condition that only faults have a value for: all spots are left out. NULL:
	// those shown are of the functions of the objects shown, or blamed on them, and meet the
	// conditions.
	const char *only_of_faults;
	const struct model_waiting *waiting;   // model/waits.h; NULL: no thread waited
	const struct model_critical *critical; // likewise; NULL: no first thread was seen
};

/** True if it is known what computing was for. */
static inline bool model_account_knows_causes(const struct model_account *account)
{
	return account->samples > 0 || account->bracketed_ns > 0;
}

/** Times that limits and comparisons judge: the command's, or those of a program asked for. */
static inline const struct model_times *model_account_judged(const struct model_account *account)
{
	return account->subject.is_chosen ? account->subject.by_initiator
					  : account->main_by_initiator;
}

static inline const uint64_t *model_account_judged_errors(const struct model_account *account)
{
	return account->subject.is_chosen ? account->subject.cpu_error_ns
					  : account->main_cpu_error_ns;
}

/** Return @wall_ns, which @times add up to, without what recording added. */
static inline uint64_t model_times_wall(const struct model_times *times, uint64_t wall_ns)
{
	const uint64_t added_ns = times->ns[MODEL_STATE_RECORDING];

	return wall_ns > added_ns ? wall_ns - added_ns : 0;
}

/** True if the subject waited for a processor for a fifth of its wall time or more. */
static inline bool model_account_was_busy(const struct model_account *account)
{
	return account->subject.times.ns[MODEL_STATE_RUNNABLE] > account->subject.wall_ns / 5;
}
