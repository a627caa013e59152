// SPDX-License-Identifier: Apache-2.0
// The faults that are left, one by one where they are few, and by stack: what `--fault`,
// `--function` and `--initializer` show.
#include "render/detail/listing.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/u64map.h"

#include <inttypes.h>
#include <string.h>

enum { STACKS = 5, LABEL = 10 };

/** Faults with one stack, or whose code is the same where there is none. */
struct alike {
	const struct model_fault *first;
	struct model_count count;
};

static const char *or_none(const char *name)
{
	return name ? name : "(no name)";
}

/** "name + 0x12 in libfoo.so", as far as it is known. */
static const char *place(struct text *text, const char *name, uint64_t offset, uint32_t object)
{
	const char *of = object == MODEL_NONE ? "no known mapping" : text->labels[object];
	const char *at =
		name && offset > 0 ? arena_printf(&text->arena, " + 0x%" PRIx64, offset) : "";

	if (name && strcmp(name, of) == 0)
		return text_safe(text, of);
	return text_safe(text, arena_printf(&text->arena, "%s%s in %s", or_none(name), at, of));
}

static const char *source_of(struct text *text, uint32_t code)
{
	const char *source =
		code < text->model->code_count ? text->model->codes[code].source : NULL;

	return source ? arena_printf(&text->arena, "  %s", text_safe(text, source)) : "";
}

/** A line, and those of functions that the compiler put there. */
static void print_code(struct text *text, const char *start, const char *what, uint32_t code)
{
	const struct model *model = text->model;

	fprintf(text->out, "%s%s%s\n", start, what, source_of(text, code));
	if (code >= model->code_count)
		return;
	array_foreach (row, &model->inlined[model->codes[code].first_inlined],
		       model->codes[code].inlined_count)
		fprintf(text->out, "%*s  inlined: %s%s%s\n", (int)strlen(start), "",
			text_safe(text, or_none(row->function)), row->source ? ", called at " : "",
			row->source ? text_safe(text, row->source) : "");
}

static void print_stack(struct text *text, const struct model_fault *fault)
{
	const struct model *model = text->model;

	if (fault->stack == MODEL_NONE) {
		const char *function = model_function_name(model, fault->by->name);

		print_code(text, "    no call stack: ",
			   place(text, function, fault->by->name_offset, fault->by->object),
			   fault->by->code);
		return;
	}
	const struct model_stack *stack = &model->stacks[fault->stack];

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		const struct model_frame *frame = stack->frames[i];
		const char *name = model_function_name(model, frame->function);

		print_code(text, arena_printf(&text->arena, "  %3" PRIu32 "  ", i),
			   place(text, name, frame->function_offset, frame->object), frame->code);
	}
	if (stack->is_truncated)
		fputs("       (callers beyond this are unknown)\n", text->out);
}

static void print_fact(struct text *text, const char *label, const char *value)
{
	fprintf(text->out, "  %-*s %s\n", LABEL, label, value);
}

/** Print the place that one fault touched, who did, why, and what it brought. */
static void print_fault(struct text *text, const struct model_fault *fault)
{
	const struct model *model = text->model;
	struct arena *arena = &text->arena;
	const struct model_thread *thread = model_thread(model, fault);
	const char *section = model_section_name(model, fault);
	const char *symbol =
		fault->at.name == MODEL_NONE ? NULL : model->symbols[fault->at.name].name;
	const char *function = model_function_name(model, fault->by->name);

	if (fault->has_duration)
		print_fact(text, "took",
			   arena_printf(arena, "%s, %s of it waiting for a processor; at %s",
					table_time(arena, text->terminal, fault->duration_ns),
					table_time(arena, text->terminal, model_fault_late(fault)),
					table_time(arena, text->terminal, fault->time_ns)));
	print_fact(text, "thread",
		   arena_printf(arena, "%" PRIu32 " of process %" PRIu32 " (%s)", thread->tid,
				thread->pid, text_safe(text, or_none(model->comms[thread->comm]))));
	print_fact(text, "touched",
		   arena_printf(arena, "0x%" PRIx64 ": %s", fault->addr,
				place(text, section, 0, fault->at.object)));
	if (symbol)
		print_fact(text, "symbol",
			   arena_printf(arena, "%s + 0x%" PRIx64, text_safe(text, symbol),
					model_name_offset(model, fault)));
	if (fault->at.has_offset || fault->at.has_vaddr)
		print_fact(text, "byte",
			   arena_printf(arena, "%s%s%s",
					fault->at.has_offset
						? arena_printf(arena, "0x%" PRIx64 " of the file",
							       fault->at.offset)
						: "",
					fault->at.has_offset && fault->at.has_vaddr ? ", " : "",
					fault->at.has_vaddr
						? arena_printf(arena, "vaddr 0x%" PRIx64,
							       fault->at.vaddr)
						: ""));
	print_fact(text, "kind",
		   arena_printf(arena, "%s %s by %s code, %s", model_kind_name(fault->kind),
				model_access_name(fault->access), model_mode_name(fault->mode),
				model_mechanism_name(fault->mechanism)));
	const char *certainty = model_certainty_name(fault->certainty);
	print_fact(text, "why",
		   arena_printf(arena, "%s%s%s%s%s", model_initiator_name(fault->initiator),
				certainty ? " (by " : "", certainty ? certainty : "",
				certainty ? ")" : "",
				fault->dlopen == MODEL_DLOPEN_YES ? ", inside dlopen" : ""));
	if (fault->initializer != MODEL_NONE)
		print_fact(text, "within",
			   place(text, model->initializers[fault->initializer].function, 0,
				 model->initializers[fault->initializer].object));
	if (fault->has_around)
		print_fact(text, "mapped",
			   text_plural(text, model_around_pages(fault), "page", "pages"));
	if (fault->has_read)
		print_fact(text, "read",
			   text_plural(text, model_read_pages(fault), "page", "pages"));
	if (fault->by->code < model->code_count && model->codes[fault->by->code].instruction)
		print_fact(text, "by", text_safe(text, model->codes[fault->by->code].instruction));
	print_code(text, arena_printf(arena, "  %-*s ", LABEL, "in"),
		   place(text, function, fault->by->name_offset, fault->by->object),
		   fault->by->code);
	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n  stack");
	print_stack(text, fault);
}

/** Sections by what was touched in them. */
static void print_touched(struct text *text)
{
	const struct model *model = text->model;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown = 0;

	for (size_t i = 0; i < model->shown_count; i++) {
		const struct model_object *object = &model->objects[model->shown[i]];

		for (size_t k = 0; k < object->section_count && shown < text->top; k++) {
			const struct model_section *row = &model->sections[object->sections[k]];

			if (row->count.faults == 0)
				continue;
			shown++;
			text_count_cells(text, table, &row->count, &model->total);
			table_cell(table, "touched", TABLE_NAME,
				   place(text, row->name, 0, row->object));
		}
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}

ORDER_OF(compare_alike, alike,
	 ORDER(y->count.faults, x->count.faults) ?: ORDER(y->count.own_ns, x->count.own_ns)
		 ?: ORDER(x->first, y->first))

/** The stacks with most faults, each once. */
static void print_stacks(struct text *text)
{
	const struct model *model = text->model;
	CLEANUP(u64map_deinit) struct u64map known = { 0 };
	CLEANUP(vec_release) VEC(struct alike) groups = { 0 };
	size_t most = text->top == SIZE_MAX ? SIZE_MAX : STACKS;

	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t key = fault->stack != MODEL_NONE ? hash_number(1, fault->stack)
							  : hash_number(2, fault->by->id);
		uint32_t row = u64map_row(&known, key, &groups, (struct alike){ .first = fault });

		model_count_fault(&groups.items[row].count, fault);
	}
	vec_sort(&groups, compare_alike);
	for (size_t i = 0; i < groups.count && i < most; i++) {
		const struct alike *group = &groups.items[i];

		terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n%s%s%s",
			      text_plural(text, group->count.faults, "fault", "faults"),
			      group->count.own_ns > 0 ? ", " : "",
			      group->count.own_ns > 0 ? table_time(&text->arena, text->terminal,
								   group->count.own_ns)
						      : "");
		print_stack(text, group->first);
	}
	if (groups.count > most)
		fprintf(text->out, "\n%s more; --top 0 shows all\n",
			text_plural(text, groups.count - most, "stack", "stacks"));
}

bool render_detail(const struct model *model, const struct render_text_options *options, FILE *out)
{
	struct text text = text_open(model, &options->terminal, options->top, out);

	text_headline(&text);
	text_share_shown(&text);
	listing_print(&text);
	if (model->fault_count == 1) {
		fputc('\n', text.out);
		print_fault(&text, model->faults);
	} else if (model->fault_count > 1) {
		print_touched(&text);
		print_stacks(&text);
	}
	text_notes(&text);
	return text_close(&text, out);
}
