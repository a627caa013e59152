// SPDX-License-Identifier: Apache-2.0
// Numbers that stand for texts: each text is written once.
#pragma once

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise to use; release with textids_deinit(). */
struct textids {
	struct arena arena;
	struct u64map by_hash, by_pointer;
	VEC(const char *) texts;
};

/** The number of @text, which is copied: 0, 1 and so on. *@ret_is_new: it had none before. */
uint32_t textids_copy(struct textids *ids, const char *text, size_t length, bool *ret_is_new);

/** The same for text that neither moves nor changes: looked at once, then known by its address. */
uint32_t textids_of(struct textids *ids, const char *text, bool *ret_is_new);

void textids_deinit(struct textids *ids);
