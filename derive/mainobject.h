// SPDX-License-Identifier: Apache-2.0
// The file that a picture of a whole run is about, if nobody chose one: one rule for all of them.
#pragma once

#include "model/model.h"

/**
 * Return the ELF file with most of its own time in the faults shown; where no time is known, with
 * most faults. Only files that a program ran or linked with compete, not those that it read, such
 * as a linker's input. Where none has a twentieth of the whole, whatever faulted most.
 * MODEL_NONE: nothing faulted. O(faults).
 */
uint32_t mainobject_find(const struct model *model);
