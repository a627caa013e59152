// SPDX-License-Identifier: Apache-2.0
// The document of `map`.
#include "render/columns/columns.h"

// clang-format off
const struct column map_columns[] = {
	CLOSED_ROW("map_segment", NULL),
	{ "index", "number" },
	{ "type", "text", "LOAD, DYNAMIC, ...; a number for one that is not known" },
	{ "flags", "protection" },
	{ "offset", "number" },
	{ "file_size", "number" },
	{ "vaddr", "address" },
	{ "memory_size", "number" },
	{ "align", "number" },

	CLOSED_ROW("map_section", NULL),
	{ "index", "number" },
	{ "name", "text" },
	{ "segment", "number?", "index of the program header that loads it" },
	{ "flags", "text", "readelf's letters" },
	{ "offset", "number?" },
	{ "size", "number" },
	{ "vaddr", "address?", "null for a section that is not loaded" },
	{ "pages", "number", "of memory that it touches" },

	CLOSED_ROW("map_symbol", NULL),
	{ "name", "text" },
	{ "section", "text?" },
	{ "vaddr", "address" },
	{ "offset", "number?" },
	{ "size", "number" },

	CLOSED_ROW("map_initializer", NULL),
	{ "index", "number" },
	{ "array", ".preinit_array|.init|.init_array|.ctors" },
	{ "function", "text?" },
	{ "vaddr", "address" },
	{ "offset", "number?" },
	{ "size", "number?" },
	{ "source", "text?",
	  "compilation unit by DWARF, under LTO all that were merged into it (a few named, the "
	  "others counted); else the file by .symtab" },

	CLOSED_ROW("map_mmap", NULL),
	{ "vaddr", "address" },
	{ "size", "number" },
	{ "offset", "number?" },
	{ "protection", "protection" },

	CLOSED_ROW("map_relocations", NULL),
	{ "relative", "number" },
	{ "symbolic", "number" },
	{ "irelative", "number" },
	{ "tls", "number" },
	{ "copy", "number" },
	{ "jump_slot", "number" },
	{ "encoding", "rela|rel|relr|mixed?" },
	{ "table_bytes", "number" },

	CLOSED_ROW("map_load", NULL),
	{ "mmaps", "[map_mmap]",
	  "what the dynamic linker or the kernel will map, in this order; vaddr and size are "
	  "whole pages" },
	{ "relocations", "map_relocations" },
	{ "pages_written_by_relocation", "number" },
	{ "page_size", "number" },
	{ "relro_bytes", "number" },
	{ "bind_now", "bool" },

	CLOSED_DOCUMENT("map", "elfault map --format json",
		 "The layout of one ELF file and what loading it will cost. Sizes and offsets "
		 "are bytes; addresses are strings, as the file writes them."),
	{ "schema", "elfault.map/1" },
	{ "path", "text" },
	{ "size", "number" },
	{ "type", "text", "ET_EXEC or ET_DYN; a number for any other" },
	{ "machine", "text", "as uname -m says it; a number for one that is not known" },
	{ "soname", "text?" },
	{ "build_id", "build-id?" },
	{ "interpreter", "text?" },
	{ "symbols", "symtab|debug-file|gopclntab|dynsym|eh-frame|none",
	  "the best source of names that was found" },
	{ "segments", "[map_segment]" },
	{ "sections", "[map_section]" },
	{ "symbols_by_size", "[map_symbol]",
	  "largest first, then by name; with --symbols all every one, in address order" },
	{ "initializers", "[map_initializer]", "in the order they run" },
	{ "load", "map_load" },
	{ "notes", "[text]" },
	{ 0 },
};
// clang-format on
