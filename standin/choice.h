// SPDX-License-Identifier: Apache-2.0
// Stand-ins for all that a start does not use.
#pragma once

#include "standin/loaded.h"

/** The choice for one of the loaded files. */
struct standin_choice {
	bool stands;	 // a stand-in takes its place
	bool is_away;	 // it is not loaded at the start: that, or only such ones bring it
	const char *why; // it is not used, and yet has no stand-in; NULL: otherwise
};

/** Faults that a stand-in takes itself, and its place among what is searched, at most. */
enum { STANDIN_FAULTS = 8 };

/**
 * Choose among the files of @loaded that the start does not use, one mark for each in @is_used:
 * none that only another one brings, and none for less than STANDIN_FAULTS of @weights, which are
 * the faults on each.
 *
 * @ret_choices: one for each; @arena owns the reasons
 */
void standin_choose(const struct standin_loaded *loaded, const bool *is_used,
		    const uint64_t *weights, struct arena *arena,
		    struct standin_choice *ret_choices);
