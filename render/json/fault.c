// SPDX-License-Identifier: Apache-2.0
#include "render/json/fault.h"

#include "model/io.h"

// One for each type of model/columns.def: append the value.
#define JSON_NUMBER(number) emit_number(buf, number)
#define JSON_NUMBER_IF(known, number)              \
	do {                                       \
		if (known)                         \
			emit_number(buf, number);  \
		else                               \
			emit_literal(buf, "null"); \
	} while (0)
#define JSON_ADDRESS(addr) add_address(buf, addr)
#define JSON_ADDRESS_IF(known, addr)               \
	do {                                       \
		if (known)                         \
			add_address(buf, addr);    \
		else                               \
			emit_literal(buf, "null"); \
	} while (0)
#define JSON_WORD(list, value)	  add_word(buf, model_##list##_name(value))
#define JSON_WORD_IF(list, value) add_word_or_null(buf, model_##list##_name(value))
#define JSON_TRUTH(value)	  add_truth(buf, value)
#define JSON_NAME(list, index)	  emit_piece(buf, emit_name(names, names->list, index))
#define JSON_BUILD_ID(object)	  JSON_NAME(build_ids, object)
#define JSON_INLINED(code)	  add_inlined(buf, model, names, code)
#define JSON_STACK(stack)	  add_stack(buf, model, names, stack)
#define JSON_STACK_ID(stack)	  add_stack_id(buf, ids, stack)
#define JSON_STACK_END(stack) \
	add_word_or_null(buf, (stack) == MODEL_NONE ? NULL : model_stack_end(&model->stacks[stack]))

#define ADD_COLUMN(name, type)                        \
	do {                                          \
		emit_literal(buf, ",\"" #name "\":"); \
		JSON_##type;                          \
	} while (0)

// Of a group whose members follow; null where it is not known.
#define BEGIN_GROUP(name, known)              \
	emit_literal(buf, ",\"" #name "\":"); \
	if (!(known)) {                       \
		emit_literal(buf, "null");    \
	} else {                              \
		group_start = buf->length;
#define FINISH_GROUP                  \
	end_object(buf, group_start); \
	}

static void add_address(struct strbuf *buf, uint64_t addr)
{
	emit_literal(buf, "\"");
	emit_addr(buf, addr);
	emit_literal(buf, "\"");
}

/** A word of the contract: plain letters, nothing to escape. */
static void add_word(struct strbuf *buf, const char *word)
{
	emit_literal(buf, "\"");
	strbuf_puts(buf, word);
	emit_literal(buf, "\"");
}

static void add_word_or_null(struct strbuf *buf, const char *word)
{
	if (word)
		add_word(buf, word);
	else
		emit_literal(buf, "null");
}

static void add_truth(struct strbuf *buf, enum model_dlopen value)
{
	if (value == MODEL_DLOPEN_UNKNOWN)
		emit_literal(buf, "null");
	else
		strbuf_puts(buf, value == MODEL_DLOPEN_YES ? "true" : "false");
}

/** End the object that begins at @start, where the comma before its first member still stands. */
static void end_object(struct strbuf *buf, size_t start)
{
	buf->text[start] = '{';
	emit_literal(buf, "}");
}

static void add_inlined(struct strbuf *buf, const struct model *model,
			const struct emit_names *names, uint32_t code)
{
	const struct model_code *inlining = code == MODEL_NONE ? NULL : &model->codes[code];

	emit_literal(buf, "[");
	for (uint32_t i = 0; inlining && i < inlining->inlined_count; i++) {
		uint32_t row = inlining->first_inlined + i;

		if (i > 0)
			emit_literal(buf, ",");
		size_t start = buf->length;
#define INNER(name, type, meaning) ADD_COLUMN(name, type);
#include "model/columns.def"
		end_object(buf, start);
	}
	emit_literal(buf, "]");
}

void faultjson_add_frame(struct strbuf *buf, const struct model *model,
			 const struct emit_names *names, const struct model_frame *frame)
{
#define FRAME(name, type, meaning) ADD_COLUMN(name, type);
#include "model/columns.def"
}

static void add_stack(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		      uint32_t index)
{
	const struct model_stack *stack = index == MODEL_NONE ? NULL : &model->stacks[index];

	emit_literal(buf, "[");
	for (uint32_t i = 0; stack && i < stack->frame_count; i++) {
		if (i > 0)
			emit_literal(buf, ",");
		size_t start = buf->length;
		faultjson_add_frame(buf, model, names, stack->frames[i]);
		end_object(buf, start);
	}
	emit_literal(buf, "]");
}

static void add_stack_id(struct strbuf *buf, const struct stackids *ids, uint32_t stack)
{
	JSON_NUMBER_IF(stack != MODEL_NONE, *u64map_get(&ids->stacks, stack));
}

/** Append the operations that @fault caused, in numbers alone. */
static void add_io(struct strbuf *buf, const struct model *model, const struct model_fault *fault)
{
	size_t count = 0;
	const uint32_t *list = model->ios ? model_ios_of_fault(model->ios, fault, &count) : NULL;

	emit_literal(buf, ",\"io\":[");
	for (size_t i = 0; i < count; i++) {
		const struct model_io *io = &model->ios->items[list[i]];
		const struct {
			const char *name;
			uint64_t number;
		} members[] = {
			{ "{\"bytes\":", io->bytes },
			{ ",\"latency_ns\":", io->what.duration_ns },
			{ ",\"wait_ns\":", io->wait_ns },
			{ ",\"time_ns\":", io->what.time_ns },
			{ ",\"seq\":", list[i] },
		};

		if (i > 0)
			emit_literal(buf, ",");
		for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
			strbuf_puts(buf, members[m].name);
			emit_number(buf, members[m].number);
		}
		emit_literal(buf, "}");
	}
	emit_literal(buf, "]");
}

void faultjson_add(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   size_t index, const struct stackids *ids)
{
	const struct model_fault *fault = &model->faults[index];
	const struct model_thread *thread = model_thread(model, fault);
	size_t start = buf->length, group_start;

#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) ADD_COLUMN(name, type);
#define STACK_COLUMN(name, ask, type, sql, meaning) \
	if (!ids)                                   \
		ADD_COLUMN(name, type);
#define ID_COLUMN(name, ask, type, sql, meaning) \
	if (ids)                                 \
		ADD_COLUMN(name, type);
#define GROUP_IF(name, known, meaning) BEGIN_GROUP(name, known)
#define END_GROUP(name)		       FINISH_GROUP
#define PROMISE(name, meaning)	       add_##name(buf, model, fault);
#include "model/columns.def"
	end_object(buf, start);
}

void faultjson_add_io(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		      size_t index)
{
	const struct model_io *io = &model->ios->items[index];
	const struct model_fault *fault = &io->what;
	const struct model_thread *thread = model_thread(model, fault);
	size_t start = buf->length, group_start;

#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) ADD_COLUMN(name, type);
#define GROUP_IF(name, known, meaning)			       BEGIN_GROUP(name, known)
#define END_GROUP(name)					       FINISH_GROUP
#include "model/iocolumns.def"
	end_object(buf, start);
}
