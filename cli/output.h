// SPDX-License-Identifier: Apache-2.0
// A file that a command writes: without a name where possible, and renamed on success, so that an
// existing file stays until then. What is no regular file (/dev/stdout, a pipe) is written as it
// is, and behind a symbolic link the file that it leads to.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
	const char *path;
	char *target;	      // what path leads to
	struct strbuf beside; // its name until then; empty: written in place
	bool is_unnamed;      // it has this name only when it is complete
	FILE *file;
};

/** Begin; on failure prints a message. End with output_finish(). */
bool output_start(struct output *output, const char *path);

/**
 * Put the file in its place if @ok, take it away otherwise; @err, then, says what went wrong, and
 * is printed unless its message is empty. Returns whether the file is there.
 */
bool output_finish(struct output *output, bool ok, struct err *err);
