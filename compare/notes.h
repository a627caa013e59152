// SPDX-License-Identifier: Apache-2.0
// Notes on the comparison as a whole.
#pragma once

#include "compare/compare.h"

/** Add notes about the runs and the runs' own, merged per side; call it when all runs are known. */
void comparison_note_runs(struct comparison *comparison);
