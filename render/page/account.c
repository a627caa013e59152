// SPDX-License-Identifier: Apache-2.0
// The account of time in the header of a report page: sums by state and cause, processes, the
// critical path, the axis, its marks and its cuts.
#include "render/page/data.h"

#include "base/cleanup.h"
#include "derive/lifetime.h"
#include "model/io.h"
#include "model/marks.h"
#include "model/moments.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"
#include "render/page/parts.h"
#include "render/picture/picture.h"
#include "render/timesum.h"

#include <string.h>

/** [state, initiator, ns, error in ns or null]. */
static void append_cell(struct json_object *list, const struct model_cell *cell)
{
	struct json_object *row = node_array();

	node_append(row, json_object_new_int64(cell->state));
	node_append(row, json_object_new_int64(cell->initiator));
	node_append(row, json_object_new_int64((int64_t)cell->ns));
	node_append(row,
		    cell->error_ns > 0 ? json_object_new_int64((int64_t)cell->error_ns) : NULL);
	node_append(list, row);
}

static struct json_object *cells_kept(const struct model_cells *cells)
{
	struct json_object *list = node_array();

	array_foreach (cell, cells->items, cells->count)
		append_cell(list, cell);
	return list;
}

/** @errors: of cpu, by initiator. */
static struct json_object *cells_of(const struct model_times *by_initiator, const uint64_t *errors)
{
	struct json_object *list = node_array();

	for (enum model_state state = 0; state < MODEL_STATES; state++)
		for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
			const struct model_cell cell = {
				.state = state,
				.initiator = i,
				.ns = by_initiator[i].ns[state],
				.error_ns = state == MODEL_STATE_CPU ? errors[i] : 0,
			};

			if (cell.ns > 0)
				append_cell(list, &cell);
		}
	return list;
}

/** The place of a row of account.processes; MODEL_NONE: it is not shown. */
static uint32_t place_of(const struct pagefaults *page, uint32_t process)
{
	vec_foreach (row, &page->processes)
		if (*row == process)
			return (uint32_t)(row - page->processes.items);
	return MODEL_NONE;
}

static void add_place(struct json_object *object, const char *key, const struct pagefaults *page,
		      uint32_t process)
{
	const uint32_t place = place_of(page, process);

	node_add_known(object, key, place != MODEL_NONE, place);
}

/**
 * Choose what the page tells of: the subject; on a side of a comparison what it judges, the command
 * unless another program was asked for.
 */
static struct model_subject told_of(const struct model_account *account, bool is_side)
{
	struct model_subject told = account->subject;

	if (!is_side || told.is_chosen)
		return told;
	told.process = told.command;
	told.times = account->main;
	memcpy(told.by_initiator, account->main_by_initiator, sizeof(told.by_initiator));
	memcpy(told.cpu_error_ns, account->main_cpu_error_ns, sizeof(told.cpu_error_ns));
	return told;
}

struct json_object *pageheader_account(const struct model *model, const struct pagefaults *page)
{
	const struct model_account *account = model->account;

	if (!account)
		return NULL;
	const struct model_subject told = told_of(account, page->is_side), *subject = &told;
	const struct model_process_times *process =
		subject->process == MODEL_NONE ? NULL : &account->processes[subject->process];
	const uint64_t used = model_times_used(&subject->times);
	const struct timesum_unit unit = timesum_unit(used, true);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct json_object *object = node_object();

	node_add_text(object, "own",
		      arena_printf(&arena, "%s %s",
				   timesum_text(&arena, &unit, timesum_ticks(&unit, used)),
				   unit.name));
	node_add_number(object, "recording_ns", subject->times.ns[MODEL_STATE_RECORDING]);
	node_add_text(object, "of",
		      subject->is_other && process ? model->comms[process->comm] : NULL);
	add_place(object, "process", page, subject->process);
	node_add_bool(object, "complete", account->complete);
	node_add(object, "cells", cells_of(subject->by_initiator, subject->cpu_error_ns));
	return object;
}

struct json_object *pageheader_processes(const struct model *model, const struct pagefaults *page)
{
	struct json_object *list = node_array();

	vec_foreach (index, &page->processes) {
		const struct model_process_times *row = &model->account->processes[*index];
		struct json_object *object = node_object();

		node_add_number(object, "pid", row->pid);
		node_add_text(object, "name",
			      row->comm == MODEL_NONE ? NULL : model->comms[row->comm]);
		node_add(object, "command", node_texts(row->command, row->command_count));
		node_add_number(object, "start_ns", row->start_ns);
		node_add_number(object, "end_ns", row->end_ns);
		node_add_number(object, "own_ns", model_times_used(&row->all));
		node_add_number(object, "late_ns", row->all.ns[MODEL_STATE_RUNNABLE]);
		node_add(object, "cells", cells_kept(&row->cells));
		node_append(list, object);
	}
	return list;
}

struct json_object *pageheader_operations(const struct model *model, const struct pagefaults *page)
{
	const struct model_ios *ios = model->ios;

	if (!ios)
		return NULL;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct json_object *object = node_object();
	struct json_object *files = node_array(), *sections = node_array(), *calls = node_array();

	array_foreach (row, ios->files, ios->file_count) {
		struct json_object *file = node_object();

		node_add_text(file, "name", model_rooted_name(&arena, model_object_name(row), row));
		node_add_text(file, "path", row->path);
		node_append(files, file);
	}
	vec_foreach (name, &page->io_sections)
		node_append(sections, node_text(*name));
	for (size_t i = 0; i < ios->call_count; i++)
		node_append(calls, node_text(ios->calls[i]));
	node_add(object, "files", files);
	node_add(object, "sections", sections);
	node_add(object, "calls", calls);
	return object;
}

struct json_object *pageheader_critical(const struct model *model, const struct pagefaults *page)
{
	const struct model_critical *critical = model->account ? model->account->critical : NULL;

	if (!critical)
		return NULL;
	struct json_object *object = node_object(), *steps = node_array();

	array_foreach (step, critical->steps, critical->step_count) {
		struct json_object *row = node_object();

		add_place(row, "process", page, step->process);
		node_add_number(row, "tid", step->tid);
		node_add_number(row, "start_ns", step->start_ns);
		node_add_number(row, "end_ns", step->end_ns);
		node_append(steps, row);
	}
	node_add(object, "steps", steps);
	return object;
}

struct json_object *pageheader_axis(struct range axis)
{
	struct json_object *object = node_object();

	node_add_number(object, "start_ns", axis.start);
	node_add_number(object, "end_ns", axis.end);
	return object;
}

struct json_object *pageheader_marks(const struct model *model)
{
	return columns_list("mark", model->marks, model->mark_count, sizeof(*model->marks), model);
}

struct json_object *pageheader_cuts(const struct model *model)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct cuts cuts = picture_cuts(&arena, model);
	struct json_object *list = node_array();

	array_foreach (cut, cuts.items, cuts.count) {
		struct json_object *row = node_array();

		node_append(row, json_object_new_int64((int64_t)cut->time.start));
		node_append(row, json_object_new_int64((int64_t)cut->time.end));
		node_append(row, node_text(cut->label));
		node_append(list, row);
	}
	return list;
}
