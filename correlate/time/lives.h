// SPDX-License-Identifier: Apache-2.0
// The lives of all threads of a trace, from its events in order of time.
#pragma once

#include "base/range.h"
#include "correlate/replay/rows.h"
#include "model/account.h"
#include "trace/trace.h"

#include <stdint.h>

/** Some of the time of a thread, in one state. */
struct life_part {
	uint64_t ns;
	enum model_state state;
	enum model_initiator initiator;
	uint64_t held_ns; // of a pause: behind that the recorder had the thread's processor
};

/** The edges of a window. */
enum life_edge { LIFE_FROM, LIFE_UNTIL, LIFE_EDGES };

/** A sample of what a thread computed. */
struct computed_sample {
	uint64_t period_ns;
	uint32_t place;
	uint8_t initiator;
	bool in_fault; // whose duration is unknown
};

/**
 * All that a thread computed between two moments of such initiators, whichever came first. @last:
 * MODEL_INITIATOR_UNKNOWN: between its beginning or exit and the first; both: in all other places.
 */
struct computed_place {
	uint8_t first, last;
	bool is_apart; // of one initiator: there was time for much between; of none: after its exit
	uint64_t ns;
	uint64_t cut_ns[LIFE_EDGES]; // by the life's cuts
};

/** Computing of a thread, in order of time, before it is divided by causes place by place. */
struct computed {
	VEC(struct computed_place) places; // few: looked for one by one
	VEC(struct computed_sample) samples;
	size_t first;		   // of samples: since it was last seen
	uint64_t from_ns;	   // what it had computed when it was last seen
	uint8_t initiator, dlopen; // it was seen at
	bool is_seen;		   // and nothing of another cause is known to have come since
	bool is_ending;		   // its exit was told of
};

/**
 * Sums of a life by a moment, its computing divided as that of the whole life is: what it did in a
 * window is the difference of two, so that windows add up to the whole.
 */
struct life_cut {
	uint64_t time_ns; // UINT64_MAX: the end, whenever that is
	struct model_times by_initiator[MODEL_INITIATORS];
	uint64_t bracketed_ns, unsampled_ns, exit_ns; // as in struct life
};

/** A fault that had not ended when the next one of its thread began. */
struct life_fault {
	struct model_fault *fault;
	uint64_t start_ns;		  // from where on the time is its own
	const struct life_fault *earlier; // NULL: none
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
	uint64_t fault_start_ns;       // from where on the time is that fault's
	// Faults that began before that one and had not ended, the latest first; NULL: as always,
	// but in traces that were made up.
	const struct life_fault *earlier;
	uint32_t before; // of the same process: a life, plus one; 0: none
	bool is_open;
	bool is_born;	// by a fork, and not by an exec
	bool is_ending; // exit was told of; where its last pause is missing that was its end
	struct model_times times;
	struct model_times by_initiator[MODEL_INITIATORS];
	struct computed computed;
	struct life_cut *cuts; // LIFE_EDGES, in order of time; NULL: none is asked for
	bool is_user_only;     // but not while the kernel ran for it
	uint32_t sample_ns;    // what a sample adds to where it is taken; 0: unknown
	uint64_t bracketed_ns; // of cpu: between two seen to be of one cause
	uint64_t unsampled_ns; // of unknown's cpu: no sample stands for it
	uint64_t exit_ns;      // of that: the kernel ended it
	double cpu_variance[MODEL_INITIATORS]; // in ns^2
};

/** Number of the cuts of @life. */
static inline size_t life_cut_count(const struct life *life)
{
	return life->cuts ? LIFE_EDGES : 0;
}

/**
 * A fault from @start_ns to @end_ns; what earlier ones had of that is passed over. What is not its
 * own time gets a record in @arena.
 */
void life_take_fault(struct life *life, struct arena *arena, struct model_fault *fault,
		     uint64_t start_ns, uint64_t end_ns);

/** A sample of the processor, of its code; one within a fault is passed over: then false. */
bool life_take_sample(struct life *life, const struct trace_sample *sample,
		      enum model_initiator initiator);

/** It is at @moment, outside faults. */
void life_see(struct life *life, const struct model_fault *moment, uint64_t time_ns);

/**
 * It is off the processor from @start_ns to @end_ns, by @pause; what of that is in a fault is not
 * run there. @of_stack: why, outside faults. Returns what it waited until it was woken.
 */
struct life_part life_take_pause(struct life *life, struct arena *arena,
				 const struct trace_pause *pause, enum model_initiator of_stack,
				 uint64_t start_ns, uint64_t end_ns);

/** It told its exit: what follows the kernel does, and takes down its memory. */
void life_exit(struct life *life, uint64_t time_ns);

/** Nothing more is known of it after @time_ns: what is left of its life it ran. */
void life_end(struct life *life, struct arena *arena, uint64_t time_ns);

// ---- What it computed, by causes ------------------------------------------------------------

/**
 * @life was seen at a fault, or at a pause whose stack tells why the code ran: what it computed
 * since it was last seen lies between the two. @computed_ns: what it computed so far.
 */
void computed_see(struct life *life, const struct model_fault *seen, uint64_t computed_ns);

/** @life begins, in what is of @initiator; unknown: nobody knows. */
void computed_begin(struct life *life, enum model_initiator initiator);

/** Let what @life computes next be of any cause, whatever it is seen at. */
void computed_forget(struct life *life);

/** @life told its exit: what it computes from now on is nobody's. */
void computed_exit(struct life *life, uint64_t computed_ns);

/** A sample of the processor. @in_fault: in one whose duration is unknown. */
void computed_sample(struct life *life, enum model_initiator initiator, uint64_t period_ns,
		     bool in_fault);

/**
 * Divide all that @life computed, @computed_ns, by causes. What lies between two moments of one
 * cause is of that cause, and between moments of two causes half of each, unless samples in such
 * places show others: then these divide it, the more of them the more. Samples in the rest divide
 * the rest, and what there is none for is nobody's. Each thread by itself: the clock may go slower
 * for some.
 */
void computed_divide(struct life *life, uint64_t computed_ns);
void computed_deinit(struct computed *computed);

/** A thread through all programs that it executes, as the kernel counts it. */
struct task {
	bool is_whole; // its count at its beginning is known
	bool has_end;
	bool has_delay;
	uint64_t from_cpu_ns, from_delay_ns;
	uint64_t cpu_ns, delay_ns; // the kernel's at its end
	uint64_t account_cpu_ns, account_delay_ns;
	uint64_t stolen_ns; // of account_delay_ns: a hypervisor had its processor
};

/** The share of a sample or a pause of the trace. */
struct lives_moment {
	uint32_t life; // into lives.list, plus one; 0: it counts for none
	// Of a pause, as far as its life and the window go: first it waited part.ns.
	uint64_t start_ns, back_ns;
	struct life_part part; // of a pause: waited; of a sample: sampleparts_fill()'s
	uint64_t recording_ns; // what it waited beside that: recording_take_out()
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
 * Leave of @lives what they did in @window, in times of the trace, that they were replayed with:
 * lives that cross an edge are shorter, those outside are nothing, processes of none have no
 * thread. O(lives + pauses + samples).
 */
void lives_cut(struct lives *lives, const struct trace *trace, struct range window);

/** Learn what @lives' processes executed. O((arguments + processes) log processes). */
void commandlines_fill(struct arena *arena, const struct trace *trace, struct lives *lives);

/**
 * Set part.ns of each of @lives' samples: those of one thread and initiator stand for all that it
 * computed for that, but for what no sample divided. O(lives + samples).
 */
void sampleparts_fill(struct lives *lives, const struct trace *trace);

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
