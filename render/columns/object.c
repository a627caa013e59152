// SPDX-License-Identifier: Apache-2.0
// One file: "objects" of an analysis.
#include "render/columns/objects.h"

#include "render/columns/node.h"

struct json_object *object_path_new(const void *object, const void *context)
{
	const struct model *model = context;
	uint32_t index = *(const uint32_t *)object;

	return node_text(index == MODEL_NONE ? NULL : model->objects[index].path);
}

static const struct model *model_of(const void *context)
{
	return ((const struct object_context *)context)->model;
}

static struct json_object *read_bytes_new(const struct model *model,
					  const struct model_count *count)
{
	return model->trace.has_reads ? json_object_new_uint64(model_read_bytes(model, count))
				      : NULL;
}

VALUE_OF(section_read_bytes, model_section, read_bytes_new(model_of(context), &row->count))

static struct json_object *symbol_section(const void *row, const void *context)
{
	const struct model_symbol *symbol = row;
	const struct model *model = model_of(context);

	return node_text(symbol->section == MODEL_NONE ? NULL
						       : model->sections[symbol->section].name);
}

KNOWN_OF(has_faults, model_initializer, row->count.faults > 0)

static bool has_account(const void *row, const void *context)
{
	return model_of(context)->account;
}

static bool has_samples(const void *row, const void *context)
{
	return has_account(row, context) && model_of(context)->account->samples > 0;
}

static bool has_storage(const void *row, const void *context)
{
	return model_of(context)->storage;
}

VALUE_OF(initializer_read_bytes, model_initializer,
	 json_object_new_uint64(model_read_bytes(model_of(context), &row->count)))

VALUE_OF(object_read_bytes, model_object, read_bytes_new(model_of(context), &row->count))

static const void *section_of(const void *row, size_t index, const void *context)
{
	const struct model_object *object = row;

	return index < object->section_count ? &model_of(context)->sections[object->sections[index]]
					     : NULL;
}

static const void *symbol_of(const void *row, size_t index, const void *context)
{
	const struct model_object *object = row;

	return index < object->symbol_count
		       ? &model_of(context)->symbols[object->symbols_touched[index]]
		       : NULL;
}

static const void *initializer_of(const void *row, size_t index, const void *context)
{
	const struct model_object *object = row;

	return index < object->initializer_count
		       ? &model_of(context)->initializers[object->first_initializer + index]
		       : NULL;
}

static void add_share(struct json_object *object, const char *key, uint64_t part, uint64_t whole)
{
	node_add(object, key,
		 whole > 0 ? json_object_new_double((double)part / (double)whole) : NULL);
}

/** The curve of code pages over functions, as many points of it as are shown. */
static struct json_object *code_curve_new(const struct locality *locality)
{
	struct json_object *curve = node_object();
	struct json_object *functions = node_array(), *pages = node_array(), *times = node_array();
	size_t count = locality->function_count < LOCALITY_POINTS ? locality->function_count
								  : LOCALITY_POINTS;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = locality_sample(i, locality->function_count);

		node_append(functions, json_object_new_uint64(at + 1));
		node_append(pages, json_object_new_uint64(locality->functions[at].pages));
		node_append(times, json_object_new_uint64(locality->functions[at].first_ns));
	}
	node_add(curve, "functions", functions);
	node_add(curve, "pages", pages);
	node_add(curve, "time_ns", times);
	return curve;
}

struct json_object *curve_new(const char *counted, const struct locality_point *points,
			      size_t count)
{
	struct json_object *curve = node_object();
	struct json_object *counts = node_array(), *pages = node_array(), *times = node_array();

	for (size_t i = 0; i < count; i++) {
		node_append(counts, json_object_new_uint64(points[i].count));
		node_append(pages, json_object_new_uint64(points[i].pages));
		node_append(times, json_object_new_uint64(points[i].time_ns));
	}
	node_add(curve, counted, counts);
	node_add(curve, "pages", pages);
	node_add(curve, "time_ns", times);
	return curve;
}

static struct json_object *locality_new(const void *row, const void *context)
{
	const struct model_object *file = row;
	const struct object_context *of = context;

	if (!file->is_file || !of->localities)
		return NULL;
	const struct locality *locality = &of->localities->objects[file - of->model->objects];
	struct json_object *object = node_object();
	const struct locality_area *area = &locality->area;

	node_add_number(object, "functions", locality->function_count);
	node_add_number(object, "code_pages", area->code_pages);
	node_add_number(object, "code_bytes", area->code_bytes);
	node_add_number(object, "area", area->area);
	node_add_number(object, "least_area", area->least_area);
	add_share(object, "packing", area->least_area, area->area);
	add_share(object, "pages_per_function", area->code_pages, locality->function_count);
	for (enum model_step step = MODEL_STEP_SAME; step < MODEL_STEPS; step++)
		node_add_number(object, model_step_name(step), locality->steps[step]);
	node_add_number(object, "random",
			locality->steps[MODEL_STEP_FORWARD] + locality->steps[MODEL_STEP_BACKWARD]);
	node_add(object, "code_curve", code_curve_new(locality));
	node_add(object, "file_curve",
		 curve_new("faults", locality->points, locality->point_count));
	return object;
}

// clang-format off
const struct row_column object_columns[] = {
	ROW("section", NULL),
	{ "section", "text?", NULL, AT(model_section, name) },
	{ "faults", "number", NULL, AT(model_section, count.faults) },
	{ "major", "number", NULL, AT(model_section, count.major) },
	{ "read_bytes", "number?", "null: not known", BY(section_read_bytes) },
	{ "pages", "number", "distinct pages that faulted", AT(model_section, pages) },
	{ "size", "number?", NULL, AT_NONZERO(model_section, size) },

	ROW("symbol", NULL),
	{ "symbol", "text?", NULL, AT(model_symbol, name) },
	{ "symbol_kind", "symbol_kind?", NULL,
	  WORD_AT(model_symbol, kind, model_symbol_kind_name) },
	{ "section", "text?", NULL, BY(symbol_section) },
	{ "offset", "number?", NULL, AT_IF(model_symbol, offset, has_offset) },
	{ "size", "number", NULL, AT(model_symbol, size) },
	{ "faults", "number", NULL, AT(model_symbol, count.faults) },
	{ "major", "number", NULL, AT(model_symbol, count.major) },

	ROW("initializer", NULL),
	{ "index", "number", NULL, AT(model_initializer, index) },
	{ "array", "text", NULL, AT(model_initializer, array) },
	{ "function", "text?", NULL, AT(model_initializer, function) },
	{ "offset", "number?", NULL, AT_IF(model_initializer, offset, has_offset) },
	{ "source", "text?",
	  "its file; under LTO all that were merged into it, a few named and the others counted",
	  AT(model_initializer, source) },
	{ "faults", "number",
	  "inside it, whatever they touched, of all that were recorded; initializers that it "
	  "runs itself, by dlopen, count for themselves", AT(model_initializer, count.faults) },
	{ "lazy_binding", "number", "of faults: binding a PLT entry at its first call",
	  AT(model_initializer, lazy_binding) },
	{ "major", "number", NULL, AT(model_initializer, count.major) },
	{ "duration_ns", "number", NULL, AT(model_initializer, count.duration_ns) },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage",
	  AT(model_initializer, count.own_ns) },
	{ "late_ns", "number", "of duration_ns: able to run, and not running",
	  AT(model_initializer, count.late_ns) },
	{ "pages", "number", "distinct pages that faulted inside it",
	  AT(model_initializer, pages) },
	{ "code_pages", "number",
	  "distinct pages on which an ip or a frame of a stack was seen inside it",
	  AT(model_initializer, code_pages) },
	{ "code_pages_only", "number",
	  "of code_pages: those on which none was seen anywhere else",
	  AT(model_initializer, code_pages_only) },
	{ "first_ns", "number?",
	  "its first fault, since the start of the recording; null without one",
	  AT_WHERE(model_initializer, first_ns, has_faults) },
	{ "last_ns", "number?", NULL, AT_WHERE(model_initializer, last_ns, has_faults) },
	{ "read_bytes", "number", "that its faults brought into the page cache",
	  BY(initializer_read_bytes) },
	{ "cpu_ns", "number?",
	  "processor time inside it, outside faults; null: the processor was not sampled",
	  AT_WHERE(model_initializer, cpu_ns, has_samples) },
	{ "wait_ns", "number?",
	  "off the processor inside it, outside faults, where a stack tells; null: that was "
	  "not recorded", AT_WHERE(model_initializer, wait_ns, has_account) },
	{ "storage_bytes", "number?",
	  "that storage delivered for it, by faults, read() and all else; null: that was not "
	  "recorded", AT_WHERE(model_initializer, storage_bytes, has_storage) },
	{ "package", "text?",
	  "of Go, or a module of OCaml or D: all its initializers are one row, whose function is the first; else null",
	  AT(model_initializer, package) },

	ROW("code_curve",
	    "code pages after so many functions by first use; of more than 256 the first, the "
	    "last and others evenly between"),
	{ "functions", "[number ..256]" },
	{ "pages", "[number ..256]" },
	{ "time_ns", "[number ..256]" },

	ROW("file_curve",
	    "pages of the file after so many of its faults; of more than 256 the first, the "
	    "last and others evenly between"),
	{ "faults", "[number ..256]" },
	{ "pages", "[number ..256]" },
	{ "time_ns", "[number ..256]" },

	ROW("locality",
	    "order and closeness of what ran and faulted (docs/diff.md); null for what is not "
	    "a file, and where faults were left out"),
	{ "functions", "number",
	  "seen to run: at a faulting instruction or on the stack of a fault" },
	{ "code_pages", "number", "distinct pages that these functions span" },
	{ "code_bytes", "number", "of these functions" },
	{ "area", "number",
	  "under the curve of code pages over functions by first use: its values added up" },
	{ "least_area", "number",
	  "the area if the functions lay side by side by first use, from the start of a page" },
	{ "packing", "share?", "least_area / area: 1 is the best order; null: no functions" },
	{ "pages_per_function", "amount?", "code_pages / functions; null: no functions" },
	{ "same", "number",
	  "faults on the page of the one before of the same process in the file" },
	{ "next", "number", "up to 16 pages ahead of it" },
	{ "forward", "number", "further ahead" },
	{ "backward", "number", "before it" },
	{ "random", "number", "forward and backward" },
	{ "code_curve", "code_curve",
	  "code pages after so many functions by first use; of more than 256 the first, the "
	  "last and others evenly between" },
	{ "file_curve", "file_curve",
	  "pages of the file after so many of its faults; of more than 256 the first, the last "
	  "and others evenly between" },

	ROW("object", NULL),
	{ "path", "text", NULL, AT(model_object, path) },
	{ "root", "text?",
	  "that the path is in, of processes in another root or mount namespace: its path, the "
	  "container or the namespace; null: the recorder's", AT(model_object, root) },
	{ "soname", "text?", NULL, AT(model_object, soname) },
	{ "build_id", "build-id?", NULL, AT(model_object, build_id) },
	{ "size", "number?", NULL, AT_NONZERO(model_object, size) },
	{ "symbols", "symtab|debug-file|gopclntab|dynsym|eh-frame|none", NULL,
	  AT(model_object, symbols) },
	{ "forced", "bool", "--force: the file read is not the recorded build",
	  AT(model_object, is_forced) },
	{ "faults", "number", NULL, AT(model_object, count.faults) },
	{ "major", "number", NULL, AT(model_object, count.major) },
	{ "duration_ns", "number", NULL, AT(model_object, count.duration_ns) },
	{ "own_ns", "number", "of duration_ns: running, or waiting for storage",
	  AT(model_object, count.own_ns) },
	{ "late_ns", "number", "of duration_ns: able to run, and not running",
	  AT(model_object, count.late_ns) },
	{ "read_bytes", "number?", "brought into the page cache by faults; null: not known",
	  BY(object_read_bytes) },
	{ "by_initiator", "by_initiator", NULL, NUMBERS_AT(model_object, by_initiator) },
	{ "by_mechanism", "by_mechanism", NULL, NUMBERS_AT(model_object, by_mechanism) },
	{ "by_access", "by_access", NULL, NUMBERS_AT(model_object, by_access) },
	{ "by_section", "[section]", NULL, ITEMS(section_of) },
	{ "by_symbol", "[symbol]", "what was touched", ITEMS(symbol_of) },
	{ "by_function", "[toucher]", "who touched it", LIST_AT(model_object, touchers, toucher_count) },
	{ "by_blame", "[toucher]",
	  "who touched it, or called what did: the innermost frame outside libc, libstdc++, "
	  "the dynamic linker and the like; faults without one are left out", LIST_AT(model_object, blamed, blamed_count) },
	{ "initializers", "[initializer]", NULL, ITEMS(initializer_of) },
	{ "relocation", "relocation?",
	  "what relocating the object cost, and what it would cost linked in another way; null "
	  "without relocations and with --where", POINTER_AT(model_object, relocation) },
	{ "data", "data?",
	  "the pages of writable segments that faulted; null if none did, and with --where",
	  POINTER_AT(model_object, data) },
	{ "locality", "locality?", NULL, BY(locality_new) },
	{ 0 },
};
// clang-format on
