// SPDX-License-Identifier: Apache-2.0
// The tables that all threads of a profile share: stacks, frames, functions, files, strings.
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

#include <xxhash.h>

/** A function in one file of source: its frames differ in lines. */
struct func {
	uint32_t name;	 // into the strings
	uint32_t source; // into sources, or MODEL_NONE
	uint32_t object; // or MODEL_NONE
};

struct funcs {
	VEC(struct func) list;
	struct u64map index;
	uint32_t *of_frame;	    // by frames of the tree
	VEC(uint32_t) sources;	    // into the strings
	struct u64map source_index; // strings -> sources
};

static void funcs_deinit(struct funcs *funcs)
{
	vec_deinit(&funcs->list);
	u64map_deinit(&funcs->index);
	free(funcs->of_frame);
	vec_deinit(&funcs->sources);
	u64map_deinit(&funcs->source_index);
}

static void find_funcs(struct firefox *to, struct funcs *funcs)
{
	funcs->of_frame = xcalloc(to->tree.frames.count + 1, sizeof(*funcs->of_frame));
	for (size_t i = 0; i < to->tree.frames.count; i++) {
		const struct calltree_frame *frame = &to->tree.frames.items[i];
		struct func func = {
			.name = firefox_string(to, frame->name),
			.source = MODEL_NONE,
			.object = frame->object,
		};

		if (frame->file) {
			uint32_t file = firefox_string(to, frame->file);

			func.source = u64map_row(&funcs->source_index, file, &funcs->sources, file);
		}
		funcs->of_frame[i] = u64map_row(&funcs->index, XXH3_64bits(&func, sizeof(func)),
						&funcs->list, func);
	}
}

static void add_or(struct firefox *to, bool is_known, uint32_t number, const char *unknown)
{
	if (is_known)
		emit_number(&to->buf, number);
	else
		strbuf_puts(&to->buf, unknown);
}

static void end_table(struct firefox *to, size_t length)
{
	strbuf_printf(&to->buf, "\"length\":%zu},\n", length);
}

static void add_stacks(struct firefox *to)
{
	emit_literal(&to->buf, "\"stackTable\":{");
	firefox_column(to, "frame");
	vec_foreach (node, &to->tree.nodes) {
		firefox_next(to, node == to->tree.nodes.items);
		emit_number(&to->buf, node->frame);
	}
	firefox_column_end(to);
	firefox_column(to, "prefixOffset");
	vec_foreach (node, &to->tree.nodes) {
		uint32_t index = (uint32_t)(node - to->tree.nodes.items);

		firefox_next(to, index == 0);
		emit_number(&to->buf, node->parent == MODEL_NONE ? 0 : index - node->parent);
	}
	firefox_column_end(to);
	end_table(to, to->tree.nodes.count);
}

static void add_frames(struct firefox *to, const struct funcs *funcs)
{
	const struct calltree *tree = &to->tree;
	size_t count = tree->frames.count;
	enum { FUNC, LIB, DEPTH, LINE, CATEGORY, SUBCATEGORY };
	static const char *const columns[] = {
		[FUNC] = "func", [LIB] = "lib",		  [DEPTH] = "inlineDepth",
		[LINE] = "line", [CATEGORY] = "category", [SUBCATEGORY] = "subcategory",
	};

	emit_literal(&to->buf, "\"frameTable\":{");
	for (unsigned column = FUNC; column <= SUBCATEGORY; column++) {
		firefox_column(to, columns[column]);
		for (size_t i = 0; i < count; i++) {
			const struct calltree_frame *frame = &tree->frames.items[i];
			bool has_category = frame->category > 0;
			// The outermost function and what is inlined into it have one address.
			bool has_lib = frame->object != MODEL_NONE;

			firefox_next(to, i == 0);
			if (column == FUNC)
				emit_number(&to->buf, funcs->of_frame[i]);
			else if (column == LIB)
				add_or(to, has_lib, frame->object, "-1");
			else if (column == DEPTH)
				emit_number(&to->buf, frame->depth);
			else if (column == LINE)
				add_or(to, frame->line > 0, frame->line, "null");
			else if (column == CATEGORY)
				add_or(to, has_category, frame->category >> 8, "null");
			else
				add_or(to, has_category, frame->category & 0xff, "null");
		}
		firefox_column_end(to);
	}
	firefox_column_of(to, "address", count, "-1");
	firefox_column_of(to, "nativeSymbol", count, "null");
	firefox_column_of(to, "innerWindowID", count, "0");
	firefox_column_of(to, "column", count, "null");
	firefox_column_of(to, "originalLocation", count, "null");
	end_table(to, count);
}

static void add_funcs(struct firefox *to, const struct funcs *funcs)
{
	size_t count = funcs->list.count;

	emit_literal(&to->buf, "\"funcTable\":{");
	firefox_column(to, "name");
	vec_foreach (func, &funcs->list) {
		firefox_next(to, func == funcs->list.items);
		emit_number(&to->buf, func->name);
	}
	firefox_column_end(to);
	firefox_column(to, "resource");
	vec_foreach (func, &funcs->list) {
		firefox_next(to, func == funcs->list.items);
		add_or(to, func->object != MODEL_NONE, func->object, "-1");
	}
	firefox_column_end(to);
	firefox_column(to, "source");
	vec_foreach (func, &funcs->list) {
		firefox_next(to, func == funcs->list.items);
		add_or(to, func->source != MODEL_NONE, func->source, "null");
	}
	firefox_column_end(to);
	firefox_column_of(to, "isJS", count, "false");
	firefox_column_of(to, "relevantForJS", count, "false");
	firefox_column_of(to, "lineNumber", count, "null");
	firefox_column_of(to, "columnNumber", count, "null");
	firefox_column_of(to, "originalLocation", count, "null");
	end_table(to, count);
}

/** A row for each object, as libs have. */
static void add_resources(struct firefox *to)
{
	enum { UNKNOWN, LIBRARY };
	const struct model *model = to->model;

	emit_literal(&to->buf, "\"resourceTable\":{");
	firefox_column(to, "name");
	for (size_t i = 0; i < model->object_count; i++) {
		firefox_next(to, i == 0);
		emit_number(&to->buf, firefox_string(to, model_object_name(&model->objects[i])));
	}
	firefox_column_end(to);
	firefox_column(to, "type");
	for (size_t i = 0; i < model->object_count; i++) {
		firefox_next(to, i == 0);
		emit_number(&to->buf, model->objects[i].is_file ? LIBRARY : UNKNOWN);
	}
	firefox_column_end(to);
	firefox_column_of(to, "host", model->object_count, "null");
	end_table(to, model->object_count);
}

static void add_sources(struct firefox *to, const struct funcs *funcs)
{
	size_t count = funcs->sources.count;

	emit_literal(&to->buf, "\"sources\":{");
	firefox_column(to, "filename");
	vec_foreach (file, &funcs->sources) {
		firefox_next(to, file == funcs->sources.items);
		emit_number(&to->buf, *file);
	}
	firefox_column_end(to);
	firefox_column_of(to, "id", count, "null");
	firefox_column_of(to, "startLine", count, "1");
	firefox_column_of(to, "startColumn", count, "1");
	firefox_column_of(to, "sourceMapURL", count, "null");
	firefox_column_of(to, "content", count, "null");
	end_table(to, count);
}

static void add_strings(struct firefox *to)
{
	emit_literal(&to->buf, "\"stringArray\":[");
	vec_foreach (text, &to->strings.texts) {
		firefox_next(to, text == to->strings.texts.items);
		escape_json(&to->buf, *text);
	}
	strbuf_putc(&to->buf, ']');
}

void firefox_add_tables(struct firefox *to)
{
	CLEANUP(funcs_deinit) struct funcs funcs = { 0 };

	find_funcs(to, &funcs);
	emit_literal(&to->buf, "\"shared\":{\n");
	add_stacks(to);
	add_frames(to, &funcs);
	add_funcs(to, &funcs);
	add_resources(to);
	emit_literal(&to->buf, "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
			       "\"functionSize\":[],\"length\":0},\n"
			       "\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],"
			       "\"length\":0},\n");
	add_sources(to, &funcs);
	add_strings(to);
	strbuf_putc(&to->buf, '}');
}
