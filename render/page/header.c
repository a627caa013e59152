// SPDX-License-Identifier: Apache-2.0
#include "render/page/data.h"

#include "base/cleanup.h"
#include "derive/lifetime.h"
#include "derive/mainobject.h"
#include "derive/pages.h"
#include "derive/phases.h"
#include "derive/weigh.h"
#include "model/layout.h"
#include "model/missing.h"
#include "model/columns.h"
#include "render/columns/head.h"
#include "render/columns/objects.h"
#include "render/columns/node.h"
#include "render/page/parts.h"

#include <string.h>

/** The input of the header. */
struct making {
	const struct model *model;
	const struct pagefaults *page;
};

static struct json_object *numbers(const uint64_t *items, size_t count)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < count; i++)
		node_append(list, json_object_new_int64((int64_t)items[i]));
	return list;
}

static struct json_object *layout_new(const struct model_layout *layout)
{
	struct json_object *list = node_array();

	for (size_t i = 0; layout && i < layout->section_count; i++) {
		const struct model_layout_section *section = &layout->sections[i];
		struct json_object *object = node_object();

		node_add_text(object, "name", section->name);
		node_add_known(object, "offset", section->has_bytes, section->offset);
		node_add_number(object, "file_size", section->file_size);
		node_add_known(object, "vaddr", section->is_loaded, section->vaddr);
		node_add_number(object, "memory_size", section->memory_size);
		node_append(list, object);
	}
	return list;
}

/** Time in faults on each object by initiator: [object][initiator]. To be freed. */
static uint64_t *object_times(const struct model *model)
{
	uint64_t *times = xcalloc(model->object_count * MODEL_INITIATORS + 1, sizeof(*times));

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object != MODEL_NONE)
			times[fault->at.object * MODEL_INITIATORS + fault->initiator] +=
				model_fault_own(fault);
	return times;
}

static struct json_object *object_new(const struct model *model, const uint64_t *times,
				      uint32_t index)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model_object *row = &model->objects[index];
	struct json_object *object = node_object();
	struct json_object *sections = node_array();

	node_add_text(object, "name", model_rooted_name(&arena, model_object_name(row), row));
	node_add_text(object, "path", row->path);
	node_add_text(object, "soname", row->soname);
	node_add_text(object, "build_id", row->build_id);
	node_add_number(object, "size", row->size);
	node_add_number(object, "end", pages_file_end(model, index));
	node_add_bool(object, "is_file", row->is_file);
	node_add_bool(object, "is_elf", row->is_elf);
	node_add_number(object, "faults", row->count.faults);
	node_add_number(object, "major", row->count.major);
	node_add_number(object, "own_ns", row->count.own_ns);
	node_add_known(object, "read_bytes", model->trace.has_reads,
		       model_read_bytes(model, &row->count));
	node_add(object, "by_initiator", numbers(row->by_initiator, MODEL_INITIATORS));
	node_add(object, "ns_by_initiator",
		 numbers(times + (size_t)index * MODEL_INITIATORS, MODEL_INITIATORS));
	for (size_t i = 0; i < row->section_count; i++)
		node_append(sections, json_object_new_int64(row->sections[i]));
	node_add(object, "sections", sections);
	node_add(object, "layout", layout_new(row->layout));
	node_add(object, "usage", pageheader_file_usage(model, index));
	return object;
}

static struct json_object *objects(const struct model *model)
{
	struct json_object *list = node_array();
	CLEANUP(freep) uint64_t *times = object_times(model);

	for (uint32_t i = 0; i < model->object_count; i++)
		node_append(list, object_new(model, times, i));
	return list;
}

static struct json_object *program_new(const struct phases *phases)
{
	struct json_object *object = node_object(), *list = node_array();

	for (uint64_t i = 0; i < PHASES && phases->are_shown; i++) {
		const struct phase_span *span = &phases->spans[i];

		if (span->is_there)
			node_append(list,
				    numbers((uint64_t[]){ i, span->first_ns, span->end_ns }, 3));
	}
	node_add_number(object, "pid", phases->pid);
	node_add(object, "phases", list);
	return object;
}

static struct json_object *programs(const struct program_phases *phases)
{
	struct json_object *list = node_array();

	vec_foreach (program, &phases->programs)
		node_append(list, program_new(program));
	return list;
}

static struct json_object *sections(const struct model *model)
{
	struct json_object *list = node_array();

	array_foreach (row, model->sections, model->section_count) {
		struct json_object *object = node_object();

		node_add_number(object, "object", row->object);
		node_add_text(object, "name", row->name);
		node_add_number(object, "size", row->size);
		node_add_number(object, "faults", row->count.faults);
		node_add_number(object, "own_ns", row->count.own_ns);
		node_add(object, "usage", pageheader_section_usage(model, row->object, row->name));
		node_append(list, object);
	}
	return list;
}

/** Columns rather than rows: there may be as many symbols as faults. */
static struct json_object *symbols(const struct making *making)
{
	struct json_object *object = node_object();
	struct json_object *names = node_array(), *in = node_array(), *vaddrs = node_array(),
			   *sizes = node_array(), *kinds = node_array();

	for (size_t i = 0; i < making->page->symbols.count; i++) {
		const struct model_symbol *row =
			&making->model->symbols[making->page->symbols.items[i]];

		node_append(names, node_text(row->name));
		node_append(in, row->section == MODEL_NONE ? NULL
							   : json_object_new_int64(row->section));
		node_append(vaddrs, json_object_new_int64((int64_t)row->vaddr));
		node_append(sizes, json_object_new_int64((int64_t)row->size));
		node_append(kinds, json_object_new_int64(row->kind));
	}
	node_add(object, "name", names);
	node_add(object, "section", in);
	node_add(object, "vaddr", vaddrs);
	node_add(object, "size", sizes);
	node_add(object, "kind", kinds);
	return object;
}

static struct json_object *functions(const struct model *model)
{
	struct json_object *object = node_object();
	struct json_object *names = node_array(), *in = node_array();

	array_foreach (row, model->functions, model->function_count) {
		node_append(names, node_text(row->name));
		node_append(in, json_object_new_int64(row->object));
	}
	node_add(object, "name", names);
	node_add(object, "object", in);
	return object;
}

static struct json_object *initializers(const struct model *model)
{
	struct json_object *list = node_array();

	array_foreach (row, model->initializers, model->initializer_count) {
		struct json_object *object =
			columns_new("initializer", row, &(struct object_context){ .model = model });

		node_add_number(object, "object", row->object);
		node_append(list, object);
	}
	return list;
}

static struct json_object *code_new(const struct model *model, const struct model_code *row)
{
	struct json_object *object = node_object();
	struct json_object *inlined = node_array();

	for (uint32_t i = 0; i < row->inlined_count; i++) {
		const struct model_inlined *call = &model->inlined[row->first_inlined + i];
		struct json_object *item = node_object();

		node_add_text(item, "function", call->function);
		node_add_text(item, "source", call->source);
		node_append(inlined, item);
	}
	node_add_text(object, "source", row->source);
	node_add_text(object, "instruction", row->instruction);
	node_add(object, "inlined", inlined);
	return object;
}

static struct json_object *code(const struct model *model)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < model->code_count; i++)
		node_append(list, code_new(model, &model->codes[i]));
	return list;
}

static struct json_object *threads(const struct making *making)
{
	struct json_object *list = node_array();

	vec_foreach (thread, &making->page->threads) {
		struct json_object *object = node_object();

		node_add_number(object, "pid", thread->pid);
		node_add_number(object, "tid", thread->tid);
		node_add_text(object, "comm",
			      thread->comm == MODEL_NONE ? NULL
							 : making->model->comms[thread->comm]);
		node_add_known(object, "process", thread->process != MODEL_NONE, thread->process);
		node_append(list, object);
	}
	return list;
}

static struct json_object *faults(const struct making *making)
{
	struct json_object *object = node_object();

	node_add_number(object, "count", making->page->count);
	node_add_number(object, "total", making->page->total);
	node_add_bool(object, "merged", making->page->merged);
	node_add_number(object, "time_unit_ns", making->page->time_unit_ns);
	return object;
}

static struct json_object *finding_sets(const struct pagefaults *page)
{
	struct json_object *list = node_array();

	vec_foreach (set, &page->finding_sets)
		node_append(list, numbers((uint64_t[]){ set->parent, set->finding }, 2));
	return list;
}

/** Names of a fault's columns in CSV, in their order. */
static struct json_object *csv_columns(void)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < fault_column_count; i++)
		if (fault_columns[i].role == FAULT_VALUE || fault_columns[i].role == FAULT_STACK)
			node_append(list, node_text(fault_columns[i].path));
	return list;
}

static struct json_object *columns(const struct pagefaults *page)
{
	struct json_object *list = node_array();

	array_foreach (column, page->columns, page->column_count) {
		struct json_object *object = node_object();

		node_add_text(object, "name", column->name);
		node_add_text(object, "type", column_type_name(column));
		node_add_text(object, "encoding", column_encoding_name(column->encoding));
		node_add_number(object, "count", column->values.count);
		node_append(list, object);
	}
	return list;
}

/** Describe what is missing, as the screen does; NULL: nothing. */
static const char *missing_text(const struct model *model, struct arena *arena)
{
	const struct missing missing = model_missing(&model->counts);

	return model_missing_text(&missing, arena);
}

struct json_object *pageheader_new(const struct model *model, const struct pagefaults *page)
{
	const struct making making = { model, page };
	const bool is_by_time = weigh_by_time(model);
	uint32_t first = mainobject_find(model);
	struct json_object *header = node_object();
	CLEANUP(phases_deinit) struct program_phases phases;
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	phases_init(&phases, model);

	node_add_text(header, "format", "elfault.page/1");
	node_add_number(header, "page_size", model->trace.page_size);
	node_add_known(header, "main_object", first != MODEL_NONE, first);
	node_add_text(header, "filter", model->filter);
	node_add_bool(header, "is_narrowed", model->is_narrowed);
	node_add(header, "words", pageheader_words());
	node_add(header, "meanings", pageheader_meanings());
	node_add(header, "colors", pageheader_palette());
	node_add(header, "trace", headjson_trace(model));
	node_add(header, "axis", pageheader_axis(lifetime_axis(model)));
	node_add(header, "account", pageheader_account(model, page));
	node_add(header, "processes", pageheader_processes(model, page));
	node_add(header, "operations", pageheader_operations(model, page));
	node_add(header, "critical", pageheader_critical(model, page));
	node_add(header, "marks", pageheader_marks(model));
	node_add(header, "cuts", pageheader_cuts(model));
	node_add_text(header, "weigh", is_by_time ? "time" : "faults");
	node_add(header, "counts", columns_new("counts", &model->counts, NULL));
	node_add_text(header, "missing", missing_text(model, &arena));
	node_add(header, "findings",
		 columns_list("finding", model->findings, model->finding_count,
			      sizeof(*model->findings), model));
	node_add(header, "finding_sets", finding_sets(page));
	node_add(header, "notes", headjson_notes(&model->notes));
	node_add(header, "objects", objects(model));
	node_add(header, "sections", sections(model));
	node_add(header, "symbols", symbols(&making));
	node_add(header, "functions", functions(model));
	node_add(header, "initializers", initializers(model));
	node_add(header, "threads", threads(&making));
	node_add(header, "programs", programs(&phases));
	node_add(header, "code", code(model));
	node_add(header, "listings", pageheader_listings(model));
	node_add(header, "faults", faults(&making));
	node_add(header, "columns", columns(page));
	node_add(header, "csv_columns", csv_columns());
	return header;
}
