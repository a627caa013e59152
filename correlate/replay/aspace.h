// SPDX-License-Identifier: Apache-2.0
// One process's address space as it is at one moment of the replay. Together with
// elfmap/translate.c the only place where addresses, vaddrs and file offsets become each other.
#pragma once

#include "base/arena.h"
#include "correlate/replay/objects.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct area;
struct aspace;

/** The place of an address. */
struct aspace_place {
	uint32_t object;
	const struct trace_mapping *mapping; // NULL below the stack, where it has grown
	bool has_offset;		     // the byte is in the file (not in .bss, not anonymous)
	uint64_t offset;
	// The object is ELF, and this is its byte at vaddr as loaded. Where a file is mapped as
	// data only the offset is known.
	bool has_vaddr;
	uint64_t vaddr;
};

/** An empty space of pages of @page bytes, whose areas live in @arena. Never NULL. */
struct aspace *aspace_create(struct arena *arena, struct objects *objects, uint64_t page);

/** A copy as fork makes it. O(areas). */
struct aspace *aspace_fork(const struct aspace *parent);

void aspace_destroy(struct aspace *aspace);

/**
 * A mapping came to be; it replaces what was in its range. @mapping is borrowed for the space's
 * lifetime. An anonymous mapping that has the shape of an image's .bss and follows its data becomes
 * part of that image, and what was stays so when mprotect cuts it in pieces. One that can be
 * executed and lies within the code of an image is taken for a copy of it: its bytes have vaddrs,
 * no offset. O(areas) in the worst case, a memmove of pointers.
 */
void aspace_map(struct aspace *aspace, const struct trace_mapping *mapping);

/** A mapping moved, grew or shrank. Pieces that were never recorded are left out. */
void aspace_remap(struct aspace *aspace, const struct trace_remap *remap);

/** Find @addr; false if no recorded mapping holds it. O(log areas). */
bool aspace_find(struct aspace *aspace, uint64_t addr, struct aspace_place *ret_place);

/**
 * Return the area of @addr, for comparison alone: as long as it is the same, aspace_find() gives
 * the same for this address. NULL: nothing, or the growth of a stack. O(log areas).
 */
const struct area *aspace_area(const struct aspace *aspace, uint64_t addr);

/** True if @area, which may be NULL, can be executed. */
bool aspace_is_code(const struct area *area);

/**
 * Changes with every mapping, and is never that of a space that differs: a result may be kept while
 * it stays the same. @of_code: one for an address that aspace_is_code() was true of.
 */
uint64_t aspace_generation(const struct aspace *aspace, bool of_code);
