// SPDX-License-Identifier: Apache-2.0
// The trace file: written under a temporary name with the caller's rights, then put in its place.
#pragma once

#include "base/err.h"
#include "bpf/privilege.h"

struct output {
	const struct caller *caller;
	const char *path; // borrowed
	char *temporary;
	int fd; // -1: not open
};

/**
 * Create the file beside @path, mode 0600. Refuses a @path that is there and is no regular file.
 * @err: ERR_INPUT, ERR_OS.
 */
bool output_open(struct output *output, const char *path, const struct caller *caller,
		 struct err *err);

/** Keep an older file as PATH.old and take its place. */
bool output_commit(struct output *output, struct err *err);

/** Close; remove the file if it was never committed. */
void output_close(struct output *output);
