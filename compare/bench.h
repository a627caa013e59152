// SPDX-License-Identifier: Apache-2.0
// Starts of one command, or of two in turn, and the verdict on their wall times.
#pragma once

#include "base/arena.h"
#include "base/notes.h"
#include "compare/signedrank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_COMMANDS = 2 };

enum bench_metric {
	BENCH_WALL, // nanoseconds, as the next two
	BENCH_USER,
	BENCH_SYSTEM,
	BENCH_MINOR, // faults
	BENCH_MAJOR,
	BENCH_METRICS,
};

struct bench_start {
	uint64_t values[BENCH_METRICS];
	uint64_t seq;	// which of all starts it was, from 0
	int64_t status; // the shell's: 128 + n of signal n
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

/** The second command's wall time against the first's. */
struct bench_difference {
	size_t pairs; // of a start of each, one right after the other
	enum bench_verdict verdict;
	double change; // -0.03: it takes 3 % less
	bool has_limits;
	double low, high; // of @change, with 95 % confidence
};

struct bench {
	struct arena arena;
	struct bench_command commands[BENCH_COMMANDS];
	size_t command_count;
	size_t warmups;			    // of each command, before the starts
	struct bench_difference difference; // where there are two commands
	struct notes notes;
};

/**
 * Judge pairs of starts: the ratios of the wall time of @starts[1] to that of @starts[0], one by
 * one. The interval of the typical ratio is Wilcoxon's: what slows down both starts of a pair makes
 * no difference, and a start that was disturbed hardly any.
 */
struct bench_difference bench_judge(const struct bench_start *const *starts, size_t pairs);

/** Fill what follows from the starts. */
void bench_summarize(struct bench *bench);

/** Release what it owns. */
void bench_deinit(struct bench *bench);
