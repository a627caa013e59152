// SPDX-License-Identifier: Apache-2.0
// Tuned starts: listed, checked, printed again, measured again, removed.
#pragma once

#include "base/arena.h"
#include "cli/option/option.h"
#include "compare/tunedstart.h"

/**
 * Read the results of the folders @names, or of all where there is none, in @arena. False: one of
 * them does not exist, which was said.
 */
bool manage_find(const struct option_words *names, struct arena *arena,
		 struct tunedstarts *ret_starts);

/** Tune again those of @names, or all that start plainly. False: one failed, which was said. */
bool manage_refresh(const struct option_words *names, size_t runs,
		    const struct option_values *shared, struct arena *arena,
		    struct tunedstarts *ret_starts);

/** Remove the folder @name; says so, or why not. */
bool manage_undo(const char *name);
