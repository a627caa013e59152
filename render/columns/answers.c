// SPDX-License-Identifier: Apache-2.0
// Documents of single answers: `analyze --initializers`, `analyze --io`, whose operations are those
// of model/iocolumns.def, and a line of `export --to rows`.
#include "render/columns/objects.h"

#include "model/iosum.h"
#include "model/model.h"
#include "render/columns/node.h"

VALUE_OF(object_path, model_initializer,
	 node_text(((const struct object_context *)context)->model->objects[row->object].path))

// clang-format off
const struct row_column initializers_columns[] = {
	DOCUMENT("initializers",
		 "What each initializer cost: elfault analyze --initializers --format json",
		 "The rows of elfault.analysis/1, with their object, most time first or as "
		 "--sort says. Keys may be added."),
	{ "schema", "elfault.initializers/1" },
	{ "initializers", "[object_initializer]" },

	ROW("object_initializer", NULL),
	{ "object", "text", NULL, BY(object_path) },
	{ "", "initializer", NULL, SAME },
	{ 0 },
};
// clang-format on

// clang-format off
const struct row_column io_document_columns[] = {
	ROW("io_trace", NULL),
	{ "path", "text" },
	{ "complete", "bool" },

	ROW("io_count", NULL),
	{ "operations", "number", NULL, AT(iosum, operations) },
	{ "requests", "number", "of devices; one may have served several operations",
	  AT(iosum, requests) },
	{ "flushes", "number", "calls that returned when a file was written", AT(iosum, flushes) },
	{ "bytes", "number", NULL, AT(iosum, bytes) },
	{ "latency_ns", "number", "their latencies added up", AT(iosum, latency_ns) },
	{ "wait_ns", "number", "threads waited for them; of one file each moment of a thread counts once",
	  AT(iosum, wait_ns) },

	DOCUMENT("io", "elfault analyze --io --format json",
		 "Every operation of storage: a range of a file, or blocks of no regular file, "
		 "that one request delivered, and each call that returned when a file was written. Each line of --format ndjson is an operation. Keys "
		 "may be added."),
	{ "schema", "elfault.io/1" },
	{ "trace", "io_trace" },
	{ "filter", "text?",
	  "the condition that all operations shown meet, in the words of --where" },
	{ "total", "io_count", "of those shown; without a filter, bytes are device_bytes and "
	  "requests are requests.count of storage in the analysis" },
	{ "operations", "[operation]", "in order of time" },
	{ 0 },
};
// clang-format on

// clang-format off
const struct row_column causes_columns[] = {
	DOCUMENT("rows", "A line of export --to rows: the faults of one start that have one cause",
		 "A row for each trace, object, section, initiator, mechanism and initializer. "
		 "No value is null: an unknown text is empty. What is of the trace is the same "
		 "in all of its rows. Keys may be added."),
	{ "trace", "run-id", "of the recording: equal for copies of it, different for any other" },
	{ "start_unix_s", "number", "when recording began, seconds since 1970 UTC; 0: unknown" },
	{ "host", "text", "of the recording, as uname -n prints it; empty unless --host is given" },
	{ "command", "text",
	  "its program and the names of its options, all words with --arguments, with blanks "
	  "between them; of a process that ran already, its name" },
	{ "attached", "flag", "1: of a process that ran already, so not a start" },
	{ "labels", "[text]",
	  "\"key=value\": of record --label, and over them of export --label; sorted" },
	{ "recorder", "text", "version of elfault that recorded" },
	{ "version", "text", "version of elfault that wrote the row" },
	{ "backend", "text", "bpf or perf" },
	{ "kernel", "text", "uname -r" },
	{ "machine", "text", "uname -m" },
	{ "complete", "flag", "0: the trace was cut, or its recorder killed" },
	{ "lost", "number", "faults of the recording that are in no row" },
	{ "lost_other", "number", "lost records of mappings, tasks and the like" },
	{ "stacks_lost", "number", "faults whose stack was lost: their initiator is less certain" },
	{ "object", "text",
	  "path of the file that was touched; [heap], [stack], [anon] and the like outside "
	  "files" },
	{ "build_id", "build-id-or-empty", "of object" },
	{ "section", "text", "of object" },
	{ "initiator", "initiator" },
	{ "mechanism", "mechanism" },
	{ "initializer", "text", "function of the innermost initializer that was running" },
	{ "init_object", "text",
	  "path of the file that it is of; also where it is not known which of its "
	  "initializers ran" },
	{ "init_build_id", "build-id-or-empty", "of init_object" },
	{ "init_offset", "number", "of the initializer in init_object; 0: unknown" },
	{ "faults", "number", "sum" },
	{ "majors", "number", "of these, those that waited for storage" },
	{ "time_ns", "number", "in these faults, where their durations are known" },
	{ "bytes", "number",
	  "that these faults brought into the page cache; 0 also where it is not known, as "
	  "with the perf backend" },
	{ 0 },
};
// clang-format on
