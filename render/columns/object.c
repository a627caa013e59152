// SPDX-License-Identifier: Apache-2.0
// One file: "objects" of an analysis.
#include "render/columns/columns.h"

// clang-format off
const struct column object_columns[] = {
	ROW("section", NULL),
	{ "section", "text?" },
	{ "faults", "number" },
	{ "major", "number" },
	{ "read_bytes", "number?", "null: not known" },
	{ "pages", "number", "distinct pages that faulted" },
	{ "size", "number?" },

	ROW("symbol", NULL),
	{ "symbol", "text?" },
	{ "symbol_kind", "symbol_kind?" },
	{ "section", "text?" },
	{ "offset", "number?" },
	{ "size", "number" },
	{ "faults", "number" },
	{ "major", "number" },

	ROW("initializer", NULL),
	{ "index", "number" },
	{ "array", "text" },
	{ "function", "text?" },
	{ "offset", "number?" },
	{ "source", "text?",
	  "its file; under LTO all that were merged into it, a few named and the others counted" },
	{ "faults", "number",
	  "inside it, whatever they touched, of all that were recorded; initializers that it "
	  "runs itself, by dlopen, count for themselves" },
	{ "lazy_binding", "number", "of faults: binding a PLT entry at its first call" },
	{ "major", "number" },
	{ "duration_ns", "number" },
	{ "pages", "number", "distinct pages that faulted inside it" },
	{ "code_pages", "number",
	  "distinct pages on which an ip or a frame of a stack was seen inside it" },
	{ "code_pages_only", "number",
	  "of code_pages: those on which none was seen anywhere else" },
	{ "first_ns", "number?",
	  "its first fault, since the start of the recording; null without one" },
	{ "last_ns", "number?" },
	{ "read_bytes", "number", "that its faults brought into the page cache" },
	{ "cpu_ns", "number?",
	  "processor time inside it, outside faults; null: the processor was not sampled" },
	{ "wait_ns", "number?",
	  "off the processor inside it, outside faults, where a stack tells; null: that was "
	  "not recorded" },
	{ "storage_bytes", "number?",
	  "that storage delivered for it, by faults, read() and all else; null: that was not "
	  "recorded" },

	ROW("code_curve",
	    "code pages after so many functions by first use; of more than 256 the first, the "
	    "last and others evenly between"),
	{ "functions", "[number ..256]" },
	{ "pages", "[number ..256]" },
	{ "time_ns", "[number ..256]" },

	ROW("file_curve",
	    "pages of the file after so many of its faults; of more than 256 the first, the "
	    "last and others evenly between"),
	{ "faults", "[number ..256]" },
	{ "pages", "[number ..256]" },
	{ "time_ns", "[number ..256]" },

	ROW("locality",
	    "order and closeness of what ran and faulted (docs/diff.md); null for what is not "
	    "a file, and where faults were left out"),
	{ "functions", "number",
	  "seen to run: at a faulting instruction or on the stack of a fault" },
	{ "code_pages", "number", "distinct pages that these functions span" },
	{ "code_bytes", "number", "of these functions" },
	{ "area", "number",
	  "under the curve of code pages over functions by first use: its values added up" },
	{ "least_area", "number",
	  "the area if the functions lay side by side by first use, from the start of a page" },
	{ "packing", "share?", "least_area / area: 1 is the best order; null: no functions" },
	{ "pages_per_function", "amount?", "code_pages / functions; null: no functions" },
	{ "same", "number",
	  "faults on the page of the one before of the same process in the file" },
	{ "next", "number", "up to 16 pages ahead of it" },
	{ "forward", "number", "further ahead" },
	{ "backward", "number", "before it" },
	{ "random", "number", "forward and backward" },
	{ "code_curve", "code_curve",
	  "code pages after so many functions by first use; of more than 256 the first, the "
	  "last and others evenly between" },
	{ "file_curve", "file_curve",
	  "pages of the file after so many of its faults; of more than 256 the first, the last "
	  "and others evenly between" },

	ROW("object", NULL),
	{ "path", "text" },
	{ "soname", "text?" },
	{ "build_id", "build-id?" },
	{ "size", "number?" },
	{ "symbols", "symtab|debug-file|gopclntab|dynsym|eh-frame|none" },
	{ "forced", "bool", "--force: the file read is not the recorded build" },
	{ "faults", "number" },
	{ "major", "number" },
	{ "duration_ns", "number" },
	{ "read_bytes", "number?", "brought into the page cache by faults; null: not known" },
	{ "by_initiator", "by_initiator" },
	{ "by_mechanism", "by_mechanism" },
	{ "by_access", "by_access" },
	{ "by_section", "[section]" },
	{ "by_symbol", "[symbol]", "what was touched" },
	{ "by_function", "[toucher]", "who touched it" },
	{ "by_blame", "[toucher]",
	  "who touched it, or called what did: the innermost frame outside libc, libstdc++, "
	  "the dynamic linker and the like; faults without one are left out" },
	{ "initializers", "[initializer]" },
	{ "relocation", "relocation?",
	  "what relocating the object cost, and what it would cost linked in another way; null "
	  "without relocations and with --where" },
	{ "data", "data?",
	  "the pages of writable segments that faulted; null if none did, and with --where" },
	{ "locality", "locality?" },
	{ 0 },
};
// clang-format on
