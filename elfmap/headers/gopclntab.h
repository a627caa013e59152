// SPDX-License-Identifier: Apache-2.0
// .gopclntab: what a Go program keeps, stripped or not, of the functions that Go compiled: names,
// and where each has its return address.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** A table of Go 1.16 or later for 64-bit little-endian machines. The bytes are borrowed. */
struct gopclntab {
	const uint8_t *bytes; // NULL: none
	uint64_t size;
	uint64_t text;			   // that entries count from; 0: they are addresses
	uint64_t names, deltas, functions; // offsets in bytes
	uint32_t count;
	uint8_t quantum;    // what addresses are multiples of
	bool has_addresses; // 8 bytes to an entry, not 4
};

enum gopclntab_flag {
	GOPCLNTAB_OUTERMOST = 1, // nothing called it: rt0_go, goexit, mstart
	GOPCLNTAB_SWITCHES = 2,	 // changes to another stack: systemstack, mcall
};

struct gopclntab_function {
	uint64_t start, end; // addresses as in the file
	const char *name;    // in the table's bytes
	uint32_t deltas;
	uint8_t flags;
};

/**
 * Read the head of the table that is all of the @size bytes at @bytes. @text: address of .text,
 * where the table leaves that out.
 *
 * Returns: false if it is none, or of a version that is not known. Nothing is read past @size,
 * whatever the bytes. Source: go/src/runtime/symtab.go, cmd/link/internal/ld/pcln.go.
 */
bool gopclntab_init(struct gopclntab *ret_table, const uint8_t *bytes, uint64_t size,
		    uint64_t text);

/** Function @index, below table->count, in the order of addresses; false if it is damaged. */
bool gopclntab_function(const struct gopclntab *table, uint32_t index,
			struct gopclntab_function *ret_function);

/** The function around @vaddr. O(log n). */
bool gopclntab_find(const struct gopclntab *table, uint64_t vaddr,
		    struct gopclntab_function *ret_function);

/** At @vaddr within @function: how far sp is below the return address, in bytes. */
bool gopclntab_depth(const struct gopclntab *table, const struct gopclntab_function *function,
		     uint64_t vaddr, uint64_t *ret_depth);
