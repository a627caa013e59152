// SPDX-License-Identifier: Apache-2.0
// The cost of relocating a file: "relocation" of an object.
#include "render/columns/columns.h"

// clang-format off
const struct column relocation_columns[] = {
	ROW("relocation_counts", NULL),
	{ "relative", "number" },
	{ "symbolic", "number" },
	{ "irelative", "number" },
	{ "tls", "number" },
	{ "copy", "number" },
	{ "jump_slot", "number" },

	ROW("relocation_relro", NULL),
	{ "bytes", "number" },
	{ "pages", "number" },
	{ "pages_written", "number" },

	ROW("count", NULL),
	{ "faults", "number" },
	{ "major", "number" },
	{ "duration_ns", "number" },

	ROW("relocation_section", NULL),
	{ "section", "text" },
	{ "relocations", "number" },
	{ "pages_holding", "number" },
	{ "pages_written", "number" },
	{ "size", "number" },

	ROW("relocation_table", NULL),
	{ "table", "text" },
	{ "holds", "relocations|names" },
	{ "size", "number" },
	{ "pages", "number" },
	{ "pages_mapped", "number",
	  "touched or brought along by a fault of relocation or symbol-lookup" },
	{ "faults", "number", "of relocation or symbol-lookup on it" },

	ROW("relocation_name", NULL),
	{ "name", "text" },
	{ "faults", "number" },

	ROW("relink", NULL),
	{ "option", "text" },
	{ "applies", "bool" },
	{ "relocations", "number", "that it changes or spares" },
	{ "table_bytes", "integer", "change" },
	{ "table_pages", "integer", "change" },
	{ "written_pages", "integer", "change" },
	{ "lookups", "integer", "change in lookups_at_load" },
	{ "reason", "text" },

	ROW("relocation",
	    "what relocating the object cost, and what it would cost linked in another way; "
	    "null without relocations and with --where"),
	{ "counts", "relocation_counts" },
	{ "encodings", "[relr|rel|rela]" },
	{ "bind_now", "bool" },
	{ "table_bytes", "number", "of all relocation tables" },
	{ "lookups_at_load", "number",
	  "names that relocating looks up, without PLT entries that are bound at their first "
	  "call" },
	{ "pages_holding", "number", "pages that hold a relocated slot" },
	{ "pages_written", "number",
	  "of pages_holding: copied by a fault of relocation; a page that was written before "
	  "does not fault again" },
	{ "relro", "relocation_relro?" },
	{ "relocation", "count" },
	{ "symbol_lookup", "count" },
	{ "by_section", "[relocation_section]", "a page that two sections share counts in both" },
	{ "tables", "[relocation_table]", "in file order" },
	{ "names", "[relocation_name]",
	  "that were being looked up when a fault happened in .dynsym or .dynstr" },
	{ "relinks", "[relink]", "other ways to link, and what they would change" },
	{ 0 },
};
// clang-format on
