// SPDX-License-Identifier: Apache-2.0
// Why code ran, told without a call stack: only where address, section and relocations leave one
// answer.
#pragma once

#include "correlate/linking.h"
#include "correlate/role.h"
#include "correlate/touch.h"

/** How far a program has come, by the faults that it had so far. */
struct phase {
	bool has_entered; // the program's entry point was reached
	bool was_in_main;
	bool has_left_loader; // code other than the dynamic linker's and resolvers' has run
};

/**
 * The initiator, MODEL_INITIATOR_UNKNOWN where several would do. For faults whose bytes do not tell
 * by themselves, whoever reads them: see by_bytes() in initiator.c.
 */
enum model_initiator rule_decide(const struct builder *builder, struct roles *roles,
				 const struct linking *linking, const struct phase *phase,
				 const struct model_fault *fault, enum touch touch);
