// SPDX-License-Identifier: Apache-2.0
// Raw stacks in memory, each distinct part stored once, until they are unwound and thrown
// away.
#pragma once

#include "base/cleanup.h"
#include "unwind/rawstack.h"

#include <stddef.h>

struct stackspool;

/**
 * @limit_bytes: raw bytes kept at most. As they run short, a growing share of the stacks that are
 * new is left out and counted as lost. Never NULL.
 */
struct stackspool *stackspool_create(uint64_t limit_bytes);

/** Overwrite the bytes, then release; accepts NULL. */
void stackspool_destroy(struct stackspool *spool);

CLEANUP_POINTER(stackspool_destroy, struct stackspool)

/**
 * Keep @stack, or find the equal one: same pid, ip, sp, callee-saved registers, bytes
 * and what it interrupted.
 * Returns its id, from 1; 0 if it had to be dropped. O(bytes).
 */
uint32_t stackspool_add(struct stackspool *spool, const struct raw_stack *stack);

/** As stackspool_add(), for what is not a fault: stackspool_uses() and _lost() do not count it. */
uint32_t stackspool_add_uncounted(struct stackspool *spool, const struct raw_stack *stack);

/** Distinct stacks; ids are 1..count. */
uint32_t stackspool_count(const struct stackspool *spool);

/** Fill @ret_stack except for its bytes: both sizes are 0. O(1). */
void stackspool_get(const struct stackspool *spool, uint32_t id, struct raw_stack *ret_stack);

/**
 * Add the bytes to what stackspool_get() filled in; they are valid until the next call. O(bytes).
 * Returns: false when there is no memory.
 */
bool stackspool_get_bytes(struct stackspool *spool, uint32_t id, struct raw_stack *stack);

/** How many calls of stackspool_add() returned @id. */
uint32_t stackspool_uses(const struct stackspool *spool, uint32_t id);

/** How many calls of stackspool_add() returned 0. */
uint64_t stackspool_lost(const struct stackspool *spool);
