// SPDX-License-Identifier: Apache-2.0
// Findings: "findings" of an analysis.
#include "render/columns/objects.h"

#include "model/model.h"
#include "render/columns/node.h"

/** False: not measured, or it is a bound. */
KNOWN_OF(has_error, model_saving,
	 row->is == MODEL_PREDICTION && (row->error_faults > 0 || row->error_ns > 0))
VALUE_OF(bound_new, model_saving, json_object_new_boolean(row->is != MODEL_PREDICTION))
VALUE_OF(first_for, model_finding,
	 node_text(row->cure_count > 0 ? model_for_name(row->cures[0].who) : NULL))

// clang-format off
const struct row_column finding_columns[] = {
	ROW("saves_error", NULL),
	{ "faults", "number", NULL, AT(model_saving, error_faults) },
	{ "duration_ns", "number", NULL, AT(model_saving, error_ns) },

	ROW("saves", "what following the advice saves"),
	{ "faults", "number", "of cold-start and backward-runs: that no longer wait for storage",
	  AT(model_saving, faults) },
	{ "read_bytes", "number", "that storage need not deliver", AT(model_saving, read_bytes) },
	{ "duration_ns", "number", "in faults, computing, and waiting for storage",
	  AT(model_saving, duration_ns) },
	{ "storage_ns", "number", "of duration_ns: waiting for storage",
	  AT(model_saving, storage_ns) },
	{ "is", "bound", NULL, WORD_AT(model_saving, is, model_bound_name) },
	{ "error", "saves_error?",
	  "of a prediction, in 19 of 20 cases; null: not measured, or it is a bound",
	  SAME_WHERE(has_error) },
	{ "bound", "bool", "at most or at least so much, as `is` says; false: predicted",
	  BY(bound_new) },

	ROW("finding_file", NULL),
	{ "object", "text", NULL, BY_AT(model_finding_file, object, object_path_new) },
	{ "faults", "number", NULL, AT(model_finding_file, faults) },
	{ "pages", "number", NULL, AT(model_finding_file, pages) },
	{ "duration_ns", "number", NULL, AT(model_finding_file, duration_ns) },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage",
	  AT(model_finding_file, own_ns) },
	{ "saves", "saves", NULL, ROW_AT(model_finding_file, saves) },
	{ "evidence", "text", NULL, AT(model_finding_file, evidence) },

	ROW("cure", NULL),
	{ "for", "for", NULL, WORD_AT(model_cure, who, model_for_name) },
	{ "advice", "text", NULL, AT(model_cure, text) },

	ROW("finding", NULL),
	{ "id", "text", "stable; docs/findings.md has a section for each", AT(model_finding, id) },
	{ "title", "text", NULL, AT(model_finding, title) },
	{ "object", "text?",
	  "path of the file that it concerns, null: the whole run, or those of files",
	  BY_AT(model_finding, object, object_path_new) },
	{ "where", "text?",
	  "a condition as --where takes it, that leaves the finding's faults, and perhaps some "
	  "more", AT(model_finding, where) },
	{ "faults", "number", "what it costs", AT(model_finding, faults) },
	{ "pages", "number", NULL, AT(model_finding, pages) },
	{ "duration_ns", "number", "of these faults", AT(model_finding, duration_ns) },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage",
	  AT(model_finding, own_ns) },
	{ "storage_ns", "number", "of own_ns: of major faults, which waited for storage",
	  AT(model_finding, major_ns) },
	{ "cpu_ns", "number", "computing for the same cause outside faults, by samples",
	  AT(model_finding, cpu_ns) },
	{ "cpu_error_ns", "number", "the true time is nearer to cpu_ns in 19 of 20 cases",
	  AT(model_finding, cpu_error_ns) },
	{ "beside_ns", "number",
	  "of saves.duration_ns: what is left if the findings before it are followed as well, since "
	  "several save the same time; they add up to no more than the time of their causes",
	  AT(model_finding, saves.beside_ns) },
	{ "saves_faults", "number", "saves.faults", AT(model_finding, saves.faults) },
	{ "saves", "saves", NULL, ROW_AT(model_finding, saves) },
	{ "for", "for", "who can follow the first of the cures", BY(first_for) },
	{ "cures", "[cure 1..]", "what each who can act has to do; the nearest first",
	  LIST_AT(model_finding, cures, cure_count) },
	{ "files", "[finding_file]",
	  "the files that it concerns, what saves most first; none: the whole run",
	  LIST_AT(model_finding, files, file_count) },
	{ "evidence", "text", NULL, AT(model_finding, evidence) },
	{ "advice", "text", "all cures as one text", AT(model_finding, advice) },
	{ "names", "text?", "what it is about: libraries that go, the dearest initializers",
	  AT(model_finding, names) },
	{ "command", "text?", "of the first cure that has one: what to type, alone",
	  AT(model_finding, command) },
	{ 0 },
};
// clang-format on
