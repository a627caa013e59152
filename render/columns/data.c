// SPDX-License-Identifier: Apache-2.0
// Pages of writable segments: "data" of an object.
#include "render/columns/columns.h"

// clang-format off
const struct column data_columns[] = {
	ROW("data_cause", NULL),
	{ "pages", "number" },
	{ "faults", "number" },

	ROW("data_causes", NULL),
	{ "zeroed-tail", "data_cause" },
	{ "relocated", "data_cause" },
	{ "first-touch", "data_cause" },
	{ "written", "data_cause" },
	{ "read", "data_cause" },

	ROW("data_bss", "memory past the file's part of the segments, and the whole pages of it"),
	{ "size", "number" },
	{ "pages", "number" },
	{ "pages_touched", "number" },

	ROW("data_tail",
	    "where .data ends within a page that .bss goes on with, and the bytes of that page "
	    "that are zeroed"),
	{ "vaddr", "address" },
	{ "bytes", "number" },

	ROW("data_symbol", NULL),
	{ "symbol", "text" },
	{ "vaddr", "address" },
	{ "size", "number" },
	{ "faults", "number" },
	{ "writes", "number", "of faults" },

	ROW("data_page", NULL),
	{ "vaddr", "address" },
	{ "section", "text?" },
	{ "cause", "zeroed-tail|relocated|first-touch|written|read" },
	{ "faults", "number" },
	{ "major", "number" },
	{ "relocations", "number", "slots on it" },
	{ "symbols_on_page", "number" },
	{ "symbols", "[data_symbol]",
	  "those that faults touched first, then by vaddr; at most 16" },

	ROW("data",
	    "the pages of writable segments that faulted; null if none did, and with --where"),
	{ "causes", "data_causes" },
	{ "bss", "data_bss?",
	  "memory past the file's part of the segments, and the whole pages of it" },
	{ "tail", "data_tail?",
	  "where .data ends within a page that .bss goes on with, and the bytes of that page "
	  "that are zeroed" },
	{ "pages_left_out", "number" },
	{ "pages", "[data_page]",
	  "by vaddr, without those that relocation copied; the first 1024" },
	{ 0 },
};
// clang-format on
