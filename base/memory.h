// SPDX-License-Identifier: Apache-2.0
// How much memory a command may take. Files that others wrote decide how much it wants, so each
// piece is held against the limit before it is taken.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Return the free memory of the machine and of this process's control group; UINT64_MAX if unknown.
 */
uint64_t memory_free(void);

/** Bytes that this process has of its own now. */
uint64_t memory_used(void);

/**
 * From now on let this process have at most @bytes of its own; 0: as much as there is.
 * @name: what the limit is called in messages, "the 4.0 GiB that --memory allows"; borrowed
 */
void memory_limit(uint64_t bytes, const char *name);

/** True if @bytes more than now are within the limit. */
bool memory_allows(uint64_t bytes);

/** Return the name of the limit; NULL: there is none. */
const char *memory_limit_name(void);

/** @bytes are about to be taken; false where they would exceed the limit. */
bool memory_take(size_t bytes);
