// SPDX-License-Identifier: Apache-2.0
#include "elfmap/literals.h"

#include "base/cleanup.h"
#include "base/search.h"

#include <string.h>

enum {
	STRING_LEAST = 3, // shorter runs of printable bytes occur by chance
	STRING_MOST = 4 << 10,
	STRING_SHOWN = 60,
	DATA_REACH = 4 << 10, // how far behind an address that is pointed to a byte may be
};

/** Addresses of data that something points to; sorted, each once. */
struct elfmap_references {
	uint64_t *vaddrs;
	size_t count;
};

static bool is_printable(uint8_t byte)
{
	return (byte >= ' ' && byte <= '~') || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_constant_data(const struct elfmap_section *section)
{
	return section && section->has_bytes && (section->flags & SHF_ALLOC) &&
	       !(section->flags & (SHF_WRITE | SHF_EXECINSTR));
}

/** The whole NUL-terminated run of printable bytes around @place. */
static bool find_string(struct elfmap *map, const struct elfmap_place *place,
			struct elfmap_entry *entry)
{
	const struct elfmap_section *section = place->section;
	const uint8_t *bytes;
	uint64_t first, end;

	if (!is_constant_data(section))
		return false;
	uint64_t at = place->vaddr - section->vaddr;
	uint64_t low = at > STRING_MOST ? at - STRING_MOST : 0;
	uint64_t high = section->size - at > STRING_MOST ? at + STRING_MOST : section->size;

	bytes = elfmap_bytes(map, section->vaddr + low, high - low);
	if (!bytes)
		return false;
	at -= low;
	for (first = at; first > 0 && is_printable(bytes[first - 1]); first--)
		;
	for (end = at; end < high - low && is_printable(bytes[end]); end++)
		;
	if (end == high - low || bytes[end] != '\0' || end - first < STRING_LEAST ||
	    (first > 0 ? bytes[first - 1] != '\0' : low > 0))
		return false;

	*entry = (struct elfmap_entry){
		.kind = ELFMAP_ENTRY_STRING,
		.section = section->index,
		.index = low + first,
		.vaddr = section->vaddr + low + first,
		.size = end - first + 1,
	};
	return true;
}

void elfmap_literal_spell(struct elfmap *map, const struct elfmap_entry *entry, struct strbuf *out)
{
	const uint8_t *bytes = elfmap_bytes(map, entry->vaddr, entry->size);
	uint64_t length = entry->size - 1;

	strbuf_puts(out, "string:\"");
	for (uint64_t i = 0; bytes && i < length && i < STRING_SHOWN; i++) {
		if (bytes[i] == '\n')
			strbuf_puts(out, "\\n");
		else if (bytes[i] == '\t')
			strbuf_puts(out, "\\t");
		else if (bytes[i] == '\r')
			strbuf_puts(out, "\\r");
		else if (bytes[i] == '"' || bytes[i] == '\\')
			strbuf_printf(out, "\\%c", bytes[i]);
		else
			strbuf_putc(out, (char)bytes[i]);
	}
	strbuf_puts(out, length > STRING_SHOWN ? "…\"" : "\"");
}

/**
 * Sort @vaddrs: a radix sort over the bits in which they differ, since large libraries have
 * hundreds of thousands. Linear whatever the file says.
 */
static void sort_vaddrs(uint64_t *vaddrs, size_t count)
{
	enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
	CLEANUP(freep) uint64_t *spare = xcalloc(count, sizeof(*spare));
	uint64_t *from = vaddrs, *to = spare;
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < count; i++) {
		low = vaddrs[i] < low ? vaddrs[i] : low;
		high = vaddrs[i] > high ? vaddrs[i] : high;
	}
	for (unsigned shift = 0; count && shift < 64 && (high - low) >> shift;
	     shift += DIGIT_BITS) {
		size_t starts[DIGITS + 1] = { 0 };

		for (size_t i = 0; i < count; i++)
			starts[((from[i] - low) >> shift) % DIGITS + 1]++;
		for (size_t digit = 0; digit < DIGITS; digit++)
			starts[digit + 1] += starts[digit];
		for (size_t i = 0; i < count; i++)
			to[starts[((from[i] - low) >> shift) % DIGITS]++] = from[i];
		uint64_t *swap = from;

		from = to;
		to = swap;
	}
	if (from != vaddrs)
		memcpy(vaddrs, from, count * sizeof(*vaddrs));
}

static bool is_data(const struct elfmap_section *section)
{
	return section && (section->flags & SHF_ALLOC) && !(section->flags & SHF_EXECINSTR);
}

/** Addresses being collected; @in is the section of the last: neighbours mostly point into one. */
struct reference_list {
	VEC(uint64_t) vaddrs;
	struct elfmap *map;
	const struct rangemap_item *in;
};

/** Keep @value if it is the address of data. */
static void add_reference(struct reference_list *list, uint64_t value)
{
	struct elfmap *map = list->map;

	if (!list->in || !range_contains(list->in->range, value))
		list->in = rangemap_find(&map->sections_by_vaddr, value);
	if (list->in && is_data(&map->sections[list->in->id]))
		vec_push(&list->vaddrs, value);
}

static void add_relocated(struct reference_list *list)
{
	size_t count;
	const struct elfmap_relocation *relocations = elfmap_relocations(list->map, &count);

	for (size_t i = 0; i < count; i++)
		if (relocations[i].class == ELFMAP_RELOCATION_RELATIVE)
			add_reference(list, relocations[i].value);
}

/**
 * A program at fixed addresses has its pointers written out and no relocation that tells them from
 * numbers: an aligned word that is the address of data is taken for a pointer to it.
 */
static void add_words(struct reference_list *list, const struct elfmap_section *section)
{
	struct elfmap *map = list->map;
	unsigned width = elfmap_word_size(map);
	uint64_t skipped = align_up(section->vaddr, width) - section->vaddr;

	if (!section->has_bytes || !is_data(section) || section->size < skipped)
		return;
	uint64_t count = (section->size - skipped) / width;
	const uint8_t *words = elfmap_bytes(map, section->vaddr + skipped, count * width);

	for (uint64_t i = 0; words && i < count; i++)
		add_reference(list, elfmap_word(map, words + i * width));
}

static const struct elfmap_references *references(struct elfmap *map)
{
	if (map->references)
		return map->references;

	struct elfmap_references *made = arena_alloc(&map->arena, sizeof(*made));
	CLEANUP(vec_release) struct reference_list list = { .map = map };
	size_t kept = 0;

	map->references = made;
	add_relocated(&list);
	if (map->info.type == ET_EXEC)
		for (size_t i = 0; i < map->section_count; i++)
			add_words(&list, &map->sections[i]);
	made->vaddrs = vec_keep_counted(&list.vaddrs, &map->arena, &made->count);
	sort_vaddrs(made->vaddrs, made->count);
	for (size_t i = 0; i < made->count; i++)
		if (!kept || made->vaddrs[kept - 1] != made->vaddrs[i])
			made->vaddrs[kept++] = made->vaddrs[i];
	made->count = kept;
	return made;
}

/** The data that begins at the last address before @place that something points to. */
static bool find_referenced(struct elfmap *map, const struct elfmap_place *place,
			    struct elfmap_entry *entry)
{
	const struct elfmap_references *all = references(map);

	if (!is_data(place->section))
		return false;
	size_t past = search_first(all->count, i, all->vaddrs[i] > place->vaddr);
	if (!past)
		return false;
	uint64_t start = all->vaddrs[past - 1];
	uint64_t end = place->section->vaddr + place->section->size;

	if (start < place->section->vaddr || place->vaddr - start >= DATA_REACH)
		return false;
	if (past < all->count && all->vaddrs[past] < end)
		end = all->vaddrs[past];
	if (end - start > DATA_REACH)
		end = start + DATA_REACH;
	*entry = (struct elfmap_entry){
		.kind = ELFMAP_ENTRY_DATA,
		.section = place->section->index,
		.index = start - place->section->vaddr,
		.vaddr = start,
		.size = end - start,
	};
	return true;
}

/** crt1's _init and _fini are whole sections, may lose their symbols and have no unwind data. */
static bool find_init(const struct elfmap *map, const struct elfmap_place *place,
		      struct elfmap_entry *entry)
{
	const struct elfmap_section *section = place->section;
	uint64_t start;

	if (!section || !(section->flags & SHF_EXECINSTR))
		return false;
	if (strcmp(section->name, ".init") == 0)
		start = map->dynamic.init ? map->dynamic.init : section->vaddr;
	else if (strcmp(section->name, ".fini") == 0)
		start = map->dynamic.fini ? map->dynamic.fini : section->vaddr;
	else
		return false;
	if (start < section->vaddr || place->vaddr < start)
		return false;
	*entry = (struct elfmap_entry){
		.kind = ELFMAP_ENTRY_INIT,
		.section = section->index,
		.vaddr = start,
		.size = section->vaddr + section->size - start,
	};
	return true;
}

bool elfmap_literal_at(struct elfmap *map, const struct elfmap_place *place,
		       struct elfmap_entry *ret_entry)
{
	return find_init(map, place, ret_entry) || find_string(map, place, ret_entry) ||
	       find_referenced(map, place, ret_entry);
}
