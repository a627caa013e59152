// SPDX-License-Identifier: Apache-2.0
// Findings: "findings" of an analysis.
#include "render/columns/columns.h"

// clang-format off
const struct column finding_columns[] = {
	ROW("saves_error", NULL),
	{ "faults", "number" },
	{ "duration_ns", "number" },

	ROW("saves", "what following the advice saves"),
	{ "faults", "number", "of cold-start and backward-runs: that no longer wait for storage" },
	{ "read_bytes", "number", "that storage need not deliver" },
	{ "duration_ns", "number", "in faults, computing, and waiting for storage" },
	{ "storage_ns", "number", "of duration_ns: waiting for storage" },
	{ "is", "bound" },
	{ "error", "saves_error?",
	  "of a prediction, in 19 of 20 cases; null: not measured, or it is a bound" },
	{ "bound", "bool", "at most or at least so much, as `is` says; false: predicted" },

	ROW("finding_file", NULL),
	{ "object", "text" },
	{ "faults", "number" },
	{ "pages", "number" },
	{ "duration_ns", "number" },
	{ "saves", "saves" },
	{ "evidence", "text" },

	ROW("cure", NULL),
	{ "for", "for" },
	{ "advice", "text" },

	ROW("finding", NULL),
	{ "id", "text", "stable; docs/findings.md has a section for each" },
	{ "title", "text" },
	{ "object", "text?",
	  "path of the file that it concerns, null: the whole run, or those of files" },
	{ "files", "[finding_file]",
	  "the files that it concerns, what saves most first; none: the whole run" },
	{ "where", "text?",
	  "a condition as --where takes it, that leaves the finding's faults, and perhaps some "
	  "more" },
	{ "faults", "number", "what it costs" },
	{ "pages", "number" },
	{ "duration_ns", "number", "of these faults" },
	{ "storage_ns", "number", "of duration_ns: of major faults, which waited for storage" },
	{ "cpu_ns", "number", "computing for the same cause outside faults, by samples" },
	{ "cpu_error_ns", "number", "the true time is nearer to cpu_ns in 19 of 20 cases" },
	{ "saves", "saves" },
	{ "saves_faults", "number", "saves.faults" },
	{ "evidence", "text" },
	{ "for", "for", "who can follow the first of the cures" },
	{ "cures", "[cure 1..]", "what each who can act has to do; the nearest first" },
	{ "advice", "text", "all cures as one text" },
	{ 0 },
};
// clang-format on
