// SPDX-License-Identifier: Apache-2.0
// The document of `whatif`.
#include "render/columns/columns.h"

// clang-format off
const struct row_column whatif_columns[] = {
	ROW("whatif_trace", NULL),
	{ "path", "text" },
	{ "complete", "bool" },

	ROW("whatif_sum", NULL),
	{ "faults", "number?", "null for a cold start, which only has major faults and bytes" },
	{ "major", "number" },
	{ "read_bytes", "number?", "brought into the page cache by faults" },
	{ "duration_ns", "number?" },

	ROW("whatif_cure", NULL),
	{ "cure", "text",
	  "relr, no-pie, static-libstdc++, no-pie-static-libstdc++, static, order, "
	  "fault-around-64k and the like, folios-64k, huge-heap, read-ahead-128k and the like" },
	{ "group", "link|system|cold-start" },
	{ "title", "text" },
	{ "object", "text?", "the file that it changes; null: several, or none" },
	{ "applies", "bool" },
	{ "how", "text?", "what to type" },
	{ "reason", "text?",
	  "why it does not apply; else what it is of, would break or is limited by" },
	{ "after", "whatif_sum?" },
	{ "bound", "bool", "what is saved is at most, or at least, this" },
	{ "saves", "at-most|at-least?", "which of both; null: neither" },
	{ "bound_of_major", "bool", "major is at least this, though read_bytes need not be" },
	{ "error_percent", "number?",
	  "of faults, in a cold start of bytes, as measured; null for a bound" },

	DOCUMENT("whatif", "elfault whatif --format json",
		 "What a recorded run would have been after each cure. Times are nanoseconds of "
		 "the command, sizes bytes; null is unknown, or not predicted. Each line of "
		 "--format ndjson is one of cures. Keys may be added."),
	{ "schema", "elfault.whatif/1" },
	{ "trace", "whatif_trace" },
	{ "program", "text?", "the executable that links are about" },
	{ "cold", "bool", "at least one fault in twenty waited for storage" },
	{ "fault_around_bytes", "number", "the most that one fault mapped" },
	{ "before", "whatif_sum" },
	{ "dynamic_linking", "whatif_linking",
	  "loader, symbol-lookup, relocation, ifunc and lazy-binding of the run; duration_ns: "
	  "of their faults and of computing" },
	{ "cures", "[whatif_cure]" },
	{ "notes", "[any]" },

	ROW("whatif_file", NULL),
	{ "object", "text" },
	{ "relative_pages", "number" },
	{ "libstdcxx_pages", "number" },
	{ "other_pages", "number" },

	ROW("whatif_linking", NULL),
	{ "", "whatif_sum" },
	{ "written", "[whatif_file]",
	  "pages that relocation wrote, by what the slots on them are bound to" },
	{ 0 },
};
// clang-format on
