// SPDX-License-Identifier: Apache-2.0
// Functions that a command enters, by breakpoints that are removed when hit. Needs no privilege.
// What a function's entry is, the caller says: nothing here reads ELF files.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/privilege.h"

#include <stddef.h>
#include <stdint.h>

/** A command that is followed, with all its threads and children. */
struct entries;

/** A file whose code the command mapped for the first time. */
struct entries_file {
	uint32_t file;	       // counts from 0
	const char *path;      // as the process has it; valid until entries_close()
	const char *open_path; // where this process can open the very same file; as long
};

/** A function was entered for the first time by whatever process. */
struct entries_hit {
	uint32_t file;
	uint32_t entry; // index into what entries_arm() got
};

/** The outcome of the command. */
struct entries_result {
	int exit_status;   // the shell's: the command's own, 128 + signal, 127, 126
	uint64_t programs; // that were executed
	uint64_t left;	   // tasks that still ran at its end; they go on without breakpoints
	struct notes notes;
};

enum entries_step {
	ENTRIES_FILE, // give its entries to entries_arm(); without them its code just runs
	ENTRIES_END,  // the command has ended
	ENTRIES_ERROR,
};

/**
 * Start @command as @caller, stopped before its exec.
 *
 * @err: ERR_DENIED (tracing is not allowed, and why), ERR_OS.
 */
bool entries_open(char *const *command, const struct caller *caller, struct entries **ret_entries,
		  struct err *err);

/**
 * Let the command run until there is something to do. Signals to this process that would end it are
 * passed on to the command meanwhile. ENTRIES_ERROR: the command could not be started; the result's
 * exit status says how the shell puts it.
 */
enum entries_step entries_next(struct entries *entries, struct entries_file *ret_file,
			       struct err *err);

/**
 * Breakpoints for the @file that entries_next() has just returned: at these offsets in the file,
 * sorted, each the first byte of an instruction. They are set in every private mapping of the file,
 * now and later, that is not hit yet.
 */
void entries_arm(struct entries *entries, uint32_t file, const uint64_t *offsets, size_t count);

/** In order of first entry; valid until the next entries_next(). */
const struct entries_hit *entries_hits(const struct entries *entries, size_t *ret_count);

/** After ENTRIES_END or ENTRIES_ERROR. */
const struct entries_result *entries_result(const struct entries *entries);

/** Kills the command if it still runs; accepts NULL. */
void entries_close(struct entries *entries);
