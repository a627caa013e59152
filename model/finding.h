// SPDX-License-Identifier: Apache-2.0
// Findings: what the numbers show, what to change, and what that saves.
#pragma once

#include "model/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The saving of an advice. */
struct model_saving {
	uint64_t faults;      // where are_waits: that no longer wait for storage
	uint64_t read_bytes;  // that storage need not deliver where the files are not in memory
	uint64_t duration_ns; // in faults, computing outside them, and waiting for storage
	uint64_t storage_ns;  // of duration_ns: waiting for storage
	enum model_bound is;
	// Of a prediction, in 19 of 20 cases; 0: not measured.
	uint64_t error_faults, error_ns;
	bool are_waits;
	uint64_t beside_ns; // of duration_ns: if the findings before it are followed as well
};

/** The fix for one who can act. */
struct model_cure {
	enum model_for who;
	const char *text;
};

/** The facts of a finding about one file. */
struct model_finding_file {
	uint32_t object;			     // into model.objects
	uint64_t faults, pages, duration_ns, own_ns; // as in struct model_count
	struct model_saving saves;
	const char *evidence;
};

/** A conclusion of advice/trace/: what the numbers show, and what to change. */
struct model_finding {
	const char *id; // "relative-relocations-without-relr": stable, for scripts
	const char *title;
	uint32_t object; // that it concerns, MODEL_NONE: all, or those of files
	// The files that it concerns, what costs most first; none: the run.
	const struct model_finding_file *files;
	size_t file_count;
	// The faults it speaks of are among those that this condition, as --where has them, leaves;
	// NULL: no condition tells them from others.
	const char *where;
	uint64_t faults; // what it costs
	uint64_t pages;
	uint64_t duration_ns;  // of these faults
	uint64_t own_ns;       // likewise: running, or waiting for storage
	uint64_t major_ns;     // of own_ns: waiting for storage
	uint64_t cpu_ns;       // computing for the same cause outside faults, by samples
	uint64_t cpu_error_ns; // the true time is nearer to cpu_ns in 19 of 20 cases
	struct model_saving saves;
	const char *evidence;
	const struct model_cure *cures; // at least one; the first is the nearest
	size_t cure_count;
	const char *advice; // all cures as one text
	// Subjects of the finding by name: the libraries that go, the dearest initializers;
	// NULL: its files say that.
	const char *names;
	const char *command; // of the first cure that has one: what to type, alone; NULL: none
};
