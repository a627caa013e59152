// SPDX-License-Identifier: Apache-2.0
// The faults as a table for spreadsheets and data frames: the columns of model/columns.def;
// and operations: those of model/iocolumns.def.
#include "render/emit.h"
#include "base/cleanup.h"
#include "model/io.h"
#include "render/escape.h"
#include "render/render.h"

// One for each type of model/columns.def: append the value, nothing for null.
#define CSV_NUMBER(number) emit_number(&csv->buf, number)
#define CSV_NUMBER_IF(known, number)        \
	do {                                \
		if (known)                  \
			CSV_NUMBER(number); \
	} while (0)
#define CSV_ADDRESS(addr) emit_addr(&csv->buf, addr)
#define CSV_ADDRESS_IF(known, addr)        \
	do {                               \
		if (known)                 \
			CSV_ADDRESS(addr); \
	} while (0)
#define CSV_WORD(list, value)	 strbuf_puts(&csv->buf, model_##list##_name(value))
#define CSV_WORD_IF(list, value) add_word(&csv->buf, model_##list##_name(value))
#define CSV_TRUTH(value)	 add_truth(&csv->buf, value)
#define CSV_NAME(list, index)	 emit_piece(&csv->buf, emit_name(&csv->names, csv->names.list, index))
#define CSV_BUILD_ID(object)	 CSV_NAME(build_ids, object)
#define CSV_INLINED(code)	 add_inlined(&csv->buf, model, code, &csv->scratch)
#define CSV_STACK(stack)	 add_stack(&csv->buf, model, stack, &csv->scratch)
#define CSV_STACK_END(stack) \
	add_word(&csv->buf, (stack) == MODEL_NONE ? NULL : model_stack_end(&model->stacks[stack]))

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
	for (uint32_t i = 0; i < stack->frame_count; i++)
		list_function(scratch, model_function_name(model, stack->frames[i]->function));
	escape_csv(buf, strbuf_text(scratch));
}

/** A table under way. */
struct csv {
	const struct model *model;
	struct emit_names names;
	struct strbuf buf, scratch;
};

#define CSV_COLUMN(type)    \
	if (is_known)       \
		CSV_##type; \
	emit_literal(&csv->buf, ",");

static void add_fault_heading(struct strbuf *buf)
{
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) strbuf_puts(buf, path ",");
#include "model/columns.def"
}

static void add_fault(struct csv *csv, size_t index)
{
	const struct model *model = csv->model;
	const struct model_fault *fault = &model->faults[index];
	const struct model_thread *thread = model_thread(model, fault);
	bool is_known = true;

#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) CSV_COLUMN(type)
#define GROUP_IF(name, known, meaning)			       is_known = known;
#define END_GROUP(name)					       is_known = true;
#include "model/columns.def"
}

static void add_io_heading(struct strbuf *buf)
{
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) strbuf_puts(buf, path ",");
#include "model/iocolumns.def"
}

static void add_io(struct csv *csv, size_t index)
{
	const struct model *model = csv->model;
	const struct model_io *io = &model->ios->items[index];
	const struct model_fault *fault = &io->what;
	const struct model_thread *thread = model_thread(model, fault);
	bool is_known = true;

	if (io->is_left_out)
		return;
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) CSV_COLUMN(type)
#define GROUP_IF(name, known, meaning)			       is_known = known;
#define END_GROUP(name)					       is_known = true;
#include "model/iocolumns.def"
}

/** Write @count rows; both end with a comma, and one that adds nothing is left out. */
static bool write_rows(const struct model *model, size_t count,
		       void (*add_heading)(struct strbuf *buf),
		       void (*add_row)(struct csv *csv, size_t index), FILE *out)
{
	struct csv csv = { .model = model };
	bool ok = true;

	emit_names_init(&csv.names, model, escape_csv, "");
	add_heading(&csv.buf);
	csv.buf.text[csv.buf.length - 1] = '\n';
	for (size_t index = 0; ok && index < count; index++) {
		const size_t start = csv.buf.length;

		add_row(&csv, index);
		if (csv.buf.length > start)
			csv.buf.text[csv.buf.length - 1] = '\n';
		ok = emit_drain(&csv.buf, 1 << 18, out);
	}
	ok = ok && emit_drain(&csv.buf, 0, out) && fflush(out) == 0;
	emit_names_deinit(&csv.names);
	strbuf_deinit(&csv.buf);
	strbuf_deinit(&csv.scratch);
	return ok;
}

bool render_csv(const struct model *model, FILE *out)
{
	return write_rows(model, model->fault_count, add_fault_heading, add_fault, out);
}

bool render_io_csv(const struct model *model, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);

	return write_rows(&view, view.ios->count, add_io_heading, add_io, out);
}
