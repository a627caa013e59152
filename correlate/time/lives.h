// SPDX-License-Identifier: Apache-2.0
// The lives of all threads of a trace, from its events in order of time.
#pragma once

#include "correlate/replay/rows.h"
#include "model/account.h"
#include "trace/trace.h"

#include <stdint.h>

/** Some of the time of a thread, in one state. */
struct life_part {
	uint64_t ns;
	enum model_state state;
	enum model_initiator initiator;
};

/** The life of one thread within one program: an exec ends it, and begins another. */
struct life {
	uint32_t pid, tid;
	uint32_t process; // into account.processes
	uint32_t task;	  // into account.tasks
	uint64_t start_ns, end_ns;
	uint64_t until_ns; // what was before is in a state
	// The fault that it was in last.
	uint64_t fault_end_ns;
	enum model_initiator fault_initiator;
	struct model_fault *fault;     // NULL: there was none yet
	struct model_fault_time *time; // of fault; NULL: all of its duration is its own so far
	uint32_t before;	       // of the same process: a life, plus one; 0: none
	bool is_open;
	bool is_born;	// by a fork, and not by an exec
	bool is_ending; // exit was told of; where its last pause is missing that was its end
	struct model_times times;
	struct model_times by_initiator[MODEL_INITIATORS];
	// Samples of it outside faults: how many, and the time that they stand for.
	uint64_t samples[MODEL_INITIATORS], sampled_ns[MODEL_INITIATORS];
	// Likewise in faults whose duration is unknown.
	uint64_t fault_samples[MODEL_INITIATORS], fault_sampled_ns[MODEL_INITIATORS];
	bool is_user_only;		       // it was not sampled while the kernel ran for it
	uint64_t divided_ns;		       // of cpu: what the samples outside faults stand for
	double cpu_variance[MODEL_INITIATORS]; // in ns^2
};

/**
 * A fault from @start_ns to @end_ns; what earlier ones had of that is passed over. What is not its
 * own time gets a record in @arena.
 */
void life_take_fault(struct life *life, struct arena *arena, struct model_fault *fault,
		     uint64_t start_ns, uint64_t end_ns);

/** A sample of the processor, of its code; one within a fault is passed over: then false. */
bool life_take_sample(struct life *life, const struct trace_sample *sample,
		      enum model_initiator initiator);

/** A sample of the processor in a fault whose duration is unknown. */
void life_take_fault_sample(struct life *life, const struct trace_sample *sample,
			    enum model_initiator of_fault);

/**
 * It is off the processor from @start_ns to @end_ns, by @pause; what of that is in a fault is not
 * run there. @of_stack: why, outside faults. Returns what it waited until it was woken.
 */
struct life_part life_take_pause(struct life *life, struct arena *arena,
				 const struct trace_pause *pause, enum model_initiator of_stack,
				 uint64_t start_ns, uint64_t end_ns);

/** Nothing more is known of it after @time_ns: what is left of its life it ran. */
void life_end(struct life *life, struct arena *arena, uint64_t time_ns);

/** A thread through all programs that it executes, as the kernel counts it. */
struct task {
	bool is_whole; // its count at its beginning is known
	bool has_end;
	bool has_delay;
	uint64_t from_cpu_ns, from_delay_ns;
	uint64_t cpu_ns, delay_ns; // the kernel's at its end
	uint64_t account_cpu_ns, account_delay_ns;
};

/** The share of a sample or a pause of the trace. */
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
 * initiators; their times are since the start of the recording; those whose duration is not all
 * their own learn it. @moments: likewise. Release with
 * lives_deinit().
 */
void lives_replay(struct rows *rows, const struct trace *trace, struct all_faults *faults,
		  const struct all_moments *moments, struct lives *ret_lives);
void lives_deinit(struct lives *lives);

/**
 * Choose @account.subject and fill it in; its processes and its critical path are known. @comms:
 * their names. @program: a name or a process id; where nothing has it, or NULL: by the rule.
 * O(lives).
 */
void subject_fill(const struct lives *lives, const struct trace *trace, const char *const *comms,
		  const char *program, struct model_account *account);

/**
 * For each sample of @trace the initiator of the fault that it came upon, plus one; 0: none, or one
 * with a duration. On the heap. What the kernel does where the program is at an instruction that
 * faults, right before or behind, it does for the fault. Faults that a system call takes are not
 * told apart from the rest of the call. O(samples + faults).
 */
uint8_t *faultsamples_find(const struct trace *trace, const struct model_thread *threads,
			   const struct all_faults *faults);
