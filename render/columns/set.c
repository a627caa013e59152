// SPDX-License-Identifier: Apache-2.0
// A set of runs: "set" of an analysis.
#include "render/columns/columns.h"

#include "model/set.h"
#include "render/columns/node.h"

KNOWN_OF(has_plain, model_set, row->plain.count > 0)
VALUE_OF(mixed_new, model_set, node_texts(row->mixed, row->mixed_count))

#define TIME_AT(figure) ROW_IF(model_set, figures[figure], has_times)

// clang-format off
const struct row_column set_columns[] = {
	ROW("spread", "over all runs"),
	{ "least", "number", NULL, AT(model_spread, least) },
	{ "median", "number", NULL, AT(model_spread, median) },
	{ "most", "number", NULL, AT(model_spread, most) },

	ROW("set_plain", "medians of the command unrecorded, run in turn by record --repeat"),
	{ "runs", "number>0", NULL, AT(model_set_plain, count) },
	{ "wall_ns", "number", NULL, AT(model_set_plain, wall_ns) },
	{ "processor_ns", "number", "user and system, as wait4 gives it",
	  AT(model_set_plain, processor_ns) },
	{ "faults", "number", "minor and major", AT(model_set_plain, faults) },

	ROW("run_set", "times are null where a run has none"),
	{ "path", "text", "the directory", AT(model_set, path) },
	{ "runs", "number>0", NULL, AT(model_set, count) },
	{ "incomplete", "number", "of runs: those that lack faults, or whose trace ends early",
	  AT(model_set, incomplete) },
	{ "shown", "text",
	  "the trace of the run whose own time, without times whose faults, are nearest to the "
	  "median: all else in this document is of it", AT(model_set, shown) },
	{ "own_ns", "spread?",
	  "of the subject's first thread: neither waiting for a processor nor recording",
	  TIME_AT(MODEL_SET_OWN) },
	{ "cpu_ns", "spread?", "of own_ns", TIME_AT(MODEL_SET_CPU) },
	{ "fault_ns", "spread?", "of own_ns", TIME_AT(MODEL_SET_FAULT) },
	{ "storage_ns", "spread?", "of own_ns: in faults and outside", TIME_AT(MODEL_SET_STORAGE) },
	{ "wait_ns", "spread?", "of own_ns", TIME_AT(MODEL_SET_WAIT) },
	{ "late_ns", "spread?", "waiting for a processor", TIME_AT(MODEL_SET_LATE) },
	{ "recording_ns", "spread?", "what recording added", TIME_AT(MODEL_SET_RECORDING) },
	{ "wall_ns", "spread?",
	  "of the command's first thread, without what recording added: beside plain.wall_ns",
	  TIME_AT(MODEL_SET_WALL) },
	{ "processor_ns", "spread?",
	  "cpu + fault of all threads: beside plain.processor_ns", TIME_AT(MODEL_SET_PROCESSOR) },
	{ "faults", "spread", "as recorded", ROW_AT(model_set, figures[MODEL_SET_FAULTS]) },
	{ "plain", "set_plain?", "null: none of the runs has one beside it",
	  ROW_AT(model_set, plain),
	  .is_known = has_plain },
	{ "mixed_builds", "[text]", "files of which the runs have several builds", BY(mixed_new) },
	{ 0 },
};
// clang-format on
