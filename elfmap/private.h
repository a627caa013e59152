// SPDX-License-Identifier: Apache-2.0
// The inside of struct elfmap, shared by the sources of this folder only.
#pragma once

#include "base/cleanup.h"
#include "elfmap/elfmap.h"
#include "elfmap/headers/elfheaders.h"

#include "elfmap/rangemap.h"
#include "machine/machine.h"

#include "base/arena.h"
#include "base/rangeset.h"
#include "base/vec.h"

#include <endian.h>
#include <gelf.h>
#include <string.h>

/** The dynamic section, from PT_DYNAMIC: gABI ch. 5. Addresses are vaddrs, 0 where absent. */
struct elfmap_dynamic {
	bool present;
	uint64_t vaddr, entry_count;
	uint64_t symtab, strtab, strtab_size;
	uint64_t hash, gnu_hash, versym;
	uint64_t verneed, verneed_count, verdef, verdef_count;
	uint64_t rel, rel_size, rel_entry;
	uint64_t rela, rela_size, rela_entry;
	uint64_t relr, relr_size, relr_entry;
	uint64_t packed_rel, packed_rel_size, packed_rela, packed_rela_size; // Android's
	uint64_t jmprel, jmprel_size;
	bool jmprel_is_rela;
	uint64_t init, fini;
	uint64_t preinit_array, preinit_array_size;
	uint64_t init_array, init_array_size;
	uint64_t fini_array, fini_array_size;
	uint64_t pltgot;
	uint64_t flags, flags_1;
	uint64_t needed_count;
	uint64_t rpath, runpath; // in .dynstr; 0: none
};

/** The file's content, read piece by piece on demand: bytes.c. */
struct elfmap_content {
	uint8_t *bytes; // as large as the file; only the pieces in @have were read
	bool *have;	// one for each piece
	bool failed;	// a read came back short or failed: said once
	// Known parts of a file that is not there: sorted, not touching each other.
	struct range *known;
	size_t known_count;
	bool is_partial;
	bool is_packed;	     // what is not known is there all the same, and was of no interest
	bool was_read_whole; // past these pieces: its checksum was taken
};

/** A string table: every index below @size starts a string that ends within the table. */
struct elfmap_strings {
	const char *text;
	uint64_t size;
};

struct elfmap {
	struct arena arena;
	struct notes notes;
	int fd;
	struct stat status;
	struct depot *depot;		      // places of its debug files; NULL: this machine
	const char *place;		      // its path as it was opened, for messages
	bool is_elsewhere;		      // in no place of this machine's own
	uint32_t packed_debug, packed_shared; // see depot_file
	struct elfheaders headers;
	struct elfmap_content file;
	struct elfmap_info info;
	struct elfmap_segment *segments;
	size_t segment_count;
	struct elfmap_section *sections;
	size_t section_count;
	struct elfmap_dynamic dynamic;
	struct elfmap_strings dynstr;
	bool dynstr_read;
	bool noted_code; // threadcode.c

	// Built by load.c through elfmap_index_layout(); ids index segments and sections.
	struct rangemap loads_by_vaddr;	 // memory ranges of PT_LOAD
	struct rangemap loads_by_offset; // file ranges of PT_LOAD
	struct rangemap sections_by_vaddr;
	struct rangemap sections_by_offset;

	const struct elfmap_unpacked *unpacked; // content.c: sections that were decompressed
	struct elfmap_implied *implied; // locate.c: names of parts where there are no sections
	struct elfmap *debug; // the separate debug file, opened: debugfile.c; NULL if there is none
	struct elfmap_dynsym_table *dynsym_table; // dynsym.c
	struct elfmap_needed_list *needed;	  // needed.c

	// Built on first use; each is owned by the source file of the same name.
	struct elfmap_symbol_table *symbol_table;	// symbols.c
	struct elfmap_symbol_lookup *symbol_lookup;	// symbols.c
	struct elfmap_frames *frames;			// ehframe.c
	const struct elfmap_function *functions;	// functions.c
	size_t function_count;				// functions.c
	struct elfmap_relocation_set *relocation_set;	// relocations.c
	struct elfmap_initializer_set *initializer_set; // initializers.c
	struct elfmap_finalizer_set *finalizer_set;	// initializers.c
	struct elfmap_main *main_function;		// mainfunction.c
	struct elfmap_roles *roles;			// role.c
	struct elfmap_load *load;			// loadplan.c
	struct elfmap_name_cache *name_cache;		// demangle.c
	struct elfmap_entry_set *entry_set;		// entries.c
	struct elfmap_references *references;		// literals.c
	struct elfmap_dwarf *dwarf;			// dwarffile.c
	struct elfmap_code_index *code_index;		// code.c

	// Set by those that have made something: who never asks for DWARF needs no libdw
	// (libelfmap).
	void (*release_dwarf)(struct elfmap *map);
	void (*release_code_index)(struct elfmap *map);
};

/**
 * @size bytes of the file as they would be at @vaddr, or NULL if they are not all in one PT_LOAD's
 * file part. Read once with pread and kept in the arena-backed cache of whole segments, so the
 * pointer stays valid; never larger than the file.
 */
const uint8_t *elfmap_bytes(struct elfmap *map, uint64_t vaddr, uint64_t size);

/** True if elfmap_bytes() would find @size bytes at @vaddr; reads nothing. */
bool elfmap_has_bytes(const struct elfmap *map, uint64_t vaddr, uint64_t size);

/** @size bytes of the file at @offset; NULL if not all are in the file. Valid until close. */
const uint8_t *elfmap_file_bytes(struct elfmap *map, uint64_t offset, uint64_t size);

/**
 * The content of @section, decompressed if it is packed, and its size: valid until close. NULL, and
 * a reason without the file's name, if it is damaged, cut off, or packed in an unknown way.
 */
const uint8_t *elfmap_content(struct elfmap *map, const struct elfmap_section *section,
			      uint64_t *ret_size, struct err *err);

/** The size that elfmap_content() would give; reads no more than a header. */
bool elfmap_content_size(struct elfmap *map, const struct elfmap_section *section,
			 uint64_t *ret_size, struct err *err);

/**
 * A LEB128 at *@at, before @end, which is moved behind it; false if it does not end or has more
 * than 64 bits. Source: DWARF 5 section 7.6.
 */
static inline bool elfmap_leb128(const uint8_t **at, const uint8_t *end, bool is_signed,
				 uint64_t *ret_value)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; byte & 0x80; shift += 7) {
		if (*at == end || shift > 63)
			return false;
		byte = *(*at)++;
		value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= UINT64_MAX << shift;
	*ret_value = value;
	return true;
}

/** The string table in @size bytes at @bytes: what follows the last NUL is left out. */
struct elfmap_strings elfmap_strings_of(const uint8_t *bytes, uint64_t size);

/** The string at @index, or NULL if it is outside the table. */
static inline const char *elfmap_string(const struct elfmap_strings *strings, uint64_t index)
{
	return index < strings->size ? strings->text + index : NULL;
}

/** Numbers at @bytes (of any alignment) in the file's byte order. */
static inline uint16_t elfmap_u16(const struct elfmap *map, const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return map->info.big_endian ? be16toh(value) : le16toh(value);
}

static inline uint32_t elfmap_u32(const struct elfmap *map, const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return map->info.big_endian ? be32toh(value) : le32toh(value);
}

static inline uint64_t elfmap_u64(const struct elfmap *map, const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return map->info.big_endian ? be64toh(value) : le64toh(value);
}

/** Bytes of an address in this file: 4 or 8. */
static inline unsigned elfmap_word_size(const struct elfmap *map)
{
	return map->info.is_64bit ? 8 : 4;
}

/** The address of the function that a pointer or symbol of this @value stands for. */
static inline uint64_t elfmap_code_vaddr(const struct elfmap *map, uint64_t value)
{
	return value & ~(uint64_t)machine_of(map->info.machine)->mode_bits;
}

/** An address-sized number. */
static inline uint64_t elfmap_word(const struct elfmap *map, const uint8_t *bytes)
{
	return map->info.is_64bit ? elfmap_u64(map, bytes) : elfmap_u32(map, bytes);
}

/**
 * The vaddr that the dynamic linker or the file itself puts into @slot, which has @bytes; 0 if it
 * is not known. relocations.c
 */
uint64_t elfmap_slot_value(struct elfmap *map, uint64_t slot, const uint8_t *bytes);

/** Read one number of @width (2, 4, 8) bytes in the file's byte order. */
uint64_t elfmap_number(const struct elfmap *map, const uint8_t *bytes, unsigned width);

/** A NUL-terminated string of .dynstr, or NULL if @index is past its end or unterminated. */
const char *elfmap_dynstr(struct elfmap *map, uint64_t index);

/** Symbols in .dynsym, from the section or, without one, from DT_GNU_HASH / DT_HASH. */
uint64_t elfmap_dynsym_count(struct elfmap *map);

/** Symbol @index of .dynsym; false past its end. The name may be "". */
bool elfmap_dynsym(struct elfmap *map, uint64_t index, GElf_Sym *ret_symbol, const char **ret_name);

/** Size of one symbol table entry of this file. */
static inline uint64_t elfmap_symbol_size(const struct elfmap *map)
{
	return map->info.is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/** Decode the symbol table entry at @bytes, elfmap_symbol_size() of them. */
void elfmap_decode_symbol(const struct elfmap *map, const uint8_t *bytes, GElf_Sym *ret_symbol);

/** One FDE of .eh_frame. */
struct elfmap_frame {
	struct range code;     // vaddr of the function part it describes
	uint64_t vaddr;	       // of the FDE itself
	uint64_t size;	       // of the FDE itself
	uint64_t lsda;	       // vaddr in .gcc_except_table, 0: none
	uint64_t instructions; // vaddr of what follows its head, to its end; 0: not known where
};

/** FDEs sorted by code.start; none without .eh_frame or if it is damaged (a note says so). */
const struct elfmap_frame *elfmap_frames(struct elfmap *map, size_t *ret_count);

/**
 * Decode the FDE at @vaddr of .eh_frame, whose place is @eh_frame, and read no more of the file
 * than that takes. False if it makes no sense or describes no code: elfmap_frames() leaves it out
 * too.
 */
bool elfmap_frame_at(struct elfmap *map, struct range eh_frame, uint64_t vaddr,
		     struct elfmap_frame *ret_frame);

/** vaddr of .eh_frame's bytes, from its section or PT_GNU_EH_FRAME; false if there is none. */
bool elfmap_eh_frame(struct elfmap *map, struct range *ret_range);

/** Release what a lazily built part holds outside the arena; each accepts NULL. */
void elfmap_symbol_table_destroy(struct elfmap_symbol_table *table);
void elfmap_symbol_lookup_destroy(struct elfmap_symbol_lookup *lookup);
void elfmap_roles_destroy(struct elfmap_roles *roles);
void elfmap_name_cache_destroy(struct elfmap_name_cache *cache);

/**
 * As elfmap_open() without looking for a debug file. @is_debug_file: a separate debug file is
 * wanted, whose loaded sections have no bytes; otherwise such a file is refused.
 */
bool elfmap_open_one_parts(const struct elfmap_parts *from, struct elfmap **ret_map,
			   struct err *err);

/**
 * Make @map's descriptor a file in memory with these parts and holes between them, and note which
 * parts those are.
 */
bool elfmap_lay_out_parts(struct elfmap *map, const struct elfmap_parts *from, struct err *err);

/** Note the parts of the file that @found has, if it has not all of it. */
void elfmap_know_parts(struct elfmap *map, const struct depot_file *found);

/** Add which bytes were read in pieces. */
void elfmap_add_pieces(const struct elfmap *map, struct rangeset *set);

/** True if one of the known parts of a file has all of [@offset, @offset + @size). */
bool elfmap_is_in_parts(const struct elfmap *map, uint64_t offset, uint64_t size);

/** True if all of [@offset, @offset + @size), which is in the file, is known. */
static inline bool elfmap_is_known(const struct elfmap *map, uint64_t offset, uint64_t size)
{
	return !map->file.is_partial || elfmap_is_in_parts(map, offset, size);
}

bool elfmap_open_one(const char *path, bool is_debug_file, struct elfmap **ret_map,
		     struct err *err);
bool elfmap_open_one_fd(int fd, const char *path, struct elfmap **ret_map, struct err *err);
/** The same of @found, whose descriptor it takes. */
bool elfmap_open_one_found(const char *path, struct depot_file *found, bool is_debug_file,
			   struct elfmap **ret_map, struct err *err);

/**
 * Open the file within the file that .gnu_debugdata is. False if there is none, or with a note.
 * minidebug.c
 */
bool elfmap_open_embedded(struct elfmap *map, struct elfmap **ret_debug);

/**
 * Release what elfmap_open_one() made; @map may be NULL. What is built on first use only
 * elfmap_close() releases: of a debug file nothing is.
 */
void elfmap_close_one(struct elfmap *map);

/** Cleanup form of elfmap_close_one(). */
CLEANUP_POINTER(elfmap_close_one, struct elfmap)

/** The section that holds @offset, or NULL. */
const struct elfmap_section *elfmap_section_at_offset(const struct elfmap *map, uint64_t offset);

/** The PT_LOAD whose memory holds @vaddr, or NULL. */
const struct elfmap_segment *elfmap_load_at(const struct elfmap *map, uint64_t vaddr);

/** Build the four range maps from segments and sections, and find each section's segment. */
void elfmap_index_layout(struct elfmap *map);

/** Fill info's build-id and interpreter, with a note for what is damaged: identity.c. */
void elfmap_read_build_id(struct elfmap *map);
void elfmap_read_interpreter(struct elfmap *map);

/** Fill map->dynamic and what of map->info comes from it. */
void elfmap_read_dynamic(struct elfmap *map);

/**
 * Find the separate debug file by build-id, then by .gnu_debuglink; opens it as map->debug.
 * @debug_dir: NULL for /usr/lib/debug of each place
 */
void elfmap_find_debug_file(struct elfmap *map, const char *debug_dir);

/** True if the file's own .symtab has a symbol to give. */
bool elfmap_has_symtab(struct elfmap *map);

/** Set map->info.symbols to the best source that has a symbol to give. */
void elfmap_choose_symbols(struct elfmap *map);

/**
 * Fill @ret_entry with the table entry that holds @place (its vaddr, offset, section are set),
 * ELFMAP_ENTRY_NONE if there is none. In entries.c.
 */
void elfmap_entry_at(struct elfmap *map, const struct elfmap_place *place,
		     struct elfmap_entry *ret_entry);
