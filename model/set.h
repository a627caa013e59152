// SPDX-License-Identifier: Apache-2.0
// A set of runs of one command, of which a model shows the run nearest to their median. Part of the
// model: plain data. Times are nanoseconds.
#pragma once

#include "model/model.h"

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
	// Of what all threads computed, the share of each cause over all runs: their samples
	// together tell it with less error than those of one. The true share is nearer than the
	// error in 19 of 20 cases.
	bool knows_causes; // of each run
	double computing[MODEL_INITIATORS], computing_error[MODEL_INITIATORS];
	uint64_t samples;
	const char *const *mixed; // paths of files that are of several builds among the runs
	size_t mixed_count;
};

/**
 * Return the computing of all threads because of @initiator in the run that @model shows, divided
 * by the samples of all runs where there are several; with its error. 0: not known.
 */
uint64_t model_computing(const struct model *model, enum model_initiator initiator,
			 uint64_t *ret_error_ns);

/** How many samples divide it. */
uint64_t model_computing_samples(const struct model *model);
