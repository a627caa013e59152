// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault map`: one file's layout and what loading it will cost. Plain data that
// renderers read; it owns all its strings and outlives the ELF file it came from.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct depot; // depot/depot.h

struct map_segment {
	uint32_t index;
	const char *type;  // "LOAD", "DYNAMIC", ..., or the number
	const char *flags; // "rwx", a dash for each that is missing
	uint64_t offset, file_size, vaddr, memory_size, align;
};

struct map_section {
	uint32_t index;
	const char *name;
	const char *flags; // as readelf's letters: "WAX"
	bool has_segment;  // the PT_LOAD that holds it
	uint32_t segment;
	bool has_offset; // false: no bytes in the file (.bss)
	uint64_t offset;
	uint64_t size;
	bool has_vaddr; // false: not loaded
	uint64_t vaddr;
	uint64_t pages; // that its memory touches
};

/**
 * A part of the file: a section, or "[elf-header]", "[program-headers]", "[section-headers]", and
 * "[padding]", which is in no other; without section headers a segment, "[r-x segment]".
 */
struct map_part {
	const char *name;
	uint64_t file_bytes;   // in no part before: those of all parts add up to the file's size
	uint64_t memory_bytes; // 0: not loaded
};

/** A compile unit, or with name NULL the code of none. */
struct map_unit {
	const char *name;
	uint64_t code_bytes;
};

struct map_symbol {
	const char *name;
	const char *section; // or NULL
	uint64_t vaddr;
	bool has_offset;
	uint64_t offset;
	uint64_t size;
	bool is_sized; // by the file; else it reaches to the next symbol
};

struct map_initializer {
	uint32_t index; // within its array
	const char *array;
	const char *function; // or NULL
	uint64_t vaddr;
	bool has_offset;
	uint64_t offset;
	bool has_size;
	uint64_t size;	     // of the function
	const char *source;  // or NULL
	const char *package; // Go's, or NULL
};

struct map_mmap {
	uint64_t vaddr, size;
	bool has_offset; // false: anonymous
	uint64_t offset;
	const char *protection; // "r-x"
};

/** Counts of dynamic relocations; the contract's words. */
struct map_relocations {
	uint64_t relative, symbolic, irelative, tls, copy, jump_slot;
	const char *encoding; // "rela", "rel", "relr", "mixed"; NULL without relocations
	uint64_t table_bytes;
};

/** Relocations of one owner, or of all owners with one scope or source. */
struct map_owner {
	const char *kind;    // "symbol", "vtables" ...; NULL: of several owners
	const char *name;    // of the symbol, scope or source; NULL: of an owner without a name
	const char *scope;   // outermost namespace or class, or NULL
	const char *source;  // file that declares it, or NULL
	const char *section; // or NULL
	uint64_t vaddr;
	uint64_t relocations, runs;
	uint64_t pages;	      // that hold a slot of it
	uint64_t pages_alone; // of these: that hold no slot of another
};

struct map_owners {
	struct map_owner *rows; // most relocations first
	size_t count;
};

struct map_model {
	struct arena arena;
	struct notes notes;

	const char *path;
	uint64_t size;
	const char *type;	  // "ET_DYN", "ET_EXEC"
	const char *machine;	  // as uname says it: "x86_64"; or the number
	const char *soname;	  // or NULL
	const char *build_id;	  // in hexadecimal, or NULL
	const char *interpreter;  // or NULL
	const char *symbols_from; // "symtab", "debug-file", "gopclntab", "dynsym", ...
	bool is_static_pie;

	struct map_segment *segments;
	size_t segment_count;
	struct map_section *sections; // without the null section
	size_t section_count;
	struct map_part *parts; // by offset; then those without bytes in the file, and padding
	size_t part_count;
	bool has_units; // it has DWARF
	struct map_unit *units;
	size_t unit_count;
	struct map_symbol *symbols; // largest first; all of them in address order if asked for
	size_t symbol_count;
	size_t symbol_total;		      // that the file has
	struct map_initializer *initializers; // in the order they run
	size_t initializer_count;

	uint64_t page_size;
	struct map_mmap *mmaps; // in the order they are made
	size_t mmap_count;
	struct map_relocations relocations;
	bool has_owners;
	struct map_owners owners, scopes, sources;
	uint64_t pages_written_by_relocation;
	uint64_t relro_bytes;
	bool bind_now;
};

struct map_options {
	uint64_t page_size;  // a power of two
	bool all_symbols;    // every one, in address order
	size_t symbol_limit; // else this many, the largest
	bool no_demangle;
	bool has_parts;	       // .parts and .units are wanted
	bool has_owners;       // .owners, .scopes and .sources are wanted
	const char *debug_dir; // or NULL
	struct depot *depot;   // where the file and its debug file are; NULL: on this machine
};

/**
 * Read the file at @path.
 *
 * Returns: true and *@ret_model, for map_model_destroy(); errors are those of elfmap_open().
 */
bool map_model_create(const char *path, const struct map_options *options,
		      struct map_model **ret_model, struct err *err);

/** Release @model, which may be NULL. */
void map_model_destroy(struct map_model *model);

CLEANUP_POINTER(map_model_destroy, struct map_model)
