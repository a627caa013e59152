// SPDX-License-Identifier: Apache-2.0
// The document of `whatif`.
#include "render/columns/objects.h"

#include "render/columns/head.h"
#include "render/columns/node.h"

struct shown_sum {
	struct whatif_sum sum;
	bool has_faults, has_reads, has_time;
};

static struct shown_sum sum_of(const struct whatif_sum *sum, const void *context, bool has_faults,
			       bool has_time)
{
	bool has_reads = ((const struct whatif_context *)context)->answer->has_reads;

	return (struct shown_sum){ *sum, has_faults, !has_faults || has_reads, has_time };
}

static struct json_object *before_new(const void *row, const void *context)
{
	const struct whatif_answer *answer = row;
	const struct shown_sum sum = sum_of(&answer->before, context, true, answer->has_time);

	return columns_new("whatif_sum", &sum, NULL);
}

static struct json_object *after_new(const void *row, const void *context)
{
	const struct whatif *cure = row;
	const struct shown_sum sum =
		sum_of(&cure->after, context, cure->group != WHATIF_COLD_START, cure->has_time);

	return cure->applies ? columns_new("whatif_sum", &sum, NULL) : NULL;
}

/** The sum first: its columns stand among those of the row. */
struct shown_linking {
	struct shown_sum sum;
	const struct whatif_file *files;
	size_t file_count;
};

static struct json_object *linking_new(const void *row, const void *context)
{
	const struct whatif_answer *answer = row;
	const struct whatif_linking *linking = &answer->linking;
	const struct shown_linking of = { sum_of(&linking->sum, context, true, answer->has_time),
					  linking->files, linking->file_count };

	return columns_new("whatif_linking", &of, context);
}

VALUE_OF(bound_new, whatif, json_object_new_boolean(row->saves.is != MODEL_PREDICTION))
VALUE_OF(bound_word, whatif,
	 node_text(row->saves.is == MODEL_PREDICTION ? NULL : model_bound_name(row->saves.is)))

KNOWN_OF(has_error, whatif, row->applies && row->saves.is == MODEL_PREDICTION)

static struct json_object *path_new(const void *index, const void *context)
{
	const struct model *model = ((const struct whatif_context *)context)->model;
	uint32_t object = *(const uint32_t *)index;

	return node_text(object == MODEL_NONE ? NULL : model->objects[object].path);
}

VALUE_IN(trace_new, headjson_trace(((const struct whatif_context *)context)->model))
VALUE_IN(notes_new, headjson_notes(&((const struct whatif_context *)context)->model->notes))

// clang-format off
const struct row_column whatif_columns[] = {
	ROW("whatif_trace", NULL),
	{ "path", "text" },
	{ "complete", "bool" },

	ROW("whatif_sum", NULL),
	{ "faults", "number?", "null for a cold start, which only has major faults and bytes",
	  AT_IF(shown_sum, sum.faults, has_faults) },
	{ "major", "number", NULL, AT(shown_sum, sum.major) },
	{ "read_bytes", "number?", "brought into the page cache by faults",
	  AT_IF(shown_sum, sum.read_bytes, has_reads) },
	{ "duration_ns", "number?", NULL, AT_IF(shown_sum, sum.duration_ns, has_time) },

	ROW("whatif_cure", NULL),
	{ "cure", "text",
	  "relr, no-pie, static-libstdc++, no-pie-static-libstdc++, static, order, "
	  "fault-around-64k and the like, folios-64k, huge-heap, read-ahead-128k and the like",
	  AT(whatif, cure) },
	{ "group", "link|system|cold-start", NULL, WORD_AT(whatif, group, whatif_group_name) },
	{ "title", "text", NULL, AT(whatif, title) },
	{ "object", "text?", "the file that it changes; null: several, or none",
	  AT(whatif, object) },
	{ "applies", "bool", NULL, AT(whatif, applies) },
	{ "how", "text?", "what to type", AT(whatif, how) },
	{ "reason", "text?",
	  "why it does not apply; else what it is of, would break or is limited by",
	  AT(whatif, reason) },
	{ "after", "whatif_sum?", NULL, BY(after_new) },
	{ "bound", "bool", "what is saved is at most, or at least, this", BY(bound_new) },
	{ "saves", "at-most|at-least?", "which of both; null: neither", BY(bound_word) },
	{ "bound_of_major", "bool", "major is at least this, though read_bytes need not be",
	  AT(whatif, is_major_bound) },
	{ "error_percent", "number?",
	  "of faults, in a cold start of bytes, as measured; null for a bound",
	  AT_WHERE(whatif, error_percent, has_error) },
	{ "error_ns", "number?",
	  "of after.duration_ns, in 19 of 20 cases: of samples, faults and as measured; null for a "
	  "bound, which has it within, and without a time",
	  AT_NONZERO(whatif, saves.error_ns) },

	DOCUMENT("whatif", "elfault whatif --format json",
		 "What a recorded run would have been after each cure. Times are nanoseconds of "
		 "the command, sizes bytes; null is unknown, or not predicted. Each line of "
		 "--format ndjson is one of cures. Keys may be added."),
	{ "schema", "elfault.whatif/1" },
	{ "trace", "whatif_trace", NULL, BY(trace_new) },
	{ "program", "text?", "the executable that links are about",
	  BY_AT(whatif_answer, program, path_new) },
	{ "cold", "bool", "at least one fault in twenty waited for storage",
	  AT(whatif_answer, was_cold) },
	{ "fault_around_bytes", "number", "the most that one fault mapped",
	  AT(whatif_answer, around) },
	{ "before", "whatif_sum", NULL, BY(before_new) },
	{ "dynamic_linking", "whatif_linking",
	  "loader, symbol-lookup, relocation, ifunc and lazy-binding of the run; duration_ns: "
	  "of their faults and of computing", BY(linking_new) },
	{ "cures", "[whatif_cure]", NULL, LIST_AT(whatif_answer, items, count) },
	{ "notes", "[any]", NULL, BY(notes_new) },

	ROW("whatif_file", NULL),
	{ "object", "text", NULL, BY_AT(whatif_file, object, path_new) },
	{ "relative_pages", "number", NULL, AT(whatif_file, relative) },
	{ "libstdcxx_pages", "number", NULL, AT(whatif_file, cxx) },
	{ "other_pages", "number", NULL, AT(whatif_file, other) },

	ROW("whatif_linking", NULL),
	{ "", "whatif_sum" },
	{ "written", "[whatif_file]",
	  "pages that relocation wrote, by what the slots on them are bound to",
	  LIST_AT(shown_linking, files, file_count) },
	{ 0 },
};
// clang-format on
