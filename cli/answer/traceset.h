// SPDX-License-Identifier: Apache-2.0
// The traces named on a command line: a file is one trace, a directory is a set of
// repeats, as `elfault record --repeat` writes it.
#pragma once

#include "base/vec.h"
#include "trace/trace.h"

#include <stdbool.h>

struct traceset {
	VEC(const char *) paths; // owned
};

/**
 * Add what @word stands for: itself, or each *.trace of the directory @word, in the order of their
 * numbers (2.trace before 10.trace); hidden files are no traces. Root's rights are given up first,
 * for good, where someone else called sudo.
 *
 * Returns: false where why not was said: the directory cannot be read or holds no trace. A file
 * that is no trace, or is not there, is for its reader to refuse.
 */
bool traceset_add(struct traceset *set, const char *word);
/** True if @word is a directory, which stands for the traces in it. */
bool traceset_is(const char *word);
/** Add the traces of each of @words; false if traceset_add() fails for one of them. */
bool traceset_add_all(struct traceset *set, const char *const *words, size_t count);
void traceset_deinit(struct traceset *set);

/**
 * For a command that reads one trace: if @word is a directory with traces, say what to type instead
 * and return true. @command: its name, for the message
 */
bool traceset_refuse(const char *command, const char *word);

/** Read the one trace of @command; if that fails print why, by traceset_refuse() where it applies.
 */
bool traceset_read(const char *command, const char *path, struct trace **ret_trace);
