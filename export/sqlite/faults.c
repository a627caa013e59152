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
	struct table table = table_open(base, "threads", 5);

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *row = &model->threads[i];

		table_number(&table, i);
		table_number(&table, row->program);
		table_number(&table, row->pid);
		table_number(&table, row->tid);
		table_text(&table, row->comm == MODEL_NONE ? NULL : model->comms[row->comm]);
		table_end_row(&table);
	}
	table_close(&table);
}

static void add_codes(struct database *base, const struct model *model)
{
	struct table codes = table_open(base, "codes", 3);
	struct table inlined = table_open(base, "inlined", 4);

	for (size_t i = 0; i < model->code_count; i++) {
		const struct model_code *row = &model->codes[i];

		table_number(&codes, i);
		table_text(&codes, row->source);
		table_text(&codes, row->instruction);
		table_end_row(&codes);
		for (uint32_t depth = 0; depth < row->inlined_count; depth++) {
			const struct model_inlined *inner =
				&model->inlined[row->first_inlined + depth];

			table_number(&inlined, i);
			table_number(&inlined, depth);
			table_text(&inlined, inner->function);
			table_text(&inlined, inner->source);
			table_end_row(&inlined);
		}
	}
	table_close(&codes);
	table_close(&inlined);
}

/** The row of @row in a table of its own, which @ret_is_new says is to be filled. */
static uint32_t row_of(struct u64map *rows, const void *row, bool *ret_is_new)
{
	uint32_t *id = u64map_put(rows, (uintptr_t)row, ret_is_new);

	if (*ret_is_new)
		*id = (uint32_t)rows->count - 1;
	return *id;
}

static bool has_name(const struct model *model, uint32_t function)
{
	return function != MODEL_NONE && model->functions[function].name;
}

static uint32_t instruction_row(struct filler *filler, const struct model_ip *by)
{
	bool is_new;
	uint32_t id = row_of(&filler->instruction_rows, by, &is_new);
	struct table *table = &filler->instructions;

	if (!is_new)
		return id;
	table_number(table, id);
	table_number(table, by->ip);
	table_row(table, by->object);
	table_row(table, by->name);
	table_known(table, has_name(filler->model, by->name), by->name_offset);
	table_known(table, by->has_offset, by->offset);
	table_known(table, by->has_vaddr, by->vaddr);
	table_row(table, by->code);
	table_end_row(table);
	return id;
}

static uint32_t frame_row(struct filler *filler, const struct model_frame *frame)
{
	bool is_new;
	uint32_t id = row_of(&filler->frame_rows, frame, &is_new);
	struct table *table = &filler->frames;

	if (!is_new)
		return id;
	table_number(table, id);
	table_number(table, frame->addr);
	table_row(table, frame->object);
	table_row(table, frame->function);
	table_known(table, has_name(filler->model, frame->function), frame->function_offset);
	table_known(table, frame->has_offset, frame->offset);
	table_known(table, frame->has_vaddr, frame->vaddr);
	table_row(table, frame->code);
	table_end_row(table);
	return id;
}

static void need_stack(struct filler *filler, uint32_t id)
{
	const struct model_stack *stack = &filler->model->stacks[id];

	if (filler->has_stack[id])
		return;
	filler->has_stack[id] = true;
	table_number(&filler->stacks, id);
	table_text(&filler->stacks, model_stack_end(stack));
	table_end_row(&filler->stacks);
	for (uint32_t depth = 0; depth < stack->frame_count; depth++) {
		uint32_t frame = frame_row(filler, stack->frames[depth]);

		table_number(&filler->stack_frames, id);
		table_number(&filler->stack_frames, depth);
		table_number(&filler->stack_frames, frame);
		table_end_row(&filler->stack_frames);
	}
}

// One for each type of model/columns.def that the table "faults" has.
#define ROW_NUMBER(number)	       table_number(table, number)
#define ROW_NUMBER_IF(known, number)   table_known(table, known, number)
#define ROW_ADDRESS(address)	       table_number(table, address)
#define ROW_ADDRESS_IF(known, address) table_known(table, known, address)
#define ROW_WORD(list, value)	       table_number(table, sqlite_word(WORD_LIST_##list, value))
#define ROW_WORD_IF(list, value) \
	table_known(table, model_##list##_name(value), sqlite_word(WORD_LIST_##list, value))
#define ROW_TRUTH(value) \
	table_known(table, (value) != MODEL_DLOPEN_UNKNOWN, (value) == MODEL_DLOPEN_YES)

/** Columns of the table itself. */
static void add_own(struct table *table, const struct model *model, const struct model_fault *fault)
{
	bool is_known = true;

#define ADD(type)           \
	if (is_known)       \
		ROW_##type; \
	else                \
		table_known(table, false, 0);
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

	table_number(table, seq);
	table_number(table, fault->thread);
	table_row(table, fault->at.object);
	table_row(table, fault->at.section);
	table_row(table, fault->at.name);
	table_row(table, instruction);
	table_row(table, fault->stack);
	table_row(table, fault->blame);
	table_row(table, fault->initializer);
	table_row(table, fault->init_object);
	table_known(table, fault->has_read, export_weigh(filler->model, fault, EXPORT_BYTES));
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
	table_number(table, seq);
	table_number(table, what->time_ns);
	table_number(table, what->duration_ns);
	table_number(table, io->wait_ns);
	table_number(table, sqlite_word(WORD_LIST_storage, io->cause));
	table_text(table, io->call == MODEL_NONE ? NULL : view->ios->calls[io->call]);
	ROW_WORD_IF(direction, io->direction);
	table_text(table, object == MODEL_NONE ? NULL : view->objects[object].path);
	// Files that were never mapped have no row.
	table_row(table, object < filler->model->object_count ? object : MODEL_NONE);
	table_text(table, section == MODEL_NONE ? NULL : view->sections[section].name);
	table_known(table, what->at.has_offset, what->at.offset);
	table_number(table, io->bytes);
	table_known(table, io->has_uses, io->mapped);
	table_known(table, io->has_uses, io->touched);
	table_known(table, model_io_is_request(io), io->request);
	table_known(table, model_io_is_request(io), io->device);
	table_known(table, model_io_is_request(io), io->sector);
	table_row(table, thread->pid);
	table_row(table, thread->tid);
	table_number(table, sqlite_word(WORD_LIST_initiator, what->initiator));
	table_row(table, what->by->name);
	table_row(table, what->blame);
	table_row(table, what->initializer);
	table_known(table, io->has_fault, io->fault_seq);
	table_row(table, what->stack);
	table_end_row(table);
}

static void add_operations(struct filler *filler, struct database *base)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(filler->model, &arena);

	filler->operations = table_open(base, "operations", 25);
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
	filler.faults = table_open(base, "faults", sqlite_fault_columns());
	filler.instructions = table_open(base, "instructions", 8);
	filler.frames = table_open(base, "frames", 8);
	filler.stacks = table_open(base, "stacks", 2);
	filler.stack_frames = table_open(base, "stack_frames", 3);
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
