// SPDX-License-Identifier: Apache-2.0
// The lives of all threads beside each other, when all are known: who lived at which time, and what
// a thread did from one moment to another.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/time/lives.h"
#include "correlate/time/waitkind.h"
#include "model/waits.h"
#include "trace/trace.h"

/** A thread was off the processor, as far as its life goes. */
struct stay {
	uint64_t start_ns, woken_ns, back_ns; // in order; of one life none overlaps another
	uint32_t life;			      // into timeline.lives
	uint32_t pause;			      // into trace.pauses
	enum model_state state;		      // until woken_ns; then it is runnable
	uint64_t recording_ns;		      // until woken_ns: what recording added to others
	uint64_t held_ns;		      // from there on: the recorder had its processor
	bool is_open;			      // what ended it is not there to be seen
};

/** A thread within one program: an exec ends it and begins another. */
struct life_span {
	uint64_t start_ns, end_ns;
	uint32_t pid, tid;
	uint32_t process; // into account.processes
	uint32_t parent;  // the life that forked it, or that executed; MODEL_NONE: unknown
	uint32_t name;	  // into timeline.names: a thread that is not its process's first
};

/** Indexes into something, by life, in order of time. */
struct by_life {
	uint32_t *items;
	uint32_t *first; // by life, and one more: where its items begin
};

struct timeline {
	const struct trace *trace;
	struct waitkinds waitkinds;
	const struct all_faults *faults;
	VEC(struct life_span) lives; // in the order they began
	VEC(struct stay) stays;	     // in order of time
	VEC(const char *) names;     // [0]: a first thread; [1]: a thread without a name
	struct by_life life_stays, life_faults;
	uint32_t *by_tid; // lives by thread, then time
};

enum { TIMELINE_FIRST_THREAD, TIMELINE_NO_NAME };

/** Time of a thread by state, and the reason of its waits. */
struct spent {
	struct model_times times;
	struct model_waits waits;
};

/** When lives and stays are filled in: find whatever else is asked for. O(n log n). */
void timeline_finish(struct timeline *timeline, const struct trace *trace,
		     const struct model_thread *threads, const struct all_faults *faults);
/**
 * Leave of the stays those parts in @window, in times of the trace, and end the lives at its end.
 * The end of a stay behind it is not known.
 */
void timeline_cut(struct timeline *timeline, struct range window);
void timeline_deinit(struct timeline *timeline);

/** The life of thread @tid at @time_ns, or MODEL_NONE. */
uint32_t timeline_life_at(const struct timeline *timeline, uint32_t tid, uint64_t time_ns);

/** Stays of @life that end before or at @time_ns, or are under way: an index into life_stays. */
size_t timeline_stays_before(const struct timeline *timeline, uint32_t life, uint64_t time_ns);

/** Add what @life did from @from_ns to @to_ns, which are within it: they add up to the difference.
 */
void timeline_spend(const struct timeline *timeline, uint32_t life, uint64_t from_ns,
		    uint64_t to_ns, struct spent *spent);

/** Add what thread @tid did from @from_ns to @to_ns, in all of its lives. */
void timeline_spend_thread(const struct timeline *timeline, uint32_t tid, uint64_t from_ns,
			   uint64_t to_ns, struct spent *spent);

/** Return the kind of the thread's wait. */
enum model_wait timeline_wait(const struct timeline *timeline, const struct stay *stay);

/** Return what ended the wait; *@ret_life: the waker's life, MODEL_NONE if it is not recorded. */
enum model_waker timeline_waker(const struct timeline *timeline, const struct stay *stay,
				uint32_t *ret_life);

/**
 * Fill in @account.critical, whose wall_ns is known; it stays NULL without the command's first
 * thread. O(n log n) in stays and faults.
 */
void critical_fill(struct arena *arena, const struct timeline *timeline,
		   struct model_account *account);

/** Fill in @account.waiting, in @arena; @process_count: of its processes. O(n log n) in stays. */
void waits_fill(struct arena *arena, const struct timeline *timeline, size_t process_count,
		struct model_account *account);

/** Time that recording added to thread @tid. */
struct recording_charge {
	uint64_t time_ns, ns;
	uint32_t tid;
};

/**
 * Take out of waits what recording added meanwhile to the threads that they were for, and so on to
 * those that these waited for. O(n log n) in stays and charges.
 */
void awaited_take_out(struct timeline *timeline, struct lives *lives,
		      const struct recording_charge *charges, size_t charge_count);

/**
 * Take the time that recording added out of the states and causes in which it fell, as far as they
 * reach, if @trace knows what it costs. @timeline: of @lives. Faults that it is taken from learn
 * their own time. O((faults + samples + calls) log lives).
 */
void recording_take_out(struct timeline *timeline, struct lives *lives, const struct trace *trace,
			struct arena *arena, const struct model_thread *threads,
			struct all_faults *faults);
