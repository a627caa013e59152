// SPDX-License-Identifier: Apache-2.0
// The document of `analyze --by`.
#include "render/columns/columns.h"

// clang-format off
const struct row_column pivot_columns[] = {
	ROW("pivot_trace", NULL),
	{ "path", "text" },
	{ "complete", "bool" },

	ROW("pivot_counts", "of the whole trace"),
	{ "recorded", "number" },
	{ "lost", "number" },
	{ "missing", "number", "not in the trace, for whatever reason" },

	ROW("pivot_count", NULL),
	{ "faults", "number" },
	{ "major", "number" },
	{ "duration_ns", "number" },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage" },
	{ "late_ns", "number", "of duration_ns: able to run, and not running" },
	{ "pages", "number", "distinct pages that faulted" },
	{ "read_bytes", "number?", "brought into the page cache by faults; null: not known" },

	ROW("pivot_row", NULL),
	{ "", "pivot_count" },
	{ "", "fields" },

	DOCUMENT("pivot", "elfault analyze --by WORD[,WORD[,WORD]] --format json",
		 "Faults counted by the values of one to three of their words. Times are "
		 "nanoseconds; null is what a fault has no value for. Rows are ordered by "
		 "faults, then the words' values. Each line of --format ndjson is a row. Keys "
		 "may be added."),
	{ "schema", "elfault.pivot/1" },
	{ "trace", "pivot_trace" },
	{ "filter", "text?",
	  "the condition that all faults counted meet, in the words of --where" },
	{ "counts", "pivot_counts", "of the whole trace" },
	{ "by", "[field 1..3]",
	  "the words, each a key of every row" },
	{ "total", "pivot_count" },
	{ "rows", "[pivot_row]" },
	{ "notes", "[text]" },

	ROW("io_pivot_row", NULL),
	{ "", "io_count" },
	{ "", "io-fields" },

	DOCUMENT("io-pivot", "elfault analyze --io --by WORD[,WORD[,WORD]] --format json",
		 "Operations of storage counted by the values of one to three of their words. Rows "
		 "are ordered by what was waited, then bytes, then the words' values. Each line of "
		 "--format ndjson is a row. Keys may be added."),
	{ "schema", "elfault.io-pivot/1" },
	{ "trace", "pivot_trace" },
	{ "filter", "text?",
	  "the condition that all operations counted meet, in the words of --where" },
	{ "counts", "pivot_counts", "faults of the whole trace" },
	{ "by", "[io-field 1..3]",
	  "the words, each a key of every row" },
	{ "total", "io_count" },
	{ "rows", "[io_pivot_row]" },
	{ "notes", "[text]" },
	{ 0 },
};
// clang-format on
