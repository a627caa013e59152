// SPDX-License-Identifier: Apache-2.0
// The computing of relocation, divided by numbers of relocations.
#pragma once

#include "model/model.h"
#include "model/relocation.h"

/** All relocations of @relocation, which may be NULL. */
uint64_t relocating_count(const struct model_relocation *relocation);

/**
 * The part of relocating all files, as samples tell it for all threads, that @relocations have by
 * their number. False: it is not known, or faults are left out.
 */
bool relocating_share(const struct model *model, uint64_t relocations, uint64_t *ret_ns);
