// SPDX-License-Identifier: Apache-2.0
// What an answer took from files, for a pack that gives the same answer without them.
#pragma once

#include "correlate/replay/objects.h"
#include "depot/pack.h"
#include "model/model.h"

/**
 * Add to @list what was read of the recorded files, once every question was asked, and what their
 * names need. Of files that are no ELF files their kind and beginning, and of the
 * archives that @model names that they are there. Files that are not here,
 * and those that changed, are counted.
 */
void packlist_fill(struct objects *objects, const struct model *model, struct pack_list *list);
