// SPDX-License-Identifier: Apache-2.0
// The columns of functions line by line and instruction by instruction.
#include "model/listing.h"

#include "model/model.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"

VALUE_OF(function_name, model_listing,
	 node_text(((const struct model *)context)->functions[row->function].name))

static struct json_object *function_object(const void *row, const void *context)
{
	const struct model *model = context;
	const uint32_t function = ((const struct model_listing *)row)->function;

	return node_text(model->objects[model->functions[function].object].path);
}

static struct json_object *index_new(uint32_t index)
{
	return index == MODEL_NONE ? NULL : json_object_new_int64(index);
}

VALUE_OF(file_index, model_listing_line, index_new(row->file))
VALUE_OF(line_index, model_listing_instruction, index_new(row->line))
VALUE_OF(address, model_listing_instruction, node_address(row->vaddr))
VALUE_OF(start, model_listing, node_address(row->vaddr))
KNOWN_OF(is_own, model_listing_line, !row->function)

// clang-format off
const struct row_column listing_columns[] = {
	ROW("spent", "the cost of code, without what it called"),
	{ "own_ns", "number",
	  "computing, by samples; in its faults; waiting for storage in calls", AT(model_spent, own_ns) },
	{ "cpu_ns", "number", "of own_ns: computing outside faults, by samples", AT(model_spent, cpu_ns) },
	{ "fault_ns", "number", "of own_ns: in its faults", AT(model_spent, fault_ns) },
	{ "samples", "number", NULL, AT(model_spent, samples) },
	{ "faults", "number", NULL, AT(model_spent, faults) },
	{ "major", "number", NULL, AT(model_spent, major) },

	CLOSED_ROW("listing_file", NULL),
	{ "path", "text", "as DWARF has it, with its folder", AT(model_listing_file, path) },
	{ "problem", "text?", "why it was not read, or is in doubt; null: nothing is wrong",
	  AT(model_listing_file, problem) },

	CLOSED_ROW("listing_line",
		   "a line of the function, or one that was inlined there; lines of a listing add "
		   "up to it as far as DWARF has them"),
	{ "file", "number?", "index into files; null: unknown", BY(file_index) },
	{ "line", "number?", "null: unknown", AT_NONZERO(model_listing_line, number) },
	{ "inlined", "text?",
	  "the function that was inlined into the own line before it; null: this is an own line",
	  AT(model_listing_line, function) },
	{ "text", "text?", "null: the source was not read", AT(model_listing_line, text) },
	{ "spent", "spent", "of instructions that stand for this line", ROW_AT(model_listing_line, spent) },
	{ "with_inlined", "spent?", "with lines that were inlined there; null: it is one of these",
	  ROW_AT(model_listing_line, with_inlined), .is_known = is_own },

	CLOSED_ROW("listing_instruction", NULL),
	{ "vaddr", "address", NULL, BY(address) },
	{ "instruction", "text?", "null: not decoded", AT(model_listing_instruction, text) },
	{ "line", "number?", "index into lines; null: unknown", BY(line_index) },
	{ "spent", "spent", NULL, ROW_AT(model_listing_instruction, spent) },

	CLOSED_ROW("listing",
		   "a function line by line and instruction by instruction; costs are those of what "
		   "the conditions leave"),
	{ "function", "text", NULL, BY(function_name) },
	{ "object", "text", NULL, BY(function_object) },
	{ "vaddr", "address", NULL, BY(start) },
	{ "size", "number?", NULL, AT_NONZERO(model_listing, size) },
	{ "spent", "spent", NULL, ROW_AT(model_listing, spent) },
	{ "files", "[listing_file]", NULL, LIST_AT(model_listing, files, file_count) },
	{ "lines", "[listing_line]",
	  "own lines by file and number, each followed by what was inlined there, dearest first",
	  LIST_AT(model_listing, lines, line_count) },
	{ "instructions", "[listing_instruction]", "in order of address",
	  LIST_AT(model_listing, instructions, instruction_count) },
	{ "is_cut", "bool",
	  "beyond the first 256 KiB of the function there are only instructions that cost something",
	  AT(model_listing, is_cut) },
	{ 0 },
};
// clang-format on
