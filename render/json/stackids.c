// SPDX-License-Identifier: Apache-2.0
#include "render/json/stackids.h"

#include "render/json/fault.h"

/** The number of @key in @map, from 1; *@ret_is_new where it has none yet. */
static uint32_t number_of(struct u64map *map, uint64_t key, bool *ret_is_new)
{
	uint32_t *number = u64map_put(map, key, ret_is_new);

	if (*ret_is_new)
		*number = (uint32_t)map->count; // as many as there are stacks or frames
	return *number;
}

/** Append a line for each frame of @stack that has none yet. */
static void define_frames(struct stackids *ids, struct strbuf *buf, const struct model *model,
			  const struct emit_names *names, const struct model_stack *stack)
{
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		bool is_new;
		uint32_t number = number_of(&ids->frames, (uintptr_t)stack->frames[i], &is_new);

		if (!is_new)
			continue;
		emit_literal(buf, "{\"frame_id\":");
		emit_number(buf, number);
		faultjson_add_frame(buf, model, names, stack->frames[i]);
		emit_literal(buf, "}\n");
	}
}

void stackids_define(struct stackids *ids, struct strbuf *buf, const struct model *model,
		     const struct emit_names *names, uint32_t stack)
{
	bool is_new;
	uint32_t number = number_of(&ids->stacks, stack, &is_new);
	const struct model_stack *row = &model->stacks[stack];

	if (!is_new)
		return;
	define_frames(ids, buf, model, names, row);
	emit_literal(buf, "{\"stack_id\":");
	emit_number(buf, number);
	emit_literal(buf, ",\"frames\":[");
	for (uint32_t i = 0; i < row->frame_count; i++) {
		if (i > 0)
			strbuf_putc(buf, ',');
		emit_number(buf, *u64map_get(&ids->frames, (uintptr_t)row->frames[i]));
	}
	emit_literal(buf, "],\"stack_end\":\"");
	strbuf_puts(buf, model_stack_end(row));
	emit_literal(buf, "\"}\n");
}

void stackids_deinit(struct stackids *ids)
{
	u64map_deinit(&ids->frames);
	u64map_deinit(&ids->stacks);
}
