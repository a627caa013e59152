// SPDX-License-Identifier: Apache-2.0
// The documents of `analyze --initializers` and of `analyze --io`, whose operations are those of
// model/iocolumns.def.
#include "render/columns/objects.h"

#include "model/iosum.h"
#include "model/model.h"
#include "render/columns/node.h"

static struct json_object *object_path(const void *row, const void *context)
{
	const struct model *model = ((const struct object_context *)context)->model;

	return node_text(model->objects[((const struct model_initializer *)row)->object].path);
}

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
