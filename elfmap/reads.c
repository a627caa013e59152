// SPDX-License-Identifier: Apache-2.0
// Bytes of a file, and of the files beside it, that its answers came from.
#include "elfmap/dwarf/dwarffile.h"
#include "elfmap/private.h"
#include "machine/page.h"

/** The headers, as far as they are in the file. */
static void add_headers(const struct elfmap *map, struct rangeset *set)
{
	const Elf64_Ehdr *header = &map->headers.header;

	rangeset_add(set, 0, header->e_ehsize);
	rangeset_add(set, header->e_phoff, map->segment_count * header->e_phentsize);
	rangeset_add(set, header->e_shoff, map->section_count * header->e_shentsize);
}

/** The first and last page, by which a file without a build-id is told from another. */
static void add_ends(const struct elfmap *map, struct rangeset *set)
{
	const uint64_t page = MACHINE_PAGE, size = map->info.size;

	rangeset_add(set, 0, page);
	rangeset_add(set, size > page ? size - page : 0, page);
}

/** Copy what of @set lies in the file. */
static void take_ranges(struct rangeset *set, uint64_t size, struct arena *arena,
			struct elfmap_read *read)
{
	size_t kept = 0;

	rangeset_settle(set);
	vec_foreach (range, &set->list) {
		if (range->start >= size)
			break;
		if (range->end > size)
			range->end = size;
		kept++;
	}
	read->ranges = arena_copy(arena, set->list.items, kept * sizeof(*set->list.items));
	read->range_count = kept;
}

static struct elfmap_read read_of(const struct elfmap *map, const struct elfmap *part,
				  bool is_whole, struct arena *arena)
{
	CLEANUP(rangeset_deinit) struct rangeset set = { 0 };
	struct elfmap_read read = { &part->info, &part->status, part->fd, NULL, 0 };

	if (is_whole || part->file.was_read_whole) {
		rangeset_add(&set, 0, part->info.size);
	} else {
		elfmap_add_pieces(part, &set);
		add_headers(part, &set);
		if (part->info.build_id_size == 0)
			add_ends(part, &set);
		elfmap_add_dwarf(map, part, &set);
	}
	take_ranges(&set, part->info.size, arena, &read);
	return read;
}

bool elfmap_reads(struct elfmap *map, bool is_whole, struct arena *arena,
		  struct elfmap_reads *ret_reads)
{
	const struct elfmap *shared = map->dwarf ? map->dwarf->shared : NULL;
	struct elfmap_reads reads = { 0 };

	if (map->file.is_partial)
		return false;
	reads.program = read_of(map, map, is_whole, arena);
	if (map->debug)
		reads.debug = read_of(map, map->debug, is_whole, arena);
	if (shared)
		reads.shared = read_of(map, shared, is_whole, arena);
	reads.is_shared_by_debug = map->debug && !elfmap_section_named(map, ".gnu_debugaltlink");
	*ret_reads = reads;
	return true;
}
