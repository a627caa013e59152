// SPDX-License-Identifier: Apache-2.0
// Lists the sections of a file in the order they lie in it.
#pragma once

#include "base/arena.h"
#include "model/layout.h"
#include "elfmap/elfmap.h"

/** The layout of @map, owned by @arena. O(n log n) in sections. */
const struct model_layout *layout_new(struct arena *arena, struct elfmap *map);
