// SPDX-License-Identifier: Apache-2.0
// The document of `map`.
#include "render/columns/columns.h"

#include "model/map.h"
#include "render/columns/head.h"

VALUE_OF(map_notes, map_model, headjson_notes(&row->notes))
KNOWN_OF(has_owners, map_model, row->has_owners)

// clang-format off
const struct row_column map_columns[] = {
	CLOSED_ROW("map_segment", NULL),
	{ "index", "number", NULL, AT(map_segment, index) },
	{ "type", "text", "LOAD, DYNAMIC, ...; a number for one that is not known",
	  AT(map_segment, type) },
	{ "flags", "protection", NULL, AT(map_segment, flags) },
	{ "offset", "number", NULL, AT(map_segment, offset) },
	{ "file_size", "number", NULL, AT(map_segment, file_size) },
	{ "vaddr", "address", NULL, AT(map_segment, vaddr) },
	{ "memory_size", "number", NULL, AT(map_segment, memory_size) },
	{ "align", "number", NULL, AT(map_segment, align) },

	CLOSED_ROW("map_section", NULL),
	{ "index", "number", NULL, AT(map_section, index) },
	{ "name", "text", NULL, AT(map_section, name) },
	{ "segment", "number?", "index of the program header that loads it",
	  AT_IF(map_section, segment, has_segment) },
	{ "flags", "text", "readelf's letters", AT(map_section, flags) },
	{ "offset", "number?", NULL, AT_IF(map_section, offset, has_offset) },
	{ "size", "number", NULL, AT(map_section, size) },
	{ "vaddr", "address?", "null for a section that is not loaded",
	  AT_IF(map_section, vaddr, has_vaddr) },
	{ "pages", "number", "of memory that it touches", AT(map_section, pages) },

	CLOSED_ROW("map_symbol", NULL),
	{ "name", "text", NULL, AT(map_symbol, name) },
	{ "section", "text?", NULL, AT(map_symbol, section) },
	{ "vaddr", "address", NULL, AT(map_symbol, vaddr) },
	{ "offset", "number?", NULL, AT_IF(map_symbol, offset, has_offset) },
	{ "size", "number", NULL, AT(map_symbol, size) },

	CLOSED_ROW("map_initializer", NULL),
	{ "index", "number", NULL, AT(map_initializer, index) },
	{ "array", ".preinit_array|.init|.init_array|.ctors|inittasks|modules", NULL, AT(map_initializer, array) },
	{ "function", "text?", NULL, AT(map_initializer, function) },
	{ "vaddr", "address", NULL, AT(map_initializer, vaddr) },
	{ "offset", "number?", NULL, AT_IF(map_initializer, offset, has_offset) },
	{ "size", "number?", NULL, AT_IF(map_initializer, size, has_size) },
	{ "source", "text?",
	  "compilation unit by DWARF, under LTO all that were merged into it (a few named, the "
	  "others counted); else the file by .symtab", AT(map_initializer, source) },
	{ "package", "text?",
	  "of Go, or a module of OCaml or D: all its initializers are one row, whose function is the first; else null",
	  AT(map_initializer, package) },

	CLOSED_ROW("map_mmap", NULL),
	{ "vaddr", "address", NULL, AT(map_mmap, vaddr) },
	{ "size", "number", NULL, AT(map_mmap, size) },
	{ "offset", "number?", NULL, AT_IF(map_mmap, offset, has_offset) },
	{ "protection", "protection", NULL, AT(map_mmap, protection) },

	CLOSED_ROW("map_relocations", NULL),
	{ "relative", "number", NULL, AT(map_relocations, relative) },
	{ "symbolic", "number", NULL, AT(map_relocations, symbolic) },
	{ "irelative", "number", NULL, AT(map_relocations, irelative) },
	{ "tls", "number", NULL, AT(map_relocations, tls) },
	{ "copy", "number", NULL, AT(map_relocations, copy) },
	{ "jump_slot", "number", NULL, AT(map_relocations, jump_slot) },
	{ "encoding", "rela|rel|relr|mixed?", NULL, AT(map_relocations, encoding) },
	{ "table_bytes", "number", NULL, AT(map_relocations, table_bytes) },

	CLOSED_ROW("map_owner", NULL),
	{ "kind", "symbol|vtables|type-information|switch-tables|functions|strings|data|imports|"
		  "got|init-arrays",
	  "of an owner without a name: by what its slots point to", AT(map_owner, kind) },
	{ "name", "text?", "of the symbol that covers the slots and states its size; null: of none",
	  AT(map_owner, name) },
	{ "scope", "text?", "the outermost namespace or class in a C++ name", AT(map_owner, scope) },
	{ "source", "text?", "the file that declares it, by DWARF", AT(map_owner, source) },
	{ "section", "text?", NULL, AT(map_owner, section) },
	{ "vaddr", "address", "of the symbol; else of its first slot", AT(map_owner, vaddr) },
	{ "relocations", "number", NULL, AT(map_owner, relocations) },
	{ "runs", "number", "of neighbouring slots", AT(map_owner, runs) },
	{ "pages", "number", "that hold a slot of it", AT(map_owner, pages) },
	{ "pages_alone", "number", "of these: that hold no slot of another owner",
	  AT(map_owner, pages_alone) },

	CLOSED_ROW("map_owners", NULL),
	{ "name", "text", NULL, AT(map_owner, name) },
	{ "relocations", "number", NULL, AT(map_owner, relocations) },
	{ "pages", "number", NULL, AT(map_owner, pages) },
	{ "pages_alone", "number", "of these: that hold no slot of another, or of owners without",
	  AT(map_owner, pages_alone) },

	CLOSED_ROW("map_ownership", NULL),
	{ "owners", "[map_owner]", "most relocations first",
	  LIST_AT(map_model, owners.rows, owners.count) },
	{ "scopes", "[map_owners]", "owners added up by scope",
	  LIST_AT(map_model, scopes.rows, scopes.count) },
	{ "sources", "[map_owners]", "the same by source",
	  LIST_AT(map_model, sources.rows, sources.count) },

	CLOSED_ROW("map_load", NULL),
	{ "mmaps", "[map_mmap]",
	  "what the dynamic linker or the kernel will map, in this order; vaddr and size are "
	  "whole pages", LIST_AT(map_model, mmaps, mmap_count) },
	{ "relocations", "map_relocations", NULL, ROW_AT(map_model, relocations) },
	{ "pages_written_by_relocation", "number", NULL,
	  AT(map_model, pages_written_by_relocation) },
	{ "page_size", "number", NULL, AT(map_model, page_size) },
	{ "relro_bytes", "number", NULL, AT(map_model, relro_bytes) },
	{ "bind_now", "bool", NULL, AT(map_model, bind_now) },

	CLOSED_DOCUMENT("map", "elfault map --format json",
		 "The layout of one ELF file and what loading it will cost. Sizes and offsets "
		 "are bytes; addresses are strings, as the file writes them."),
	{ "schema", "elfault.map/1" },
	{ "path", "text", NULL, AT(map_model, path) },
	{ "size", "number", NULL, AT(map_model, size) },
	{ "type", "text", "ET_EXEC or ET_DYN; a number for any other", AT(map_model, type) },
	{ "machine", "text", "as uname -m says it; a number for one that is not known",
	  AT(map_model, machine) },
	{ "soname", "text?", NULL, AT(map_model, soname) },
	{ "build_id", "build-id?", NULL, AT(map_model, build_id) },
	{ "interpreter", "text?", NULL, AT(map_model, interpreter) },
	{ "symbols", "symtab|debug-file|gopclntab|dynsym|eh-frame|none",
	  "the best source of names that was found", AT(map_model, symbols_from) },
	{ "segments", "[map_segment]", NULL, LIST_AT(map_model, segments, segment_count) },
	{ "sections", "[map_section]", NULL, LIST_AT(map_model, sections, section_count) },
	{ "symbols_by_size", "[map_symbol]",
	  "largest first, then by name; with --symbols all every one, in address order",
	  LIST_AT(map_model, symbols, symbol_count) },
	{ "initializers", "[map_initializer]", "in the order they run",
	  LIST_AT(map_model, initializers, initializer_count) },
	{ "load", "map_load", NULL, SAME },
	{ "relocated", "map_ownership?", "who owns the relocations; null without --relocations",
	  SAME_WHERE(has_owners) },
	{ "notes", "[text]", NULL, BY(map_notes) },
	{ 0 },
};
// clang-format on
