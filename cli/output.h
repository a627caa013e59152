// SPDX-License-Identifier: Apache-2.0
// A file that a command writes: beside its place, and renamed when all is well, so that what stood
// there before stays until then.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
	const char *path;
	struct strbuf beside;
	FILE *file;
};

/** Begin; otherwise why not was said. To be ended with output_finish(). */
bool output_start(struct output *output, const char *path);

/**
 * Put the file in its place if @ok, take it away otherwise; @err, then, says what went wrong, and
 * is printed unless its message is empty. Returns whether the file is there.
 */
bool output_finish(struct output *output, bool ok, struct err *err);
