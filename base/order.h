// SPDX-License-Identifier: Apache-2.0
// What comparisons for sorting are made of. The first difference decides:
// return ORDER(x->page, y->page) ?: ORDER(y->faults, x->faults) ?: strcmp(x->name, y->name);
#pragma once

#include <stdint.h>

/** Negative, 0 or positive as @a is below, equal to or above @b. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/** For qsort(): numbers of 64 bits, the smallest first. */
static inline int order_u64(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}
