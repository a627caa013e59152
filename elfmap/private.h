// SPDX-License-Identifier: Apache-2.0
// The inside of struct elfmap, shared by the sources of this folder only.
#pragma once

#include "elfmap/elfmap.h"

#include "base/arena.h"
#include "base/vec.h"

#include <gelf.h>

/** The dynamic section, from PT_DYNAMIC: gABI ch. 5. Addresses are vaddrs, 0 where absent. */
struct elfmap_dynamic {
	bool present;
	uint64_t vaddr, entry_count;
	uint64_t symtab, strtab, strtab_size;
	uint64_t hash, gnu_hash, versym;
	uint64_t rel, rel_size, rel_entry;
	uint64_t rela, rela_size, rela_entry;
	uint64_t relr, relr_size, relr_entry;
	uint64_t jmprel, jmprel_size;
	bool jmprel_is_rela;
	uint64_t init, fini;
	uint64_t preinit_array, preinit_array_size;
	uint64_t init_array, init_array_size;
	uint64_t pltgot;
	uint64_t flags, flags_1;
	uint64_t needed_count;
};

struct elfmap {
	struct arena arena;
	struct notes notes;
	int fd;
	Elf *elf; // ELF_C_READ
	struct elfmap_info info;
	struct elfmap_segment *segments;
	size_t segment_count;
	struct elfmap_section *sections;
	size_t section_count;
	struct elfmap_dynamic dynamic;

	// Built on first use; each is owned by the source file of the same name.
	struct elfmap_symbol_table *symbol_table;	  // symbols.c
	struct elfmap_frames *frames;			  // ehframe.c
	struct elfmap_relocation_set *relocation_set;	  // relocations.c
	struct elfmap_initializer_set *initializer_set;	  // initializers.c
	struct elfmap_load *load;			  // loadplan.c
	struct elfmap_name_cache *name_cache;		  // demangle.c
};

/**
 * @size bytes of the file as they would be at @vaddr, or NULL if they are not all in one PT_LOAD's
 * file part. Read once with pread and kept in the arena-backed cache of whole segments, so the
 * pointer stays valid; never larger than the file.
 */
const uint8_t *elfmap_bytes(struct elfmap *map, uint64_t vaddr, uint64_t size);

/** Read one number of @width (2, 4, 8) bytes in the file's byte order. */
uint64_t elfmap_number(const struct elfmap *map, const uint8_t *bytes, unsigned width);

/** A NUL-terminated string of .dynstr, or NULL if @index is past its end or unterminated. */
const char *elfmap_dynstr(struct elfmap *map, uint64_t index);

/** Symbols in .dynsym, from the section or, without one, from DT_GNU_HASH / DT_HASH. */
uint64_t elfmap_dynsym_count(struct elfmap *map);

/** Symbol @index of .dynsym; false past its end. The name may be "". */
bool elfmap_dynsym(struct elfmap *map, uint64_t index, GElf_Sym *ret_symbol, const char **ret_name);

/** One FDE of .eh_frame. */
struct elfmap_frame {
	struct range code;  // vaddr of the function part it describes
	uint64_t vaddr;	    // of the FDE itself
	uint64_t size;	    // of the FDE itself
	uint64_t lsda;	    // vaddr in .gcc_except_table, 0: none
};

/** FDEs sorted by code.start; none if there is no .eh_frame or it is damaged (then a note says so). */
const struct elfmap_frame *elfmap_frames(struct elfmap *map, size_t *ret_count);

/** vaddr of .eh_frame's bytes: from its section, else by PT_GNU_EH_FRAME; false if there is none. */
bool elfmap_eh_frame(struct elfmap *map, struct range *ret_range);

/** Release what a lazily built part holds outside the arena; each accepts NULL. */
void elfmap_symbol_table_destroy(struct elfmap_symbol_table *table);
void elfmap_name_cache_destroy(struct elfmap_name_cache *cache);
