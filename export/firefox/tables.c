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
	const struct calltree_node *nodes = to->tree.nodes.items;
	size_t count = to->tree.nodes.count;

	emit_literal(&to->buf, "\"stackTable\":{");
	FIREFOX_COLUMN(to, "frame", i, count, emit_number(&to->buf, nodes[i].frame));
	FIREFOX_COLUMN(
		to, "prefixOffset", i, count,
		emit_number(&to->buf, nodes[i].parent == MODEL_NONE ? 0 : i - nodes[i].parent));
	end_table(to, count);
}

static void add_frames(struct firefox *to, const struct funcs *funcs)
{
	const struct calltree_frame *frames = to->tree.frames.items;
	size_t count = to->tree.frames.count;

	emit_literal(&to->buf, "\"frameTable\":{");
	FIREFOX_COLUMN(to, "func", i, count, emit_number(&to->buf, funcs->of_frame[i]));
	// The outermost function and what is inlined into it have one address.
	FIREFOX_COLUMN(to, "lib", i, count,
		       add_or(to, frames[i].object != MODEL_NONE, frames[i].object, "-1"));
	FIREFOX_COLUMN(to, "inlineDepth", i, count, emit_number(&to->buf, frames[i].depth));
	FIREFOX_COLUMN(to, "line", i, count,
		       add_or(to, frames[i].line > 0, frames[i].line, "null"));
	FIREFOX_COLUMN(to, "category", i, count,
		       add_or(to, frames[i].category > 0, frames[i].category >> 8, "null"));
	FIREFOX_COLUMN(to, "subcategory", i, count,
		       add_or(to, frames[i].category > 0, frames[i].category & 0xff, "null"));
	firefox_column_of(to, "address", count, "-1");
	firefox_column_of(to, "nativeSymbol", count, "null");
	firefox_column_of(to, "innerWindowID", count, "0");
	firefox_column_of(to, "column", count, "null");
	firefox_column_of(to, "originalLocation", count, "null");
	end_table(to, count);
}

static void add_funcs(struct firefox *to, const struct funcs *funcs)
{
	const struct func *list = funcs->list.items;
	size_t count = funcs->list.count;

	emit_literal(&to->buf, "\"funcTable\":{");
	FIREFOX_COLUMN(to, "name", i, count, emit_number(&to->buf, list[i].name));
	FIREFOX_COLUMN(to, "resource", i, count,
		       add_or(to, list[i].object != MODEL_NONE, list[i].object, "-1"));
	FIREFOX_COLUMN(to, "source", i, count,
		       add_or(to, list[i].source != MODEL_NONE, list[i].source, "null"));
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
	FIREFOX_COLUMN(
		to, "name", i, model->object_count,
		emit_number(&to->buf, firefox_string(to, model_object_name(&model->objects[i]))));
	FIREFOX_COLUMN(to, "type", i, model->object_count,
		       emit_number(&to->buf, model->objects[i].is_file ? LIBRARY : UNKNOWN));
	firefox_column_of(to, "host", model->object_count, "null");
	end_table(to, model->object_count);
}

static void add_sources(struct firefox *to, const struct funcs *funcs)
{
	size_t count = funcs->sources.count;

	emit_literal(&to->buf, "\"sources\":{");
	FIREFOX_COLUMN(to, "filename", i, count, emit_number(&to->buf, funcs->sources.items[i]));
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
