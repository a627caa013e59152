// SPDX-License-Identifier: Apache-2.0
// The tables whose entries have names: found by entries.c, spelled by entryname.c.
#pragma once

#include "elfmap/private.h"

/** A table, or one part of a file that is named as a whole. */
struct entry_table {
	struct range vaddrs;
	enum elfmap_entry_kind kind;
	uint32_t section;     // index, 0: known by the dynamic table or program headers only
	uint64_t entry_size;  // 0: entries differ in size
	uint64_t header_size; // of a PLT: what stands before its first stub
	const char *name;     // its section's without the leading dot; never NULL
};

/** Beginnings of the parts of a hash table; all vaddrs. */
struct hash_layout {
	bool is_gnu;
	uint64_t width; // bytes of a bucket and of a chain's item
	uint64_t buckets;
	uint64_t chains;
};

/** A name that was spelled once. */
struct cached_name {
	struct elfmap_entry entry;
	bool demangle;
	const char *text; // NULL: free slot
};

/** An LSDA and the function it belongs to. */
struct except_entry {
	uint64_t vaddr;
	uint64_t function;
};

/** Built on first use; all of it in the arena. */
struct elfmap_entry_set {
	struct entry_table *tables;
	size_t table_count;
	struct rangemap tables_by_vaddr; // ids index tables

	bool frames_sorted;
	const struct elfmap_frame **frames_by_vaddr; // sorted by the FDE's own vaddr
	size_t frame_count;
	struct except_entry *except_entries; // sorted by vaddr, one for each LSDA
	size_t except_count;

	struct cached_name *names; // open addressing, capacity a power of two
	size_t name_count;
	size_t name_capacity;
};

/** In HASH entries `index` counts: the header, the bloom filter, the buckets, then the chains. */
enum { HASH_HEADER, HASH_BLOOM, HASH_FIRST_BUCKET };

/** In EH_FRAME_HDR entries the header is 0 and the search table starts at 1. */
enum { EH_FRAME_HDR_BYTES = 12, EH_FRAME_HDR_ENTRY_BYTES = 8 };

/**
 * True if the .eh_frame_hdr whose first bytes are @header has a search table in the usual encoding:
 * pcrel sdata4, udata4, datarel sdata4; linkers write no other.
 */
bool elfmap_has_search_table(const uint8_t *header);

struct elfmap_entry_set *elfmap_entry_set(struct elfmap *map);

/** The table that holds @vaddr, or NULL. */
const struct entry_table *elfmap_entry_table(struct elfmap *map, uint64_t vaddr);

/** False if the table's header does not fit it. */
bool elfmap_hash_layout(struct elfmap *map, const struct entry_table *table,
			struct hash_layout *ret_layout);

/** The FDE that holds @vaddr of .eh_frame, or NULL: a CIE, the end mark. */
const struct elfmap_frame *elfmap_frame_holding(struct elfmap *map, uint64_t vaddr);

/** The LSDA that holds @vaddr and, as *@ret_end, where the next one starts (0: none does). */
const struct except_entry *elfmap_except_holding(struct elfmap *map, uint64_t vaddr,
						 uint64_t *ret_end);

/** The function that entry @index (from 0) of .eh_frame_hdr's search table is for. */
bool elfmap_frame_hdr_function(struct elfmap *map, const struct entry_table *table, uint64_t index,
			       uint64_t *ret_vaddr);

/** The slot that PLT stub @stub, the one of number @index, jumps through. In pltstub.c. */
bool elfmap_plt_slot(struct elfmap *map, const struct elfmap_entry *stub, uint64_t index,
		     uint64_t *ret_slot);

/**
 * i386: the slot of `jmp *@operand(%ebx)`, if relocation writes it. %ebx holds DT_PLTGOT, but with
 * mold the start of .got, told by its way to begin .plt: endbr32, push %ecx. In pltstub.c.
 */
bool elfmap_slot_by_got(struct elfmap *map, uint64_t operand, uint64_t *ret_slot);
