// SPDX-License-Identifier: Apache-2.0
// A set of runs of one command, of which a model shows the run nearest to their median. Part of the
// model: plain data. Times are nanoseconds.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Figures that are told of each set. The first seven are the first thread's of the subject. */
enum model_set_figure {
	MODEL_SET_OWN, // the program's doing: neither waiting for a processor nor recording
	MODEL_SET_CPU,
	MODEL_SET_FAULT,
	MODEL_SET_STORAGE, // in faults or outside
	MODEL_SET_WAIT,
	MODEL_SET_LATE,
	MODEL_SET_RECORDING,
	MODEL_SET_WALL,	     // of the command, without what recording added
	MODEL_SET_PROCESSOR, // of all its threads, likewise
	MODEL_SET_FAULTS,
	MODEL_SET_FIGURES,
};

/** Of all runs. */
struct model_spread {
	uint64_t least, median, most;
};

/** Medians of runs that were not recorded, in turn with those that were: see model_plain. */
struct model_set_plain {
	size_t count; // 0: there were none
	uint64_t wall_ns, processor_ns, faults;
};

struct model_set {
	const char *path; // the directory
	size_t count;
	size_t incomplete; // runs that lack faults, or whose trace ends early
	const char *shown; // the trace of the run nearest to the median of own time, or of faults
	bool has_times;	   // of each run: else all figures but faults are 0
	struct model_spread figures[MODEL_SET_FIGURES];
	struct model_set_plain plain;
	const char *const *mixed; // paths of files that are of several builds among the runs
	size_t mixed_count;
};
