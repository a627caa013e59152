// SPDX-License-Identifier: Apache-2.0
// The result of tuning a start, kept in its folder: the document of `tune --format json`, with all
// words of the command.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "compare/tunedstart.h"
#include "model/shown.h"

/** Write it into its folder. */
bool tuneresult_write(const struct tunedstart *start, struct err *err);

/**
 * Read the result of the folder at @path, and find why its program starts plainly by now. Where
 * there is none, as of a folder that is being made, that is the reason.
 *
 * @ret_start: in @arena, with all words and paths
 */
void tuneresult_read(const char *path, struct arena *arena, struct tunedstart *ret_start);

/** Leave out of @start what is not to be shown; its words stay where @shown has arguments. */
void tuneresult_show(struct tunedstart *start, const struct model_shown *shown,
		     struct arena *arena);
