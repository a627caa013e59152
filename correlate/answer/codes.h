// SPDX-License-Identifier: Apache-2.0
// What stands in source and machine code where faults happened: lines, inlined functions,
// instructions.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/replay/instruction.h"

/**
 * Fill model.codes, model.inlined and .by_code of every fault; with @frames .code of the
 * frames of their stacks and of those of model.moments, too, without instructions. Each distinct
 * instruction is looked at once, and no DWARF is opened of files whose code is not among them.
 */
void codes_fill(const struct rows *rows, struct shown_faults *faults,
		struct instructions *instructions, bool frames);
