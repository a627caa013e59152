// SPDX-License-Identifier: Apache-2.0
// The faults as a table for spreadsheets and data frames: the columns of model/columns.def;
// and operations: those of model/iocolumns.def.
#include "render/emit.h"
#include "base/cleanup.h"
#include "model/io.h"
#include "render/escape.h"
#include "render/render.h"

// One for each type of model/columns.def: append the value, nothing for null.
#define CSV_NUMBER(number) emit_number(&buf, number)
#define CSV_NUMBER_IF(known, number)        \
	do {                                \
		if (known)                  \
			CSV_NUMBER(number); \
	} while (0)
#define CSV_ADDRESS(addr) emit_addr(&buf, addr)
#define CSV_ADDRESS_IF(known, addr)        \
	do {                               \
		if (known)                 \
			CSV_ADDRESS(addr); \
	} while (0)
#define CSV_WORD(list, value)	 strbuf_puts(&buf, model_##list##_name(value))
#define CSV_WORD_IF(list, value) add_word(&buf, model_##list##_name(value))
#define CSV_TRUTH(value)	 add_truth(&buf, value)
#define CSV_NAME(list, index)	 emit_piece(&buf, emit_name(&names, names.list, index))
#define CSV_BUILD_ID(object)	 CSV_NAME(build_ids, object)
#define CSV_INLINED(code)	 add_inlined(&buf, model, code, &scratch)
#define CSV_STACK(stack)	 add_stack(&buf, model, stack, &scratch)
#define CSV_STACK_END(stack) \
	add_word(&buf, (stack) == MODEL_NONE ? NULL : model_stack_end(&model->stacks[stack]))

static void add_word(struct strbuf *buf, const char *word)
{
	if (word)
		strbuf_puts(buf, word);
}

static void add_truth(struct strbuf *buf, enum model_dlopen value)
{
	if (value != MODEL_DLOPEN_UNKNOWN)
		strbuf_puts(buf, value == MODEL_DLOPEN_YES ? "true" : "false");
}

/** Append @function to a list that semicolons part, as folded stacks are. */
static void list_function(struct strbuf *list, const char *function)
{
	if (list->length > 0)
		strbuf_putc(list, ';');
	strbuf_puts(list, function ? function : "[unknown]");
}

/** The functions, innermost first. */
static void add_inlined(struct strbuf *buf, const struct model *model, uint32_t code,
			struct strbuf *scratch)
{
	if (code == MODEL_NONE)
		return;
	strbuf_clear(scratch);
	for (uint32_t i = 0; i < model->codes[code].inlined_count; i++)
		list_function(scratch,
			      model->inlined[model->codes[code].first_inlined + i].function);
	escape_csv(buf, strbuf_text(scratch));
}

/** The functions, innermost first. */
static void add_stack(struct strbuf *buf, const struct model *model, uint32_t index,
		      struct strbuf *scratch)
{
	if (index == MODEL_NONE)
		return;
	const struct model_stack *stack = &model->stacks[index];

	strbuf_clear(scratch);
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = stack->frames[i]->function;

		list_function(scratch,
			      function == MODEL_NONE ? NULL : model->functions[function].name);
	}
	escape_csv(buf, strbuf_text(scratch));
}

static void add_heading(struct strbuf *buf)
{
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) strbuf_puts(buf, path ",");
#include "model/columns.def"
	buf->text[buf->length - 1] = '\n';
}

static void add_io_heading(struct strbuf *buf)
{
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) strbuf_puts(buf, path ",");
#include "model/iocolumns.def"
	buf->text[buf->length - 1] = '\n';
}

bool render_io_csv(const struct model *of, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(of, &arena), *model = &view;
	struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf scratch = { 0 };
	bool ok = true, is_known = true;

	emit_names_init(&names, model, escape_csv, "");
	add_io_heading(&buf);
	for (size_t index = 0; ok && index < model->ios->count; index++) {
		const struct model_io *io = &model->ios->items[index];
		const struct model_fault *fault = &io->what;
		const struct model_thread *thread = model_thread(model, fault);

		if (io->is_left_out)
			continue;
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) \
	if (is_known)                                          \
		CSV_##type;                                    \
	emit_literal(&buf, ",");
#define GROUP_IF(name, known, meaning) is_known = known;
#define END_GROUP(name)		       is_known = true;
#include "model/iocolumns.def"
		buf.text[buf.length - 1] = '\n';
		ok = emit_drain(&buf, 1 << 18, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	emit_names_deinit(&names);
	return ok;
}

bool render_csv(const struct model *model, FILE *out)
{
	struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf scratch = { 0 };
	bool ok = true, is_known = true;

	emit_names_init(&names, model, escape_csv, "");
	add_heading(&buf);
	for (size_t index = 0; ok && index < model->fault_count; index++) {
		const struct model_fault *fault = &model->faults[index];
		const struct model_thread *thread = model_thread(model, fault);

#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) \
	if (is_known)                                          \
		CSV_##type;                                    \
	emit_literal(&buf, ",");
#define GROUP_IF(name, known, meaning) is_known = known;
#define END_GROUP(name)		       is_known = true;
#include "model/columns.def"
		buf.text[buf.length - 1] = '\n';
		ok = emit_drain(&buf, 1 << 18, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	emit_names_deinit(&names);
	return ok;
}
