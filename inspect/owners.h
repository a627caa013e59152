// SPDX-License-Identifier: Apache-2.0
// Owners of relocations, for `map --relocations`.
#pragma once

#include "elfmap/elfmap.h"
#include "model/map.h"

/** Fill .owners, .scopes and .sources of @model, whose page size is known. */
void owners_copy(struct map_model *model, struct elfmap *map, const struct map_options *options);
