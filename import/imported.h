// SPDX-License-Identifier: Apache-2.0
// The result that readers of logs fill, each in its own way: a trace in memory, and oddities.
// Serves import/.
#pragma once

#include "base/arena.h"
#include "base/lines.h"
#include "base/notes.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "import/import.h"
#include "trace/intern.h"
#include "trace/trace.h"

/** Protection where the log does not tell: only then is no access concluded from it. */
#define IMPORTED_ANY (TRACE_PROTECTION_READ | TRACE_PROTECTION_WRITE | TRACE_PROTECTION_EXEC)

/** A file whose name the log does not tell, or not to the end. */
#define IMPORTED_FILE "[file]"

/** Lines that are not as they should be: how many, and which was the first. */
struct imported_odd {
	uint64_t count, first;
};

struct imported {
	struct arena arena;
	struct intern strings; // and frames
	const char *source;    // name of the log, without its folders
	const char *folder;
	enum import_format format;
	struct trace_meta meta;
	struct trace_summary summary;
	VEC(struct trace_fault) faults;
	VEC(struct trace_mapping) mappings;
	VEC(struct trace_task) tasks;
	VEC(struct trace_stack) stacks; // by id, from 1
	struct u64map by_frames;	// address of interned frames -> id of a stack
	VEC(struct trace_identity) files;
	struct notes notes;
	uint64_t lines;
	struct imported_odd odd;	  // not understood
	struct imported_odd odd_faults;	  // faults as it seems, but damaged
	struct imported_odd odd_mappings; // mappings and tasks likewise
	uint64_t cut_line;		  // the last line, if it has no newline; 0: it has
};

/** Reads all lines of one format. Notes of what the format lacks are the reader's. */
typedef bool imported_reader(struct imported *imported, struct lines *lines, struct err *err);
imported_reader perfscript_read, bpftrace_read, offsets_read;

/** Whether a line can only be of that format. */
typedef bool imported_detector(const struct text_line *line);
imported_detector perfscript_is, bpftrace_is, offsets_is;

/** Take the next line, and count it. */
bool imported_next(struct imported *imported, struct lines *lines, struct text_line *ret_line);

/** Count @line among those that are odd in that way. */
void imported_count_odd(struct imported_odd *odd, const struct text_line *line);

/** A string with this content, the same one each time. */
const char *imported_string(struct imported *imported, const char *text, size_t length);

/**
 * Add a mapping of whole pages. False if it is none: empty, or beyond the end of all addresses.
 * path: of imported_string(), or static.
 */
bool imported_map(struct imported *imported, struct trace_mapping mapping);

/** A task got this name, which is cut where it is too long. EXEC or COMM. */
void imported_name_task(struct imported *imported, struct trace_task task, const char *comm,
			size_t length);

/** No command is known to have been started: it is about the process with most faults. */
void imported_attach(struct imported *imported);

/** The id of a stack with these frames, the same one each time; 0 without frames. */
uint32_t imported_stack(struct imported *imported, const uint64_t *frames, uint32_t count);
