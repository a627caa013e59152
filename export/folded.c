// SPDX-License-Identifier: Apache-2.0
// Folded stacks: "command;outermost;...;innermost WEIGHT", a line for each.
#include "export/export.h"
#include "export/frames.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/vec.h"
#include "render/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *text;
	uint64_t weight;
};

struct folding {
	const struct model *model;
	const struct export_tool_options *options;
	struct arena arena;
	struct export_frames frames;
	struct strbuf buf, name;
	VEC(struct line) lines;
};

static void folding_deinit(struct folding *folding)
{
	vec_deinit(&folding->lines);
	strbuf_deinit(&folding->buf);
	strbuf_deinit(&folding->name);
	export_frames_deinit(&folding->frames);
	arena_deinit(&folding->arena);
}

/** Append @name as one frame: semicolons part frames. */
static void add_frame(struct strbuf *buf, const char *name)
{
	size_t start = buf->length;

	escape_terminal(buf, name);
	for (size_t i = start; i < buf->length; i++)
		if (buf->text[i] == ';')
			buf->text[i] = ':';
}

/** Append ";[relocation];[private-write .data.rel.ro libfoo.so]". */
static void add_cause(struct folding *folding, const struct model_fault *fault)
{
	const struct model *model = folding->model;
	const struct model_place *at = &fault->at;

	strbuf_printf(&folding->buf, ";[%s];", model_initiator_name(fault->initiator));
	strbuf_clear(&folding->name);
	strbuf_printf(&folding->name, "[%s", model_mechanism_name(fault->mechanism));
	if (at->section != MODEL_NONE && model->sections[at->section].name)
		strbuf_printf(&folding->name, " %s", model->sections[at->section].name);
	if (at->object != MODEL_NONE && model->objects[at->object].is_file)
		strbuf_printf(&folding->name, " %s",
			      model_object_name(&model->objects[at->object]));
	strbuf_putc(&folding->name, ']');
	add_frame(&folding->buf, strbuf_text(&folding->name));
}

static const char *line_text(struct folding *folding, const struct model_fault *fault)
{
	const struct model *model = folding->model;

	strbuf_clear(&folding->buf);
	add_frame(&folding->buf, export_comm(model, model_thread(model, fault)->comm));
	export_frames_of(&folding->frames, model, fault);
	for (size_t i = folding->frames.list.count; i-- > 0;) {
		strbuf_clear(&folding->name);
		export_frame_name(&folding->name, model, &folding->frames.list.items[i]);
		strbuf_putc(&folding->buf, ';');
		add_frame(&folding->buf, strbuf_text(&folding->name));
	}
	if (folding->options->causes)
		add_cause(folding, fault);
	return arena_strdup(&folding->arena, strbuf_text(&folding->buf));
}

/** Equal where both certainly have one line. */
static int compare_likeness(const void *a, const void *b, void *context)
{
	const struct model *model = context;
	const struct model_fault *x = *(const struct model_fault *const *)a;
	const struct model_fault *y = *(const struct model_fault *const *)b;

	return ORDER(model_thread(model, x)->comm, model_thread(model, y)->comm)
		?: ORDER(x->stack, y->stack)
		?: ORDER((uintptr_t)x->by, (uintptr_t)y->by)
		?: ORDER(x->initiator, y->initiator)
		?: ORDER(x->mechanism, y->mechanism)
		?: ORDER(x->at.section, y->at.section)
		?: ORDER(x->at.object, y->at.object);
}

ORDER_OF(compare_text, line, strcmp(x->text, y->text))

/** Make a line of each path once, of however many faults; then join those that read alike. */
static void fold(struct folding *folding)
{
	const struct model *model = folding->model;
	size_t count = model->fault_count;
	CLEANUP(freep) const struct model_fault **faults = xcalloc(count + 1, sizeof(*faults));

	for (size_t i = 0; i < count; i++)
		faults[i] = &model->faults[i];
	qsort_r(faults, count, sizeof(*faults), compare_likeness, (void *)model);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_likeness(&faults[i - 1], &faults[i], (void *)model) != 0)
			vec_push(&folding->lines,
				 (struct line){ line_text(folding, faults[i]), 0 });
		folding->lines.items[folding->lines.count - 1].weight +=
			export_weigh(model, faults[i], folding->options->weight);
	}
	vec_sort(&folding->lines, compare_text);
}

export_tool_writer export_folded;

bool export_folded(const struct model *model, const struct export_tool_options *options, FILE *out,
		   struct err *err)
{
	CLEANUP(folding_deinit)
	struct folding folding = { .model = model, .options = options };

	fold(&folding);
	for (size_t i = 0, next; i < folding.lines.count; i = next) {
		const struct line *line = &folding.lines.items[i];
		uint64_t weight = 0;

		for (next = i;
		     next < folding.lines.count && compare_text(line, line + (next - i)) == 0;
		     next++)
			weight += folding.lines.items[next].weight;
		if (weight > 0)
			fprintf(out, "%s %" PRIu64 "\n", line->text, weight);
	}
	return (fflush(out) == 0 && !ferror(out)) || err_os(err, "writing");
}
