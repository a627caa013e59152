// SPDX-License-Identifier: Apache-2.0
// What goes with all of a comparison, for the person who reads it.
#pragma once

#include "compare/compare.h"

/** Add what the runs and their own notes say, one note for all runs of a side: when all are known.
 */
void comparison_note_runs(struct comparison *comparison);
