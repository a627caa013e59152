// SPDX-License-Identifier: Apache-2.0
// The dynamic section, found by PT_DYNAMIC as the dynamic linker finds it: gABI ch. 5 "Dynamic
// Section". Works without section headers.
#include "elfmap/private.h"

static const struct elfmap_segment *dynamic_segment(const struct elfmap *map)
{
	for (size_t i = 0; i < map->segment_count; i++)
		if (map->segments[i].type == PT_DYNAMIC)
			return &map->segments[i];
	return NULL;
}

/** Entries whose value is kept as it is. */
// Android's, which elf.h lacks (bionic, libc/include/elf.h).
enum {
	DT_ANDROID_REL = 0x6000000f,
	DT_ANDROID_RELSZ,
	DT_ANDROID_RELA,
	DT_ANDROID_RELASZ,
	DT_ANDROID_RELR = 0x6fffe000,
	DT_ANDROID_RELRSZ,
	DT_ANDROID_RELRENT = 0x6fffe003,
};

static const struct {
	uint64_t tag;
	size_t field; // of struct elfmap_dynamic: a uint64_t
} fields[] = {
	{ DT_SYMTAB, offsetof(struct elfmap_dynamic, symtab) },
	{ DT_STRTAB, offsetof(struct elfmap_dynamic, strtab) },
	{ DT_STRSZ, offsetof(struct elfmap_dynamic, strtab_size) },
	{ DT_HASH, offsetof(struct elfmap_dynamic, hash) },
	{ DT_GNU_HASH, offsetof(struct elfmap_dynamic, gnu_hash) },
	{ DT_VERSYM, offsetof(struct elfmap_dynamic, versym) },
	{ DT_VERNEED, offsetof(struct elfmap_dynamic, verneed) },
	{ DT_VERNEEDNUM, offsetof(struct elfmap_dynamic, verneed_count) },
	{ DT_VERDEF, offsetof(struct elfmap_dynamic, verdef) },
	{ DT_VERDEFNUM, offsetof(struct elfmap_dynamic, verdef_count) },
	{ DT_REL, offsetof(struct elfmap_dynamic, rel) },
	{ DT_RELSZ, offsetof(struct elfmap_dynamic, rel_size) },
	{ DT_RELENT, offsetof(struct elfmap_dynamic, rel_entry) },
	{ DT_RELA, offsetof(struct elfmap_dynamic, rela) },
	{ DT_RELASZ, offsetof(struct elfmap_dynamic, rela_size) },
	{ DT_RELAENT, offsetof(struct elfmap_dynamic, rela_entry) },
	{ DT_RELR, offsetof(struct elfmap_dynamic, relr) },
	{ DT_RELRSZ, offsetof(struct elfmap_dynamic, relr_size) },
	{ DT_RELRENT, offsetof(struct elfmap_dynamic, relr_entry) },
	{ DT_ANDROID_RELR, offsetof(struct elfmap_dynamic, relr) },
	{ DT_ANDROID_RELRSZ, offsetof(struct elfmap_dynamic, relr_size) },
	{ DT_ANDROID_RELRENT, offsetof(struct elfmap_dynamic, relr_entry) },
	{ DT_ANDROID_REL, offsetof(struct elfmap_dynamic, packed_rel) },
	{ DT_ANDROID_RELSZ, offsetof(struct elfmap_dynamic, packed_rel_size) },
	{ DT_ANDROID_RELA, offsetof(struct elfmap_dynamic, packed_rela) },
	{ DT_ANDROID_RELASZ, offsetof(struct elfmap_dynamic, packed_rela_size) },
	{ DT_JMPREL, offsetof(struct elfmap_dynamic, jmprel) },
	{ DT_PLTRELSZ, offsetof(struct elfmap_dynamic, jmprel_size) },
	{ DT_RPATH, offsetof(struct elfmap_dynamic, rpath) },
	{ DT_RUNPATH, offsetof(struct elfmap_dynamic, runpath) },
	{ DT_INIT, offsetof(struct elfmap_dynamic, init) },
	{ DT_FINI, offsetof(struct elfmap_dynamic, fini) },
	{ DT_PREINIT_ARRAY, offsetof(struct elfmap_dynamic, preinit_array) },
	{ DT_PREINIT_ARRAYSZ, offsetof(struct elfmap_dynamic, preinit_array_size) },
	{ DT_INIT_ARRAY, offsetof(struct elfmap_dynamic, init_array) },
	{ DT_INIT_ARRAYSZ, offsetof(struct elfmap_dynamic, init_array_size) },
	{ DT_FINI_ARRAY, offsetof(struct elfmap_dynamic, fini_array) },
	{ DT_FINI_ARRAYSZ, offsetof(struct elfmap_dynamic, fini_array_size) },
	{ DT_PLTGOT, offsetof(struct elfmap_dynamic, pltgot) },
};

static void take_entry(struct elfmap_dynamic *dynamic, uint64_t tag, uint64_t value)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].tag == tag)
			*(uint64_t *)((char *)dynamic + fields[i].field) = value;
	switch (tag) {
	case DT_NEEDED:
		dynamic->needed_count++;
		break;
	case DT_PLTREL:
		dynamic->jmprel_is_rela = value == DT_RELA;
		break;
	case DT_BIND_NOW:
		dynamic->flags |= DF_BIND_NOW;
		break;
	case DT_SYMBOLIC:
		dynamic->flags |= DF_SYMBOLIC;
		break;
	case DT_FLAGS:
		dynamic->flags |= value;
		break;
	case DT_FLAGS_1:
		dynamic->flags_1 |= value;
		break;
	default:
		break;
	}
}

void elfmap_read_dynamic(struct elfmap *map)
{
	struct elfmap_dynamic *dynamic = &map->dynamic;
	const struct elfmap_segment *segment = dynamic_segment(map);
	uint64_t word = elfmap_word_size(map);
	uint64_t soname = 0;
	bool has_soname = false, ended = false;

	if (!segment)
		return;
	const uint8_t *bytes = elfmap_bytes(map, segment->vaddr, segment->file_size);
	if (!bytes) {
		notes_add(&map->notes, "%s: PT_DYNAMIC is outside the loaded segments; ignored",
			  map->info.path);
		return;
	}
	dynamic->present = true;
	dynamic->vaddr = segment->vaddr;
	for (uint64_t at = 0; !ended && segment->file_size - at >= 2 * word; at += 2 * word) {
		uint64_t tag = elfmap_word(map, bytes + at);
		uint64_t value = elfmap_word(map, bytes + at + word);

		dynamic->entry_count++;
		ended = tag == DT_NULL;
		if (tag == DT_SONAME) {
			soname = value;
			has_soname = true;
		}
		take_entry(dynamic, tag, value);
	}
	if (!ended)
		notes_add(&map->notes, "%s: the dynamic section does not end with DT_NULL",
			  map->info.path);

	map->info.bind_now = (dynamic->flags & DF_BIND_NOW) || (dynamic->flags_1 & DF_1_NOW);
	map->info.static_pie = map->info.type == ET_DYN && !map->info.interpreter &&
			       dynamic->needed_count == 0 &&
			       ((dynamic->flags_1 & DF_1_PIE) || map->info.entry);
	if (has_soname) {
		map->info.soname = elfmap_dynstr(map, soname);
		if (!map->info.soname)
			notes_add(&map->notes, "%s: DT_SONAME: index %#lx past end of .dynstr",
				  map->info.path, (unsigned long)soname);
	}
}

struct elfmap_linkage elfmap_linkage(const struct elfmap *map)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	// ld.so looks like a static PIE, but for its name.
	bool is_pie = map->info.type == ET_DYN && !map->info.soname &&
		      (map->info.static_pie || (dynamic->flags_1 & DF_1_PIE));

	return (struct elfmap_linkage){
		.is_library = map->info.type == ET_DYN && !is_pie,
		.is_pie = is_pie,
		.is_symbolic = dynamic->flags & DF_SYMBOLIC,
		.has_hash = dynamic->hash != 0,
		.has_gnu_hash = dynamic->gnu_hash != 0,
	};
}
