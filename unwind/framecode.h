// SPDX-License-Identifier: Apache-2.0
// Code without unwinding data: whether a function keeps a frame pointer, told by its
// instructions.
#pragma once

#include "unwind/image.h"

enum framecode_state {
	FRAMECODE_UNKNOWN,
	FRAMECODE_ENTERED, // nothing is pushed yet: sp is at the return address
	FRAMECODE_PUSHED,  // the frame pointer is pushed, and is still the caller's
	FRAMECODE_KEPT,	   // the frame pointer is its own
};

/**
 * Return what the function around @vaddr has made of its frame when it comes there.
 *
 * @vaddr:     of an instruction, or of what follows a call
 * @ret_start: where it pushes the frame pointer, or begins if it does not; unless FRAMECODE_UNKNOWN
 *
 * For FRAMECODE_KEPT three things have to agree: the nearest "push %rbp" before @vaddr with its
 * "mov %rsp,%rbp"; the instructions from there to @vaddr, of which none pushes rbp again; and those
 * that follow, which address memory by rbp or restore it before any other function begins. Code
 * without a frame pointer that stands behind a function with one has nothing of the third.
 * A function without a prologue is known only at its first instruction, by the padding (int3)
 * before it. Remembered per @vaddr.
 */
enum framecode_state framecode_at(struct image *image, uint64_t vaddr, uint64_t *ret_start);

/**
 * True if a call of @target may have come to the function that pushes rbp at @start: it is that
 * function, or jumps to it, or to where nobody knows.
 */
bool framecode_is_called(struct image *image, uint64_t target, uint64_t start);

/**
 * True if what begins at @target goes on to @start without a jump: what a function does before it
 * makes a frame.
 */
bool framecode_runs_into(const struct image *image, uint64_t target, uint64_t start);
