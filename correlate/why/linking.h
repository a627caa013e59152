// SPDX-License-Identifier: Apache-2.0
// The dynamic linker's work: relocation, symbol lookup, TLS, or the rest.
#pragma once

#include "correlate/why/context.h"
#include "correlate/why/touch.h"

/**
 * Functions that relocate and look names up, learned from what faults touched, so that no symbols
 * of the dynamic linker are needed: who writes the slots or reads the relocations of other objects
 * relocates; what it calls to read lookup tables looks up.
 */
struct linking;

/**
 * @contexts: what each stack says, beside rows->stacks
 * @touch:    enum touch of every fault
 * All is borrowed, @contexts, @faults and @touch for the call.
 */
struct linking *linking_learn(const struct rows *rows, struct roles *roles,
			      const struct context *contexts, const struct all_faults *faults,
			      const uint8_t *touch);
void linking_destroy(struct linking *linking);

/** True if a function that relocates is among the frames of the dynamic linker's run. */
bool linking_relocates(const struct linking *linking, const struct model_fault *fault,
		       const struct context *context);

/** The same for one that looks names up. */
bool linking_looks_up(const struct linking *linking, const struct model_fault *fault,
		      const struct context *context);

/** True if a program that no dynamic linker starts is relocating itself; its main has not begun. */
bool linking_relocates_itself(const struct linking *linking, const struct model_fault *fault,
			      enum touch touch);
