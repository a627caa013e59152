// SPDX-License-Identifier: Apache-2.0
// Calls of a piece of code and the data that it sets up, by disassembly.
#pragma once

#include "base/cleanup.h"
#include "elfmap/private.h"

enum coderef_kind {
	CODEREF_CALL,	 // a call of, or a jump to, this vaddr
	CODEREF_ADDRESS, // written to, or its address taken; what is only read is left out
};

struct coderef {
	enum coderef_kind kind;
	uint64_t vaddr;
};

struct coderefs;

/**
 * Disassemble @code. NULL where nothing is known of the machine (other than x86), where @code is
 * not all in the file, or is too large to be one function. Release with coderefs_destroy().
 */
struct coderefs *coderefs_create(struct elfmap *map, struct range code);
void coderefs_destroy(struct coderefs *refs);

/** The next reference in the order of the code; false at its end. */
bool coderefs_next(struct coderefs *refs, struct coderef *ret_ref);

/**
 * Find the opcode of the next jump by a register or memory, behind prefixes. Bytes that are no
 * instruction end the code and count as such a jump. Not to be mixed with coderefs_next(). False at
 * the end of the code.
 */
bool coderefs_next_jump(struct coderefs *refs, uint64_t *ret_vaddr);

CLEANUP_POINTER(coderefs_destroy, struct coderefs)
