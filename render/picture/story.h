// SPDX-License-Identifier: Apache-2.0
// The beginning of SVG and terminal pictures: where the time of the command went, in a sentence and
// as a bar by cause and state, what to change, and what its first thread did over time.
#pragma once

#include "base/arena.h"
#include "model/account.h"
#include "render/picture/scale.h"
#include "render/terminal.h"

/** Findings that are named. */
enum { STORY_CURES = 3 };

/** Own time of one cause in one state. */
struct story_cell {
	enum model_initiator cause;
	enum model_state state; // cpu, fault, fault-io or file-io
	uint64_t ns;
};

struct story {
	const char *time;   // "84.3 ms + 26.5 ms waiting for a processor"
	const char *causes; // "program 82.7 ms, exec 1.2 ms; 440.0 us of it waits for storage"
	uint64_t own_ns;    // what the cells add up to
	const struct story_cell *cells; // by cause, dearest first
	size_t cell_count;
	const char *cures[STORY_CURES]; // "5.2 ms at most: Names are searched ...: COMMAND"
	size_t cure_count;
};

/** Tell where the time of @model's subject went, in @arena; false without an account. */
bool story_tell(struct story *story, const struct model *model, const struct terminal *terminal,
		struct arena *arena);

/** A stretch of a lane in which its thread mostly did one thing. */
struct story_span {
	unsigned first, end; // columns
	enum model_initiator cause;
	enum model_state state;
};

/** A row over time. */
struct story_row {
	const char *label;
	uint64_t ns; // of waits for a file; 0: another row
	const struct story_span *spans;
	size_t span_count;
};

/** Rows at most: the first thread, initializers, waits by file. */
enum { STORY_FILES = 4, STORY_ROWS = 2 + STORY_FILES };

/**
 * Find what the subject's first thread did, when its process ran initializers and for which files
 * it waited in faults, dearest first, in each of @columns columns from @scale's start on, in
 * @arena; none where that is not known.
 */
const struct story_row *story_rows(const struct model *model, const struct scale *scale,
				   unsigned columns, struct arena *arena, size_t *ret_count);
