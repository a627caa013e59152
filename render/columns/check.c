// SPDX-License-Identifier: Apache-2.0
// The documents of `check`.
#include "render/columns/columns.h"

// clang-format off
const struct row_column check_columns[] = {
	ROW("check_recorded", "the traces: what is the same of all, from the first"),
	{ "command", "text",
	  "its program and the names of its options, … for other words, ~ for home directories" },
	{ "program", "text?", "that limits on wall are of; null: there is none, or its name is unknown" },
	{ "backend", "text" },
	{ "kernel", "text" },
	{ "machine", "text" },
	{ "page_size", "number" },
	{ "runs", "number>0" },
	{ "complete", "bool", "every trace" },

	ROW("check_counts", "limits by state"),
	{ "kept", "number" },
	{ "broken", "number" },
	{ "unsure", "number" },
	{ "unmeasured", "number" },

	ROW("check_limit", NULL),
	{ "line", "number>0" },
	{ "limit", "text", "the metric and its conditions" },
	{ "metric", "faults|major|minor|pages|duration|read|relocations|initializers|size|wall|time|"
	  "read_bytes|until" },
	{ "bound", "text", "what the value may be, as written" },
	{ "state", "kept|broken|unsure|unmeasured",
	  "unsure: what was lost may make it another; unmeasured: see reason" },
	{ "reason", "text?", "of unsure and unmeasured" },
	{ "value", "real?", "the median of the runs" },
	{ "spread", "real?", "their interquartile range" },
	{ "runs", "[number]" },
	{ "baseline", "real?" },
	{ "at_least", "real?", "tolerance included" },
	{ "at_most", "real?", "tolerance included" },
	{ "beyond", "real?", "of broken: how far it is outside" },
	{ "offenders", "[[check_offender] 2..2]",
	  "of broken: by cause, then by who did it; each what contributes most, or with a "
	  "baseline what grew most (for a value that is too low, what shrank)" },
	{ "changes", "[text]",
	  "of broken: what changed in its files since the baseline, in words" },

	ROW("check_warning", NULL),
	{ "line", "integer?", "of the budget; null: of none" },
	{ "text", "text" },

	DOCUMENT("check", "elfault check --format json",
		 "A trace, or repeats of it, held against a budget. Durations are nanoseconds, "
		 "sizes are bytes. Keys may be added."),
	{ "schema", "elfault.check/1" },
	{ "budget", "text", "its path" },
	{ "baseline", "text?", "its path; null: none was read" },
	{ "recorded", "check_recorded", "the traces: what is the same of all, from the first" },
	{ "counts", "check_counts", "limits by state" },
	{ "limits", "[check_limit]", "in the order of the budget" },
	{ "warnings", "[check_warning]" },
	{ "notes", "[text]" },

	ROW("check_word", NULL),
	{ "word", "text" },
	{ "value", "text?" },

	ROW("check_offender", NULL),
	{ "by", "[check_word]", "the words of --by and the row's values of them" },
	{ "value", "amount" },
	{ "before", "real?", "in the baseline, 0: it is new; null: not known" },
	{ "before_at_most", "real?", "the baseline leaves out small rows; null: there is none" },

	ROW("baseline_limit", NULL),
	{ "limit", "text", "the metric and its conditions" },
	{ "value", "amount", "the median of the runs" },
	{ "spread", "amount", "their interquartile range" },
	{ "tables", "[baseline_table ..2]", "the value in parts: by cause, then by who did it" },

	ROW("baseline_object", NULL),
	{ "object", "text", "soname, else file name" },
	{ "build_id", "text?" },
	{ "size", "number" },
	{ "relocations", "number" },
	{ "relocation_table_bytes", "number" },
	{ "initializers", "number" },
	{ "sections", "{text: number}", "bytes in memory of those that are loaded" },

	DOCUMENT("baseline", "what elfault check --update writes",
		 "What traces gave for the limits of a budget. Durations are nanoseconds, sizes "
		 "are bytes. Keys may be added."),
	{ "schema", "elfault.baseline/1" },
	{ "command", "text",
	  "its program and the names of its options, … for other words, ~ for home directories" },
	{ "backend", "text" },
	{ "kernel", "text" },
	{ "machine", "text" },
	{ "page_size", "number" },
	{ "runs", "number>0" },
	{ "limits", "[baseline_limit]", "in the order of the budget, each once" },
	{ "objects", "[baseline_object]", "the ELF files of the process, by name" },

	ROW("baseline_table", NULL),
	{ "by", "[text ..3]" },
	{ "least", "amount", "no row that is left out is larger; 0: none is left out" },
	{ "rows", "[[any 1..4]]", "a number and the values of the words, in the order of these" },
	{ 0 },
};
// clang-format on
