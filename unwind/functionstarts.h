// SPDX-License-Identifier: Apache-2.0
// The first bytes of functions, as far as their file states them.
#pragma once

#include "unwind/image.h"

/**
 * Find the last start of a function at or before @vaddr: by symbols, and by the arrays of
 * initializers and finalizers, which stripped files have, too. Others may lie between. The file is
 * read at its first call, then O(log functions). Returns: false if there is none.
 */
bool functionstarts_find(struct image *image, uint64_t vaddr, uint64_t *ret_start);
