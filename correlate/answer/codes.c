// SPDX-License-Identifier: Apache-2.0
// Source and machine code where faults happened: lines, inlined functions, instructions.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "model/io.h"
#include "model/moments.h"

/** The tables while they grow. */
struct codes {
	const struct rows *rows;
	struct instructions *instructions;
	VEC(struct model_code) list;
	VEC(struct model_inlined) inlined;
	VEC(const char *) names;
	struct u64map row_index;  // (object, vaddr) -> index in list, plus one; 0: nothing is known
	struct u64map name_index; // address of a name in elfmap -> index in names
};

static void codes_deinit(struct codes *codes)
{
	vec_deinit(&codes->list);
	vec_deinit(&codes->inlined);
	vec_deinit(&codes->names);
	u64map_deinit(&codes->row_index);
	u64map_deinit(&codes->name_index);
}

/** A copy in the model of a name that elfmap keeps; one copy each, for many are used often. */
static const char *keep_name(struct codes *codes, const char *name)
{
	if (!name)
		return NULL;
	uint32_t index = u64map_row(&codes->name_index, (uintptr_t)name, &codes->names,
				    arena_strdup(&codes->rows->model->arena, name));
	return codes->names.items[index];
}

static void add_inlined(struct codes *codes, struct elfmap *map, const struct elfmap_code *from,
			struct model_code *row)
{
	row->first_inlined = (uint32_t)codes->inlined.count;
	if (from->inlined_count > MODEL_NONE - codes->inlined.count)
		return;
	row->inlined_count = (uint32_t)from->inlined_count;
	for (size_t i = 0; i < from->inlined_count; i++) {
		const char *name = from->inlined[i].function;

		if (name && codes->rows->demangle)
			name = elfmap_demangle(map, name);
		vec_push(&codes->inlined, (struct model_inlined){
						  .function = keep_name(codes, name),
						  .source = arena_strdup(&codes->rows->model->arena,
									 from->inlined[i].source),
					  });
	}
}

/** The row of the instruction at @vaddr of @object; MODEL_NONE if nothing is known of it. */
static uint32_t code_at(struct codes *codes, uint32_t object, uint64_t vaddr, bool with_instruction)
{
	const struct rows *rows = codes->rows;
	bool is_new;
	// A vaddr of a file is far below 2^48, so the object's number fits above it.
	uint32_t *known = u64map_put(&codes->row_index, (uint64_t)object << 48 ^ vaddr, &is_new);
	struct elfmap *map = is_new ? objects_map(rows->objects, object) : NULL;

	if (!map)
		return *known - 1; // 0 becomes MODEL_NONE
	const struct elfmap_code *from = elfmap_code_at(map, vaddr);
	struct model_code row = { 0 };

	if (from) {
		row.source = arena_strdup(&codes->rows->model->arena, from->source);
		add_inlined(codes, map, from, &row);
	}
	if (with_instruction)
		row.instruction =
			instructions_text(codes->instructions, map, vaddr, &rows->model->arena);
	if (from || row.instruction) {
		vec_push(&codes->list, row);
		*known = (uint32_t)codes->list.count;
	}
	return *known - 1;
}

static void fill_faults(struct codes *codes, struct shown_faults *faults)
{
	const struct rows *rows = codes->rows;
	const struct model_ip *last = NULL;

	array_foreach (fault, faults->items, faults->count) {
		if (!fault->by->has_vaddr || fault->by->object == MODEL_NONE)
			continue;
		// Faults in a row often come from one loop.
		if (last != fault->by)
			rows->ips.items[fault->by->id]->code =
				code_at(codes, fault->by->object, fault->by->vaddr, true);
		last = fault->by;
	}
}

/** @is_done: by stack. */
static void fill_stack(struct codes *codes, uint32_t index, bool *is_done)
{
	if (index == MODEL_NONE || is_done[index])
		return;
	is_done[index] = true;

	const struct rows *rows = codes->rows;
	const struct model_stack *stack = &rows->stacks.items[index];

	for (uint32_t f = 0; f < stack->frame_count; f++) {
		struct model_frame *frame = rows->frames.items[stack->frames[f]->id];

		if (frame->has_vaddr && frame->object != MODEL_NONE)
			frame->code = code_at(codes, frame->object, frame->vaddr, false);
	}
}

static void fill_frames(struct codes *codes, const struct shown_faults *faults)
{
	const struct rows *rows = codes->rows;
	const struct model_moments *moments = rows->model->moments;
	const struct model_ios *ios = rows->model->ios;
	CLEANUP(freep) bool *is_done = xcalloc(rows->stacks.count + 1, sizeof(*is_done));

	vec_foreach (fault, faults)
		fill_stack(codes, fault->stack, is_done);
	for (size_t i = 0; ios && i < ios->count; i++)
		fill_stack(codes, ios->items[i].what.stack, is_done);
	for (size_t i = 0; moments && i < moments->count; i++) {
		const struct model_moment *moment = &moments->items[i];

		if (moment->is_left_out)
			continue;
		fill_stack(codes, moment->stack, is_done);
		if (moment->by && moment->by->has_vaddr && moment->by->object != MODEL_NONE)
			rows->ips.items[moment->by->id]->code =
				code_at(codes, moment->by->object, moment->by->vaddr, false);
	}
}

void codes_fill(const struct rows *rows, struct shown_faults *faults,
		struct instructions *instructions, bool frames)
{
	CLEANUP(codes_deinit)
	struct codes codes = { .rows = rows, .instructions = instructions };
	struct model *model = rows->model;

	fill_faults(&codes, faults);
	if (frames)
		fill_frames(&codes, faults);
	model->codes = vec_keep_counted(&codes.list, &model->arena, &model->code_count);
	model->inlined = vec_keep_counted(&codes.inlined, &model->arena, &model->inlined_count);
}
