// SPDX-License-Identifier: Apache-2.0
// Tuned starts as plain data: what was tried, measured and kept, for screens and documents.
#pragma once

#include "compare/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Plain starts against tuned ones: medians, and the verdicts on the tuned one. */
struct tunedstart_measure {
	bool is_known; // it was measured
	double own_ns[BENCH_COMMANDS], processor_ns[BENCH_COMMANDS], faults[BENCH_COMMANDS];
	struct bench_difference own, processor;
};

/** A library that a start does not use and that stays all the same, with the reason. */
struct tunedstart_refusal {
	const char *library, *why;
	uint64_t faults; // of a plain start, on it
};

/** A link of the program that would save faults, for who builds it. */
struct tunedstart_link {
	const char *how;
	uint64_t faults; // that it saves
	const char *is;	 // "prediction", "at-least", "at-most": how they are known
};

/** A start that `elfault tune` has looked at. Strings are borrowed. */
struct tunedstart {
	const char *name;      // --undo takes it: of the folder, or its path
	const char *folder;    // where all of it is
	const char *program;   // that is executed
	const char *directory; // in which it was tuned
	const char *until;     // condition at which a start is over; NULL: its end
	bool refreshes;	       // by itself, after an upgrade
	bool is_script;	       // no stand-ins are for that
	const char *subject;   // of a script, another program that most of the time is of, or NULL
	const char *const *words;
	size_t word_count;
	int64_t time_s; // when it was tuned, since 1970

	const char *const *standins; // libraries with one
	size_t standin_count;
	uint64_t file_count, away_count; // loaded by a plain start; of these left out
	uint64_t predicted_faults;	 // that stand-ins save
	const char *differs; // what a start with stand-ins does otherwise; NULL: nothing
	struct tunedstart_measure with_standins; // warm, without a list
	bool keeps_standins;

	uint64_t list_bytes;		// 0: no list
	struct tunedstart_measure cold; // all that is kept, and the list
	struct tunedstart_measure warm; // the same
	bool keeps_list;

	const struct tunedstart_refusal *refusals;
	size_t refusal_count;
	const struct tunedstart_link *links; // most faults first
	size_t link_count;
	const char *unidentified; // a file without a build-id, told by size and time; NULL: none
	const char *plainly;	  // why the program starts plainly now; NULL: it does not
};

/** Starts, in the order of their names. */
struct tunedstarts {
	const struct tunedstart *items;
	size_t count;
};

/** True if anything of @start is kept. */
static inline bool tunedstart_pays(const struct tunedstart *start)
{
	return start->keeps_standins || start->keeps_list;
}

/**
 * Judge a measure: the own time, or where that is within noise, as on a busy machine, what the
 * start computes.
 */
static inline enum bench_verdict tunedstart_verdict(const struct tunedstart_measure *measure)
{
	const enum bench_verdict own = measure->own.verdict;
	const enum bench_verdict processor = measure->processor.verdict;

	return own == BENCH_NO_DIFFERENCE && processor != BENCH_TOO_FEW ? processor : own;
}

/** True if @difference leaves no room for a loss that would be noticed. */
static inline bool tunedstart_excludes_loss(const struct bench_difference *difference)
{
	const double noticed = 0.05;

	return difference->verdict == BENCH_FASTER ||
	       (difference->has_limits && difference->high <= noticed);
}

/**
 * True if a measure shows that the tuned start is not slower: where no difference is shown, a loss
 * has to be excluded as well, which takes enough starts. The processor time decides only where the
 * own time is too vague.
 */
static inline bool tunedstart_is_harmless(const struct tunedstart_measure *measure)
{
	return measure->own.verdict != BENCH_SLOWER &&
	       (tunedstart_excludes_loss(&measure->own) ||
		(tunedstart_verdict(measure) != BENCH_SLOWER &&
		 tunedstart_excludes_loss(&measure->processor)));
}
