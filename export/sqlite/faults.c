// SPDX-License-Identifier: Apache-2.0
// Tables of faults and of operations of storage: who took them, where, and on which call path.
#include "export/export.h"
#include "export/sqlite/schema.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/u64map.h"
#include "model/io.h"

#include <stdlib.h>

struct filler {
	const struct model *model;
	struct table faults, operations, instructions, stacks, stack_frames, frames;
	struct u64map instruction_rows, frame_rows; // by pointer
	bool *has_stack;			    // by stack: its row is there
};

static void add_threads(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table table = table_open(base, "threads");

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *row = &model->threads[i];

		table_add(&table, cell_number(i), cell_number(row->program), cell_number(row->pid),
			  cell_number(row->tid),
			  cell_text(row->comm == MODEL_NONE ? NULL : model->comms[row->comm]));
	}
}

static void add_codes(struct database *base, const struct model *model)
{
	CLEANUP(table_close) struct table codes = table_open(base, "codes");
	CLEANUP(table_close) struct table inlined = table_open(base, "inlined");

	for (size_t i = 0; i < model->code_count; i++) {
		const struct model_code *row = &model->codes[i];

		table_add(&codes, cell_number(i), cell_text(row->source),
			  cell_text(row->instruction));
		for (uint32_t depth = 0; depth < row->inlined_count; depth++) {
			const struct model_inlined *inner =
				&model->inlined[row->first_inlined + depth];

			table_add(&inlined, cell_number(i), cell_number(depth),
				  cell_text(inner->function), cell_text(inner->source));
		}
	}
}

/** The row of @row in a table of its own, which @ret_is_new says is to be filled. */
static uint32_t row_of(struct u64map *rows, const void *row, bool *ret_is_new)
{
	uint32_t *id = u64map_put(rows, (uintptr_t)row, ret_is_new);

	if (*ret_is_new)
		*id = (uint32_t)rows->count - 1;
	return *id;
}

static uint32_t instruction_row(struct filler *filler, const struct model_ip *by)
{
	bool is_new;
	uint32_t id = row_of(&filler->instruction_rows, by, &is_new);
	struct table *table = &filler->instructions;

	if (!is_new)
		return id;
	table_add(table, cell_number(id), cell_number(by->ip), cell_row(by->object),
		  cell_row(by->name),
		  cell_known(model_function_name(filler->model, by->name), by->name_offset),
		  cell_known(by->has_offset, by->offset), cell_known(by->has_vaddr, by->vaddr),
		  cell_row(by->code));
	return id;
}

static uint32_t frame_row(struct filler *filler, const struct model_frame *frame)
{
	bool is_new;
	uint32_t id = row_of(&filler->frame_rows, frame, &is_new);
	struct table *table = &filler->frames;

	if (!is_new)
		return id;
	table_add(table, cell_number(id), cell_number(frame->addr), cell_row(frame->object),
		  cell_row(frame->function),
		  cell_known(model_function_name(filler->model, frame->function),
			     frame->function_offset),
		  cell_known(frame->has_offset, frame->offset),
		  cell_known(frame->has_vaddr, frame->vaddr), cell_row(frame->code));
	return id;
}

static void need_stack(struct filler *filler, uint32_t id)
{
	const struct model_stack *stack = &filler->model->stacks[id];

	if (filler->has_stack[id])
		return;
	filler->has_stack[id] = true;
	table_add(&filler->stacks, cell_number(id), cell_text(model_stack_end(stack)));
	for (uint32_t depth = 0; depth < stack->frame_count; depth++) {
		uint32_t frame = frame_row(filler, stack->frames[depth]);

		table_add(&filler->stack_frames, cell_number(id), cell_number(depth),
			  cell_number(frame));
	}
}

// One for each type of model/columns.def that the table "faults" has.
#define CELL_NUMBER(number)		cell_number(number)
#define CELL_NUMBER_IF(known, number)	cell_known(known, number)
#define CELL_ADDRESS(address)		cell_number(address)
#define CELL_ADDRESS_IF(known, address) cell_known(known, address)
#define CELL_WORD(list, value)		cell_word(WORD_LIST_##list, value)
#define CELL_WORD_IF(list, value) \
	cell_known(model_##list##_name(value), sqlite_word(WORD_LIST_##list, value))
#define CELL_TRUTH(value) cell_known((value) != MODEL_DLOPEN_UNKNOWN, (value) == MODEL_DLOPEN_YES)

/** Columns of the table itself. */
static void add_own(struct table *table, const struct model *model, const struct model_fault *fault)
{
	bool is_known = true;

#define ADD(type) table_put(table, is_known ? CELL_##type : cell_known(false, 0));
#define LEAVE_OUT(type)
#define OWN_OWN						       ADD
#define OWN_VIEW(text)					       LEAVE_OUT
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) OWN_##sql(type)
#define GROUP_IF(name, known, meaning)			       is_known = known;
#define END_GROUP(name)					       is_known = true;
#include "model/columns.def"
}

static void add_fault(struct filler *filler, size_t seq)
{
	const struct model_fault *fault = &filler->model->faults[seq];
	struct table *table = &filler->faults;

	if (fault->stack != MODEL_NONE)
		need_stack(filler, fault->stack);
	uint32_t instruction = fault->has_ip ? instruction_row(filler, fault->by) : MODEL_NONE;

	table_put(table, cell_number(seq), cell_number(fault->thread), cell_row(fault->at.object),
		  cell_row(fault->at.section), cell_row(fault->at.name), cell_row(instruction),
		  cell_row(fault->stack), cell_row(fault->blame), cell_row(fault->initializer),
		  cell_row(fault->init_object),
		  cell_known(fault->has_read, export_weigh(filler->model, fault, EXPORT_BYTES)));
	add_own(table, filler->model, fault);
	table_end_row(table);
}

/** @view: of model_io_view(). */
static void add_operation(struct filler *filler, const struct model *view, size_t seq)
{
	const struct model_io *io = &view->ios->items[seq];
	const struct model_fault *what = &io->what;
	const struct model_thread *thread = model_thread(view, what);
	const uint32_t object = what->at.object, section = what->at.section;
	struct table *table = &filler->operations;

	if (what->stack != MODEL_NONE)
		need_stack(filler, what->stack);
	table_add(table, cell_number(seq), cell_number(what->time_ns),
		  cell_number(what->duration_ns), cell_number(io->wait_ns),
		  cell_word(WORD_LIST_storage, io->cause),
		  cell_text(io->call == MODEL_NONE ? NULL : view->ios->calls[io->call]),
		  cell_known(model_direction_name(io->direction),
			     sqlite_word(WORD_LIST_direction, io->direction)),
		  cell_text(object == MODEL_NONE ? NULL : view->objects[object].path),
		  // Files that were never mapped have no row.
		  cell_row(object < filler->model->object_count ? object : MODEL_NONE),
		  cell_text(section == MODEL_NONE ? NULL : view->sections[section].name),
		  cell_known(what->at.has_offset, what->at.offset), cell_number(io->bytes),
		  cell_known(io->has_uses, io->mapped), cell_known(io->has_uses, io->touched),
		  cell_known(model_io_is_request(io), io->request),
		  cell_known(model_io_is_request(io), io->device),
		  cell_known(model_io_is_request(io), io->sector), cell_row(thread->pid),
		  cell_row(thread->tid), cell_word(WORD_LIST_initiator, what->initiator),
		  cell_row(what->by->name), cell_row(what->blame), cell_row(what->initializer),
		  cell_known(io->has_fault, io->fault_seq), cell_row(what->stack));
}

static void add_operations(struct filler *filler, struct database *base)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(filler->model, &arena);

	filler->operations = table_open(base, "operations");
	for (size_t i = 0; i < view.ios->count && !base->failed; i++)
		if (!view.ios->items[i].is_left_out)
			add_operation(filler, &view, i);
	table_close(&filler->operations);
}

void sqlite_faults(struct database *base, const struct model *model)
{
	struct filler filler = {
		.model = model,
		.has_stack = xcalloc(model->stack_count + 1, sizeof(bool)),
	};

	add_threads(base, model);
	add_codes(base, model);
	filler.faults = table_open(base, "faults");
	filler.instructions = table_open(base, "instructions");
	filler.frames = table_open(base, "frames");
	filler.stacks = table_open(base, "stacks");
	filler.stack_frames = table_open(base, "stack_frames");
	for (size_t i = 0; i < model->fault_count && !base->failed; i++)
		add_fault(&filler, i);
	add_operations(&filler, base);
	table_close(&filler.faults);
	table_close(&filler.instructions);
	table_close(&filler.frames);
	table_close(&filler.stacks);
	table_close(&filler.stack_frames);
	u64map_deinit(&filler.instruction_rows);
	u64map_deinit(&filler.frame_rows);
	free(filler.has_stack);
}
