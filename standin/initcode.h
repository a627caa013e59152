// SPDX-License-Identifier: Apache-2.0
// The code that a file runs by itself when it is loaded and when it goes.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "elfmap/elfmap.h"

/** Functions that initializers or finalizers reach, as far as calls and jumps can be followed. */
struct standin_initcode {
	struct u64map functions; // by vaddr
	VEC(uint64_t) list;	 // the same, in the order they were found
	// Names of other files' functions that they call or jump to; borrowed from the map.
	VEC(const char *) calls;
};

/** Follow the code of @map. Without @has_finalizers of initializers alone. */
void standin_initcode_init(struct standin_initcode *code, struct elfmap *map, bool has_finalizers);
void standin_initcode_deinit(struct standin_initcode *code);
