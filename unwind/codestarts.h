// SPDX-License-Identifier: Apache-2.0
// Functions of a file that states none, found in its code.
#pragma once

#include "unwind/image.h"

/**
 * Find where a function may begin, before @vaddr: the nearest such address below *@at, which
 * becomes that.
 *
 * At 16 bytes, and what is called directly anywhere in the file, or what nothing goes on or jumps
 * to. The code is read as a whole when it is first asked for. *@ret_is_called: it is the former,
 * before which no function that holds @vaddr begins. Returns: false if there is none within 16 KiB.
 */
bool codestarts_before(struct image *image, uint64_t vaddr, uint64_t *at, bool *ret_is_called);
