// SPDX-License-Identifier: Apache-2.0
// Starts of one command, or of two in turn, and the verdict on their own times.
#pragma once

#include "base/arena.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_COMMANDS = 2 };

enum bench_metric {
	BENCH_OWN, // nanoseconds, as the next five: BENCH_WALL without BENCH_LATE
	BENCH_WALL,
	BENCH_PROCESSOR, // of all threads
	BENCH_USER,	 // what it consists of; 0 of a start until a condition
	BENCH_SYSTEM,
	BENCH_LATE,  // of the wall time: the first thread waited for a processor; 0: or unknown
	BENCH_MINOR, // faults
	BENCH_MAJOR,
	BENCH_METRICS,
};

struct bench_start {
	uint64_t values[BENCH_METRICS];
	uint64_t seq;	// which of all starts it was, from 0
	int64_t status; // the shell's: 128 + n of signal n
	bool is_whole;	// it ran to its end; else until a condition
};

/** The values of all starts of a command. */
struct bench_summary {
	double median, low_quartile, high_quartile;
	uint64_t least, greatest;
};

struct bench_command {
	const char *const *words; // as they may be shown
	size_t word_count;
	const struct bench_start *starts; // in their order
	size_t count;
	size_t failures; // starts whose status is not 0
	bool is_whole;
	struct bench_summary summaries[BENCH_METRICS];
};

enum bench_verdict {
	BENCH_FASTER, // the second command than the first
	BENCH_SLOWER,
	BENCH_NO_DIFFERENCE, // none is shown; which does not say that there is none
	BENCH_TOO_FEW,	     // starts for any verdict
};

/** "faster", "slower", "no-difference", "too-few". */
const char *bench_verdict_name(enum bench_verdict verdict);

/** A time of the second command against the first's. */
struct bench_difference {
	size_t pairs; // of a start of each, one right after the other
	enum bench_verdict verdict;
	double change; // -0.03: it takes 3 % less
	bool has_limits;
	double low, high; // of @change, with 95 % confidence
};

/** The difference as recordings of both commands show it. */
struct bench_reason {
	bool is_found;
	// The part of the time that differs most, of what differs for sure and goes the same way.
	bool has_time;
	bool is_main;		    // of the command's first thread; else of all threads
	uint32_t state;		    // enum model_state
	uint32_t initiator;	    // enum model_initiator; MODEL_NONE: nobody's, a wait
	double before_ns, after_ns; // medians
	// The change of builds or runs that goes with it; NULL: none is known.
	const char *finding; // its id, as `diff` has it
	const char *title;   // a sentence without a full stop
};

/** A part of a start. */
struct bench_part {
	uint32_t initiator; // enum model_initiator; MODEL_NONE: waiting for anything but storage
	uint64_t ns;
};

struct bench {
	struct arena arena;
	struct bench_command commands[BENCH_COMMANDS];
	size_t command_count;
	size_t warmups; // of each command, before the starts
	bool is_cold;	// their files had left the page cache
	// By which starts ended, as --until has it; NULL: they ended by themselves.
	const char *until;
	// Of two commands: of their own time, and of the processor time of their threads.
	struct bench_difference difference, processor_difference;
	size_t recorded;	    // starts of each command that were recorded afterwards
	struct bench_reason reason; // where there is a difference to explain
	// Of one command: what the first thread of a recorded start spent its time on, most first.
	const struct bench_part *parts;
	size_t part_count;
	const char *no_reason; // why neither was looked for; NULL: it was
	struct notes notes;
};

/**
 * Judge pairs of starts: the ratios of a @time of @starts[1] to that of @starts[0], one by
 * one. The interval of the typical ratio is Wilcoxon's: what slows down both starts of a pair makes
 * no difference, and a start that was disturbed hardly any.
 */
struct bench_difference bench_judge(const struct bench_start *const *starts, size_t pairs,
				    enum bench_metric time);

/** The number of pairs at which to look at the interval, after @pairs of them. */
size_t bench_next_look(size_t pairs);

/**
 * Are @pairs enough, where nobody has said how many? The interval is so narrow then that it mostly
 * lacks 0 % where the difference is 3 %, or it took longer than @limit_ns.
 *
 * @look: when to look next, which is seldom, and then at the width alone: whoever stops when a
 * difference shows finds one sooner or later. From bench_next_look(0) on.
 */
bool bench_has_enough(const struct bench_start *const *starts, size_t pairs, uint64_t elapsed_ns,
		      uint64_t limit_ns, size_t *look);

/** Fill what follows from the starts. */
void bench_summarize(struct bench *bench);

struct comparison;
struct model_account;

/**
 * Find the reason for the difference: in @comparison, which is of recorded starts of both commands,
 * with its findings. Nothing is a reason that recordings do not show for sure, that goes the other
 * way, or that is less than a fifth of the difference.
 */
void bench_explain(struct bench *bench, const struct comparison *comparison);

/** Divide the start of a single command, as @account has it. */
void bench_divide(struct bench *bench, const struct model_account *account);

/** Is the difference beyond noise, as plain starts have it? */
bool bench_has_difference(const struct bench *bench);

/** The difference in nanoseconds, of the first command's median; negative: the second is faster. */
double bench_difference_ns(const struct bench *bench);

/** Release what it owns. */
void bench_deinit(struct bench *bench);
