// SPDX-License-Identifier: Apache-2.0
// How much of files one fault maps at once. Fault-around maps at most 64 KiB, its default; more is
// mapped where the page cache has a larger folio, which Linux maps whole since 6.18.
#pragma once

#include "model/model.h"

#include <stdint.h>

enum { WINDOWS_AROUND = 64 << 10 }; // bytes

/** Faults by the window that came with them; those of which none is known do not count. */
struct windows {
	uint64_t known;
	uint64_t large;	  // more than WINDOWS_AROUND
	uint64_t largest; // bytes
};

/** Count those of the faults shown. O(faults). */
struct windows windows_count(const struct model *model);
