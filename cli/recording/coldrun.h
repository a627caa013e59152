// SPDX-License-Identifier: Apache-2.0
// The files that `record --cold` and `--exact` are about.
#pragma once

#include "record/record.h"

/**
 * Find the files that the command maps: of @trace, or of a former trace of it at options->output or
 * beside it. Without one the command is recorded once for this.
 *
 * @trace:  NULL: not named
 * @is_set: options->output is a directory of traces
 * Returns: 0, or the exit status; why was said.
 */
int coldrun_find_files(const struct record_options *options, const char *trace, bool is_set,
		       bool is_quiet, struct record_files **ret_files);
