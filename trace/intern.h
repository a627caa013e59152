// SPDX-License-Identifier: Apache-2.0
// Equal bytes once: a trace repeats paths and call stacks far more often than it has new ones.
// Serves the reader, and import/.
#pragma once

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"

struct interned {
	const void *bytes;
	size_t size;
};

/** Set the arena, which the copies live in; release with intern_deinit(), which keeps them. */
struct intern {
	struct arena *arena;
	struct u64map index; // hash of the bytes -> in kept
	VEC(struct interned) kept;
};

/** The copy of these bytes if there is one; NULL: they are new. Adds nothing. */
const void *intern_find(const struct intern *intern, const void *bytes, size_t size);

/** The copy of these bytes, aligned for any object and followed by a NUL; never NULL. */
const void *intern_bytes(struct intern *intern, const void *bytes, size_t size);

void intern_deinit(struct intern *intern);
