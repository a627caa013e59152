// SPDX-License-Identifier: Apache-2.0
// The documents of `smaps`.
#include "render/columns/columns.h"

// clang-format off
const struct row_column smaps_columns[] = {
	CLOSED_ROW("smaps_amounts",
	    "bytes; null where it is not known which section of a mapping has them"),
	{ "size", "number?", "address space" },
	{ "rss", "number?" },
	{ "pss", "number?", "proportional: each page divided by how often it is mapped" },
	{ "private_clean", "number?" },
	{ "private_dirty", "number?" },
	{ "shared_clean", "number?" },
	{ "shared_dirty", "number?" },
	{ "anonymous", "number?" },
	{ "swap", "number?" },
	{ "swap_pss", "number?" },
	{ "huge", "number?", "mapped by upper levels of the page table, and hugetlbfs" },
	{ "private", "number?", "private_clean + private_dirty" },
	{ "shared", "number?", "shared_clean + shared_dirty" },
	{ "clean", "number?", "private_clean + shared_clean" },
	{ "dirty", "number?", "private_dirty + shared_dirty" },

	CLOSED_ROW("smaps_process", NULL),
	{ "pid", "number>0?", "null where a copy does not say" },
	{ "name", "text", "of its program: the first file that it maps" },
	{ "mappings", "number" },
	{ "amounts", "smaps_amounts" },

	CLOSED_ROW("smaps_section", NULL),
	{ "section", "text",
	  "its name; of grain segment the first and last name, as in \".init to .fini\"; "
	  "[elf-header], [program-headers], [padding], [file]" },
	{ "grain", "page|mapping|segment",
	  "page: by the page table; mapping: its mappings hold nothing else; segment: several "
	  "sections that cannot be told apart" },
	{ "amounts", "smaps_amounts" },

	CLOSED_ROW("smaps_object", NULL),
	{ "path", "text",
	  "a file, or [heap], [stack], [anon] and the like; .bss counts for its file" },
	{ "mappings", "number" },
	{ "amounts", "smaps_amounts" },
	{ "sections", "[smaps_section]" },

	CLOSED_DOCUMENT("smaps", "elfault smaps --format json",
		 "Memory of processes by file and section, in bytes. Objects and sections are "
		 "sorted by the key of -t, the largest first."),
	{ "schema", "elfault.smaps/1" },
	{ "source", "text", "the PID, name or file that was asked for" },
	{ "by_page", "bool", "page tables were read" },
	{ "mappings", "number" },
	{ "amounts", "smaps_amounts" },
	{ "processes", "[smaps_process]" },
	{ "objects", "[smaps_object]" },
	{ "notes", "[text]" },

	CLOSED_ROW("smaps_diff_side", NULL),
	{ "source", "text" },
	{ "by_page", "bool" },
	{ "mappings", "number" },
	{ "amounts", "smaps_amounts" },
	{ "processes", "[smaps_process]" },
	{ "notes", "[text]" },

	CLOSED_ROW("smaps_diff_change",
	    "how much more afterwards, in bytes; null where one side is not known"),
	{ "size", "integer?" },
	{ "rss", "integer?" },
	{ "pss", "integer?" },
	{ "private_clean", "integer?" },
	{ "private_dirty", "integer?" },
	{ "shared_clean", "integer?" },
	{ "shared_dirty", "integer?" },
	{ "anonymous", "integer?" },
	{ "swap", "integer?" },
	{ "swap_pss", "integer?" },
	{ "huge", "integer?" },
	{ "private", "integer?" },
	{ "shared", "integer?" },
	{ "clean", "integer?" },
	{ "dirty", "integer?" },

	CLOSED_ROW("smaps_diff_object", NULL),
	{ "path", "text" },
	{ "before", "smaps_amounts?" },
	{ "after", "smaps_amounts?" },
	{ "change", "smaps_diff_change" },

	CLOSED_ROW("smaps_diff_section", NULL),
	{ "", "smaps_diff_object" },
	{ "section", "text" },

	CLOSED_DOCUMENT("smaps-diff", "elfault smaps --format json BEFORE AFTER",
		 "Memory of two sides by file and section, in bytes. What changed most by the "
		 "key of -t comes first; before or after is null of what only the other side "
		 "has."),
	{ "schema", "elfault.smaps-diff/1" },
	{ "before", "smaps_diff_side" },
	{ "after", "smaps_diff_side" },
	{ "objects", "[smaps_diff_object]" },
	{ "sections", "[smaps_diff_section]" },
	{ 0 },
};
// clang-format on
