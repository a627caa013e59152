// SPDX-License-Identifier: Apache-2.0
#include "export/calltree.h"

#include "base/key.h"
#include "export/source.h"

#include <string.h>
#include <xxhash.h>

void calltree_deinit(struct calltree *tree)
{
	vec_deinit(&tree->frames);
	vec_deinit(&tree->nodes);
	u64map_deinit(&tree->frame_index);
	u64map_deinit(&tree->node_index);
	u64map_deinit(&tree->of_stack);
	u64map_deinit(&tree->of_instruction);
	export_frames_deinit(&tree->path);
	strbuf_deinit(&tree->name);
	arena_deinit(&tree->arena);
}

static uint64_t hash_text(const char *text)
{
	return text ? XXH3_64bits(text, strlen(text)) : 0;
}

uint32_t calltree_frame(struct calltree *tree, const struct calltree_frame *frame)
{
	const bool by_line = !tree->is_by_function;
	const uint64_t key = key_of(hash_text(frame->name), hash_text(frame->file),
				    (uint64_t)(by_line ? frame->line : 0) << 32 | frame->object,
				    (uint64_t)(by_line ? frame->depth : 0) << 32 | frame->category);
	bool is_new;
	uint32_t *known = u64map_put(&tree->frame_index, key, &is_new);

	if (is_new) {
		struct calltree_frame kept = *frame;

		kept.name = arena_strdup(&tree->arena, frame->name);
		kept.file = arena_strdup(&tree->arena, frame->file);
		*known = (uint32_t)tree->frames.count;
		vec_push(&tree->frames, kept);
	} else if (frame->line < tree->frames.items[*known].line) {
		tree->frames.items[*known].line = frame->line;
	}
	return *known;
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t frame)
{
	return u64map_row(&tree->node_index, (uint64_t)parent << 32 | frame, &tree->nodes,
			  (struct calltree_node){ .parent = parent, .frame = frame });
}

uint32_t calltree_with_category(struct calltree *tree, uint32_t node, uint32_t category)
{
	if (node == MODEL_NONE)
		return node;
	struct calltree_frame frame = tree->frames.items[tree->nodes.items[node].frame];
	uint32_t parent = tree->nodes.items[node].parent;

	frame.category = category;
	return calltree_child(tree, parent, calltree_frame(tree, &frame));
}

/** Take "file:line" apart. */
static void set_source(struct calltree *tree, struct calltree_frame *frame, const char *source)
{
	if (!source)
		return;
	size_t length = source_split(source, &frame->line);

	frame->file = source;
	if (source[length] == '\0')
		return;
	// Behind the name, which is in the same buffer.
	strbuf_putc(&tree->name, '\0');
	size_t start = tree->name.length;

	strbuf_add(&tree->name, source, length);
	frame->file = tree->name.text + start;
}

static uint32_t add_frame(struct calltree *tree, uint32_t parent, const struct export_frame *from,
			  uint32_t depth)
{
	struct calltree_frame frame = { .object = from->object, .depth = depth };

	strbuf_clear(&tree->name);
	export_frame_name(&tree->name, tree->model, from);
	set_source(tree, &frame, from->source);
	frame.name = strbuf_text(&tree->name);
	return calltree_child(tree, parent, calltree_frame(tree, &frame));
}

uint32_t calltree_path(struct calltree *tree, uint32_t root, const struct model_fault *fault)
{
	bool has_stack = fault->stack != MODEL_NONE;
	bool is_new;
	uint32_t *known = has_stack ? u64map_put(&tree->of_stack,
						 (uint64_t)root << 32 | fault->stack, &is_new)
				    : u64map_put(&tree->of_instruction,
						 key_of(root, (uintptr_t)fault->by), &is_new);

	if (!is_new)
		return *known - 1;

	uint32_t node = root, depth = 0;

	export_frames_of(&tree->path, tree->model, fault);
	for (size_t i = tree->path.list.count; i-- > 0;) {
		const struct export_frame *frame = &tree->path.list.items[i];

		depth = frame->is_inlined ? depth + 1 : 0;
		node = add_frame(tree, node, frame, depth);
	}
	*known = node + 1; // of MODEL_NONE 0
	return node;
}
