// SPDX-License-Identifier: Apache-2.0
// Facts of a machine's psABI that the walkers of this folder need: how a relocation states its
// type, and what it means.
#pragma once

#include "elfmap/elfmap.h"

#include <elf.h>

/**
 * The eight bytes of a 64-bit MIPS file's r_info are a symbol (4), a second one, and three types,
 * the first of them last. What a little-endian file says as one number is put in that order here.
 */
static inline uint64_t elfmap_mips_info(uint64_t info)
{
	return info << 32 | (info >> 56 & 0xff) | (info >> 40 & 0xff00) | (info >> 24 & 0xff0000) |
	       (info >> 8 & 0xff000000);
}

/** Split r_info into the type and the index of the symbol. Inline: asked of each relocation. */
static inline void elfmap_relocation_info(const struct elfmap_info *file, uint64_t info,
					  uint32_t *ret_type, uint32_t *ret_symbol)
{
	if (file->machine == EM_MIPS && file->is_64bit && !file->big_endian)
		info = elfmap_mips_info(info);
	*ret_type = (uint32_t)info;	      // low half
	*ret_symbol = (uint32_t)(info >> 32); // high half
	// MIPS keeps the types of two more steps beside the type, SPARC a second addend.
	if (!file->is_64bit || file->machine == EM_MIPS || file->machine == EM_SPARCV9)
		*ret_type &= 0xff;
	if (!file->is_64bit)
		*ret_symbol = (uint32_t)(info >> 8); // of a number of 32 bits
}

/** False for R_*_NONE, which writes nothing (its number is 0, AArch64 has 256 too). */
static inline bool elfmap_relocation_writes(const struct elfmap_info *file, uint32_t type)
{
	return type != 0 && !(file->machine == EM_AARCH64 && type == 256);
}

/**
 * The class of relocation @type of @machine, for slots with or without a symbol.
 *
 * Returns: false if the type is not one a dynamic linker meets, or the machine is unknown.
 * Sources: the psABI supplements, as written down in <elf.h>.
 */
bool elfmap_relocation_class(uint16_t machine, uint32_t type, bool has_symbol,
			     enum elfmap_relocation_class *ret_class);

/** The relative type, which DT_RELR implies; false for a machine that is not known. */
bool elfmap_relative_type(uint16_t machine, uint32_t *ret_type);
