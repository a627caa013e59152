// SPDX-License-Identifier: Apache-2.0
// What a machine's psABI says that the walkers of this folder need: relocation types.
#pragma once

#include "elfmap/elfmap.h"

/**
 * The class of relocation @type of @machine.
 *
 * Returns: false if the type is not one a dynamic linker meets, or the machine is unknown.
 * Sources: the psABI supplements, as written down in <elf.h>.
 */
bool elfmap_relocation_class(uint16_t machine, uint32_t type,
			     enum elfmap_relocation_class *ret_class);

/** The relative type, which DT_RELR implies; false for a machine that is not known. */
bool elfmap_relative_type(uint16_t machine, uint32_t *ret_type);
