// SPDX-License-Identifier: Apache-2.0
// Entries of tables: the one that a byte belongs to. Names are left to entryname.c: finding is
// arithmetic and binary search, and most entries found are only counted.
#include "elfmap/entries.h"

#include "elfmap/literals.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

bool elfmap_hash_layout(struct elfmap *map, const struct entry_table *table,
			struct hash_layout *ret_layout)
{
	struct hash_layout layout = {
		.is_gnu = strstr(table->name, "gnu") != NULL,
		.width = table->entry_size ? table->entry_size : 4,
	};
	uint64_t start = table->vaddrs.start;
	const uint8_t *header = elfmap_bytes(map, start, 16);

	if (!header)
		return false;
	uint64_t bucket_count = elfmap_number(map, header, (unsigned)layout.width); // 4 or 8
	layout.buckets =
		layout.is_gnu
			? start + 16 + (uint64_t)elfmap_u32(map, header + 8) * elfmap_word_size(map)
			: start + 2 * layout.width;
	if (layout.buckets < start || layout.buckets > table->vaddrs.end ||
	    bucket_count > (table->vaddrs.end - layout.buckets) / layout.width)
		return false;
	layout.chains = layout.buckets + bucket_count * layout.width;
	*ret_layout = layout;
	return true;
}

ORDER_OF_POINTERS(compare_frames, elfmap_frame, ORDER(x->vaddr, y->vaddr))

ORDER_OF(compare_excepts, except_entry,
	 ORDER(x->vaddr, y->vaddr) ?: ORDER(x->function, y->function))

/** Sort the FDEs by their own place and by that of their LSDA; frames come sorted by code. */
static void sort_frames(struct elfmap *map, struct elfmap_entry_set *set)
{
	size_t count;
	const struct elfmap_frame *frames = elfmap_frames(map, &count);
	size_t kept = 0;

	set->frames_sorted = true;
	set->frame_count = count;
	set->frames_by_vaddr = arena_array(&map->arena, count, sizeof(*set->frames_by_vaddr));
	set->except_entries = arena_array(&map->arena, count, sizeof(*set->except_entries));
	for (size_t i = 0; i < count; i++) {
		set->frames_by_vaddr[i] = &frames[i];
		if (frames[i].lsda)
			set->except_entries[set->except_count++] =
				(struct except_entry){ frames[i].lsda, frames[i].code.start };
	}
	qsort(set->frames_by_vaddr, count, sizeof(*set->frames_by_vaddr), compare_frames);
	qsort(set->except_entries, set->except_count, sizeof(*set->except_entries),
	      compare_excepts);
	for (size_t i = 0; i < set->except_count; i++) {
		if (kept == 0 ||
		    set->except_entries[kept - 1].vaddr != set->except_entries[i].vaddr)
			set->except_entries[kept++] = set->except_entries[i];
	}
	set->except_count = kept;
}

const struct elfmap_frame *elfmap_frame_holding(struct elfmap *map, uint64_t vaddr)
{
	struct elfmap_entry_set *set = elfmap_entry_set(map);

	if (!set->frames_sorted)
		sort_frames(map, set);
	size_t past = search_first(set->frame_count, i, set->frames_by_vaddr[i]->vaddr > vaddr);
	if (past == 0)
		return NULL;
	const struct elfmap_frame *frame = set->frames_by_vaddr[past - 1];
	return vaddr - frame->vaddr < frame->size ? frame : NULL;
}

const struct except_entry *elfmap_except_holding(struct elfmap *map, uint64_t vaddr,
						 uint64_t *ret_end)
{
	struct elfmap_entry_set *set = elfmap_entry_set(map);

	if (!set->frames_sorted)
		sort_frames(map, set);
	size_t past = search_first(set->except_count, i, set->except_entries[i].vaddr > vaddr);
	*ret_end = past < set->except_count ? set->except_entries[past].vaddr : 0;
	return past ? &set->except_entries[past - 1] : NULL;
}

bool elfmap_has_search_table(const uint8_t *header)
{
	static const uint8_t usual[] = { 1, 0x1b, 0x03, 0x3b };

	return memcmp(header, usual, sizeof(usual)) == 0;
}

bool elfmap_frame_hdr_function(struct elfmap *map, const struct entry_table *table, uint64_t index,
			       uint64_t *ret_vaddr)
{
	uint64_t start = table->vaddrs.start;
	const uint8_t *entry =
		elfmap_bytes(map, start + EH_FRAME_HDR_BYTES + index * EH_FRAME_HDR_ENTRY_BYTES, 4);

	if (!entry)
		return false;
	*ret_vaddr = start + (uint64_t)(int64_t)(int32_t)elfmap_u32(map, entry); // signed by format
	return true;
}

/** Entry @index of a table whose entries are @size bytes from @first on, up to the table's end. */
static void set_entry(const struct entry_table *table, uint64_t index, uint64_t vaddr,
		      uint64_t size, struct elfmap_entry *entry)
{
	uint64_t room = table->vaddrs.end - vaddr;

	entry->index = index;
	entry->vaddr = vaddr;
	entry->size = size < room ? size : room;
}

static void set_uniform(const struct entry_table *table, uint64_t vaddr, struct elfmap_entry *entry)
{
	uint64_t index = (vaddr - table->vaddrs.start) / table->entry_size;

	set_entry(table, index, table->vaddrs.start + index * table->entry_size, table->entry_size,
		  entry);
}

/** Stubs count from 0; a header of another size than a stub's is UINT32_MAX. */
static void set_plt(const struct entry_table *table, uint64_t vaddr, struct elfmap_entry *entry)
{
	uint64_t first = table->vaddrs.start + table->header_size;

	if (vaddr < first) {
		set_entry(table, UINT32_MAX, table->vaddrs.start, table->header_size, entry);
		return;
	}
	uint64_t index = (vaddr - first) / table->entry_size;
	set_entry(table, index, first + index * table->entry_size, table->entry_size, entry);
}

/** The string that holds the byte: shared ends belong to the whole. */
static bool set_string(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
		       struct elfmap_entry *entry)
{
	uint64_t size = range_size(table->vaddrs);
	const char *text = (const char *)elfmap_bytes(map, table->vaddrs.start, size);

	if (!text)
		return false;
	uint64_t at = vaddr - table->vaddrs.start;
	const char *before = memrchr(text, '\0', at);
	uint64_t start = before ? (uint64_t)(before - text) + 1 : 0;
	set_entry(table, start, table->vaddrs.start + start,
		  strnlen(text + start, size - start) + 1, entry);
	return true;
}

static void set_hash(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
		     struct elfmap_entry *entry)
{
	struct hash_layout layout;
	uint64_t start = table->vaddrs.start;
	uint64_t buckets;

	if (!elfmap_hash_layout(map, table, &layout)) {
		set_entry(table, HASH_HEADER, start, range_size(table->vaddrs), entry);
		return;
	}
	uint64_t header = layout.is_gnu ? 16 : 2 * layout.width;
	buckets = (layout.chains - layout.buckets) / layout.width;
	if (vaddr < start + header) {
		set_entry(table, HASH_HEADER, start, header, entry);
	} else if (vaddr < layout.buckets) {
		set_entry(table, HASH_BLOOM, start + header, layout.buckets - start - header,
			  entry);
	} else if (vaddr < layout.chains) {
		uint64_t bucket = (vaddr - layout.buckets) / layout.width;

		set_entry(table, HASH_FIRST_BUCKET + bucket, layout.buckets + bucket * layout.width,
			  layout.width, entry);
	} else {
		uint64_t chain = (vaddr - layout.chains) / layout.width;

		set_entry(table, HASH_FIRST_BUCKET + buckets + chain,
			  layout.chains + chain * layout.width, layout.width, entry);
	}
}

static bool set_eh_frame(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
			 struct elfmap_entry *entry)
{
	const struct elfmap_frame *frame = elfmap_frame_holding(map, vaddr);

	// A CIE has no function, and neither its start nor its end is known here.
	if (!frame || frame->vaddr < table->vaddrs.start)
		return false;
	set_entry(table, frame->vaddr - table->vaddrs.start, frame->vaddr, frame->size, entry);
	return true;
}

static void set_eh_frame_hdr(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
			     struct elfmap_entry *entry)
{
	uint64_t start = table->vaddrs.start;
	uint64_t first = start + EH_FRAME_HDR_BYTES;
	const uint8_t *header = elfmap_bytes(map, start, EH_FRAME_HDR_BYTES);

	if (!header || !elfmap_has_search_table(header)) {
		set_entry(table, 0, start, range_size(table->vaddrs), entry);
	} else if (vaddr < first) {
		set_entry(table, 0, start, EH_FRAME_HDR_BYTES, entry);
	} else {
		uint64_t index = (vaddr - first) / EH_FRAME_HDR_ENTRY_BYTES;

		set_entry(table, 1 + index, first + index * EH_FRAME_HDR_ENTRY_BYTES,
			  EH_FRAME_HDR_ENTRY_BYTES, entry);
	}
}

static bool set_except(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
		       struct elfmap_entry *entry)
{
	uint64_t end;
	const struct except_entry *except = elfmap_except_holding(map, vaddr, &end);

	if (!except || except->vaddr < table->vaddrs.start)
		return false;
	if (end == 0 || end > table->vaddrs.end)
		end = table->vaddrs.end;
	set_entry(table, except->vaddr - table->vaddrs.start, except->vaddr, end - except->vaddr,
		  entry);
	return true;
}

/** Fill all but kind and section; false if the byte of the table belongs to no entry. */
static bool find_in_table(struct elfmap *map, const struct entry_table *table, uint64_t vaddr,
			  struct elfmap_entry *entry)
{
	switch (table->kind) {
	case ELFMAP_ENTRY_PLT:
		set_plt(table, vaddr, entry);
		return true;
	case ELFMAP_ENTRY_DYNSTR:
		return set_string(map, table, vaddr, entry);
	case ELFMAP_ENTRY_EH_FRAME:
		return set_eh_frame(map, table, vaddr, entry);
	case ELFMAP_ENTRY_EH_FRAME_HDR:
		set_eh_frame_hdr(map, table, vaddr, entry);
		return true;
	case ELFMAP_ENTRY_EXCEPT_TABLE:
		return set_except(map, table, vaddr, entry);
	case ELFMAP_ENTRY_HASH:
		set_hash(map, table, vaddr, entry);
		return true;
	case ELFMAP_ENTRY_VERSION:
	case ELFMAP_ENTRY_NOTE:
	case ELFMAP_ENTRY_INTERP:
		set_entry(table, 0, table->vaddrs.start, range_size(table->vaddrs), entry);
		return true;
	default:
		set_uniform(table, vaddr, entry);
		return true;
	}
}

/** The ELF header is entry 0, the program headers follow; both are known by offset. */
static bool find_header(const struct elfmap *map, const struct elfmap_place *place,
			struct elfmap_entry *entry)
{
	const Elf64_Ehdr *header = &map->headers.header;
	uint64_t start, size, index;

	if (!place->has_offset)
		return false;
	if (place->offset < header->e_ehsize) {
		start = 0;
		size = header->e_ehsize;
		index = 0;
	} else if (header->e_phentsize && place->offset >= header->e_phoff &&
		   (place->offset - header->e_phoff) / header->e_phentsize < map->segment_count) {
		size = header->e_phentsize;
		index = (place->offset - header->e_phoff) / size;
		start = header->e_phoff + index * size;
		index++;
	} else {
		return false;
	}
	*entry = (struct elfmap_entry){
		.kind = ELFMAP_ENTRY_HEADER,
		.index = index,
		.vaddr = place->has_vaddr ? place->vaddr - (place->offset - start) : 0,
		.size = size,
	};
	return true;
}

void elfmap_entry_at(struct elfmap *map, const struct elfmap_place *place,
		     struct elfmap_entry *ret_entry)
{
	struct elfmap_entry entry = { .kind = ELFMAP_ENTRY_NONE };

	*ret_entry = entry;
	if (find_header(map, place, ret_entry) || !place->has_vaddr)
		return;

	const struct entry_table *table = elfmap_entry_table(map, place->vaddr);
	if (table) {
		entry.kind = table->kind;
		entry.section = table->section;
		if (!find_in_table(map, table, place->vaddr, &entry))
			return;
		// Without sections, tables of one kind are told apart by their place.
		if (table->section == 0)
			entry.index |= (uint64_t)(table - map->entry_set->tables) << 48;
		*ret_entry = entry;
		return;
	}

	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, place->vaddr);
	if (relocation) {
		*ret_entry = (struct elfmap_entry){
			.kind = ELFMAP_ENTRY_POINTEE,
			.section = place->section ? place->section->index : 0,
			.index = relocation->vaddr,
			.vaddr = relocation->vaddr,
			.size = elfmap_word_size(map),
		};
		return;
	}
	elfmap_literal_at(map, place, ret_entry);
}
