// SPDX-License-Identifier: Apache-2.0
// Faults of COPY relocations: a program that takes the address of a library's data for a constant
// gets a copy of the data at load, and the library uses the copy as well.
#pragma once

#include "model/model.h"

#include <stdbool.h>

/** Is @fault a write of relocation to a page that holds no slot but what COPY relocations copy? */
bool copies_has(const struct model *model, const struct model_fault *fault);
