// SPDX-License-Identifier: Apache-2.0
// Samples, stacks and switches as perf's rings deliver them. Serves backend_perf.c.
#pragma once

#include "base/notes.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "bpf/backend.h"
#include "bpf/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execspan {
	uint64_t begin_ns, end_ns; // end_ns UINT64_MAX: no instruction is known to have run
};

/** The last of each process. Zero-initialise; release with execspans_deinit(). */
struct execspans {
	struct u64map by_pid; // -> list
	VEC(struct execspan) list;
};

void execspans_begin(struct execspans *spans, uint32_t pid, uint64_t time_ns);

/** Process @pid ran an instruction of its program at @time_ns. O(1). */
void execspans_end(struct execspans *spans, uint32_t pid, uint64_t time_ns);

/** Whether the exec of process @pid has not ended. O(1). */
bool execspans_is_open(const struct execspans *spans, uint32_t pid);

/** Whether @time_ns is within the last exec of process @pid. O(1). */
bool execspans_has(const struct execspans *spans, uint32_t pid, uint64_t time_ns);

void execspans_deinit(struct execspans *spans);

struct perfclock;

/** The attributes that clock events share with the events of faults. */
struct perfclock_config {
	uint32_t stack_bytes; // of each stack; 0: none
	uint64_t ring_bytes;  // at most; less where it is not allowed
	bool with_kernel;     // also of the kernel, on behalf of the program
};

/** Measure what a sample costs this thread; see clockrate_measure(). */
uint32_t perfclock_measure(const struct perfclock_config *own);

/**
 * Open the clocks of @config's threads, @hz ticks a second, stopped; after the rings of faults,
 * which come first. Returns: NULL on failure.
 */
struct perfclock *perfclock_open(const struct backend_config *config,
				 const struct perfclock_config *own, uint32_t hz, struct err *err);

/** Let @epoll_fd wake when a ring is partly full. */
bool perfclock_watch(const struct perfclock *clock, int epoll_fd);

void perfclock_start(struct perfclock *clock);

/**
 * Deliver samples, some of each ring; fewer are taken from some time on. @execs: of what
 * happened until now. Returns how many records; *@ret_is_behind is set where there may be more.
 */
size_t perfclock_drain(struct perfclock *clock, const struct execspans *execs, struct sink *sink,
		       bool *ret_is_behind);

/** Take no more samples. What is in the rings stays there. */
void perfclock_stop(struct perfclock *clock);

/** How many samples were lost; after the last drain. */
uint64_t perfclock_lost(const struct perfclock *clock);

/** Say what is to be known of the samples of this recording. */
void perfclock_note(const struct perfclock *clock, struct notes *notes);

/** Accepts NULL. */
void perfclock_close(struct perfclock *clock);

/** The key that a fault and its stack share. */
struct stackjoin_key {
	uint64_t order;	   // never falls along the ring of a CPU
	uint64_t identity; // the same of a fault and its stack
};

struct stackjoin_waiting;

/** Waiting faults of one CPU, oldest first. Zero-initialise, set slack; release with _deinit. */
struct stackjoin {
	VEC(struct stackjoin_waiting) waiting;
	size_t first;	  // those before it have been delivered
	uint64_t slack;	  // by how much the orders of a fault and its stack may differ
	uint64_t without; // faults that were delivered without the stack they waited for
};

/** Let @fault wait. O(1). */
void stackjoin_add(struct stackjoin *join, struct stackjoin_key key,
		   const struct trace_fault *fault);

/**
 * The fault with @key, which has waited longest of those with it; NULL if none is waiting. All that
 * came before it are delivered to @sink without a stack: theirs would have come before this one.
 * The fault itself is taken out and valid until the next call. O(1) but for what is delivered, and
 * for as many waiting faults as are not later than @key.
 */
const struct trace_fault *stackjoin_take(struct stackjoin *join, struct stackjoin_key key,
					 struct sink *sink);

/** Deliver, without stacks, faults that have waited since before @order. */
void stackjoin_settle(struct stackjoin *join, uint64_t order, struct sink *sink);

void stackjoin_deinit(struct stackjoin *join);

struct switch_half;

/** Zero-initialise; release with vec_deinit() of .halves. */
struct switchjoin {
	VEC(struct switch_half) halves;
	uint64_t start_ns; // of the recording, where the process ran already; 0: it did not
	uint64_t dropped;  // halves beyond what is kept
};

/** A thread left the processor (@is_out), preempted or not, or came back. */
void switchjoin_add(struct switchjoin *join, uint64_t time_ns, uint32_t pid, uint32_t tid,
		    bool is_out, bool is_preempted);

/** Whether thread @tid was seen to leave or come back. */
bool switchjoin_has(const struct switchjoin *join, uint32_t tid);

/**
 * Deliver all pauses; @end_ns: when the recording ended, which those end that are off still. When
 * a thread was woken is not known: it waited until it came back.
 */
void switchjoin_finish(struct switchjoin *join, uint64_t end_ns, struct sink *sink);
