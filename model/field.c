// SPDX-License-Identifier: Apache-2.0
#include "model/field.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/strbuf.h"

#include <string.h>

/** Define NAME_key() for a field whose key is a member of the fault. */
#define MEMBER_KEY(name, member)                                                               \
	static uint32_t name##_key(const struct model *model, const struct model_fault *fault) \
	{                                                                                      \
		(void)model;                                                                   \
		return fault->member;                                                          \
	}

MEMBER_KEY(kind, kind)
MEMBER_KEY(access, access)
MEMBER_KEY(mode, mode)
MEMBER_KEY(mechanism, mechanism)
MEMBER_KEY(initiator, initiator)
MEMBER_KEY(certainty, certainty)
MEMBER_KEY(dlopen, dlopen)
MEMBER_KEY(step, step)
MEMBER_KEY(object, at.object)
MEMBER_KEY(section, at.section)
MEMBER_KEY(symbol, at.name)
MEMBER_KEY(function, by->name)
MEMBER_KEY(by_object, by->object)
MEMBER_KEY(blame, blame)
MEMBER_KEY(initializer, initializer)
MEMBER_KEY(init_object, init_object)

/** The same for a member of the thread that took the fault. */
#define THREAD_KEY(name)                                                                       \
	static uint32_t name##_key(const struct model *model, const struct model_fault *fault) \
	{                                                                                      \
		return model_thread(model, fault)->name;                                       \
	}

THREAD_KEY(comm)
THREAD_KEY(pid)
THREAD_KEY(tid)

enum { READ_UNKNOWN, READ_NO, READ_YES, READS };

static uint32_t read_key(const struct model *model, const struct model_fault *fault)
{
	return fault->has_read ? READ_YES : model->trace.has_reads ? READ_NO : READ_UNKNOWN;
}

static uint32_t segment_key(const struct model *model, const struct model_fault *fault)
{
	int32_t segment =
		fault->at.section == MODEL_NONE ? -1 : model->sections[fault->at.section].segment;

	return segment < 0 ? MODEL_NONE : (uint32_t)segment;
}

static uint32_t symbol_kind_key(const struct model *model, const struct model_fault *fault)
{
	return fault->at.name == MODEL_NONE ? MODEL_NO_SYMBOL : model->symbols[fault->at.name].kind;
}

/** Define NAME_word() for a field whose keys are the model's enum NAME. */
#define ENUM_WORD(name)                                             \
	static const char *name##_word(uint32_t key)                \
	{                                                           \
		return model_##name##_name((enum model_##name)key); \
	}

ENUM_WORD(kind)
ENUM_WORD(access)
ENUM_WORD(mode)
ENUM_WORD(mechanism)
ENUM_WORD(initiator)
ENUM_WORD(certainty)
ENUM_WORD(step)
ENUM_WORD(symbol_kind)

static const char *dlopen_word(uint32_t key)
{
	return key == MODEL_DLOPEN_YES ? "true" : key == MODEL_DLOPEN_NO ? "false" : NULL;
}

static const char *read_word(uint32_t key)
{
	return key == READ_YES ? "true" : key == READ_NO ? "false" : NULL;
}

/** Define NAMEs_count() and NAME_name() for rows whose name is a member. */
#define ROW_NAME(name, table, count, member)                                  \
	static const char *name##_name(const struct model *model, uint32_t i) \
	{                                                                     \
		return model->table[i] member;                                \
	}                                                                     \
	static size_t name##_count(const struct model *model)                 \
	{                                                                     \
		return model->count;                                          \
	}

ROW_NAME(object, objects, object_count, .path)
ROW_NAME(section, sections, section_count, .name)
ROW_NAME(symbol, symbols, symbol_count, .name)
ROW_NAME(function, functions, function_count, .name)
ROW_NAME(by_section, functions, function_count, .section)
ROW_NAME(comm, comms, comm_count, )

static size_t initializer_count(const struct model *model)
{
	return model->initializer_count;
}

/** Code without a name is called as its array: null stands for faults outside initializers. */
static const char *initializer_name(const struct model *model, uint32_t i)
{
	const struct model_initializer *initializer = &model->initializers[i];

	return initializer->function ? initializer->function : initializer->array;
}

static uint32_t initializer_owner(const struct model *model, uint32_t i)
{
	return model->initializers[i].object;
}

#define WORDS(word_, count_, path, ...)                                                    \
	{                                                                                  \
		.name = #word_, .column = path, .domain = FIELD_WORDS, .key = word_##_key, \
		.word_count = count_, .word = word_##_word, __VA_ARGS__                    \
	}
#define ROWS(word_, rows, path, ...)                                                      \
	{                                                                                 \
		.name = #word_, .column = path, .domain = FIELD_ROWS, .key = word_##_key, \
		.row_count = rows##_count, .row_name = rows##_name, __VA_ARGS__           \
	}
#define NUMBERS(word_, path, ...)                                                            \
	{                                                                                    \
		.name = #word_, .column = path, .domain = FIELD_NUMBERS, .key = word_##_key, \
		__VA_ARGS__                                                                  \
	}

static const struct field fields[] = {
	WORDS(kind, MODEL_KINDS, "kind"),
	WORDS(access, MODEL_ACCESSES, "access"),
	WORDS(mode, MODEL_MODES, "mode"),
	WORDS(mechanism, MODEL_MECHANISMS, "mechanism"),
	WORDS(initiator, MODEL_INITIATORS, "initiator", .is_of_code = true),
	WORDS(certainty, MODEL_CERTAINTIES, "certainty", .is_of_code = true),
	{ .name = "dlopen",
	  .column = "dlopen",
	  .domain = FIELD_WORDS,
	  .key = dlopen_key,
	  .word_count = MODEL_DLOPEN_YES + 1,
	  .word = dlopen_word,
	  .is_bool = true,
	  .is_of_code = true },
	{ .name = "read",
	  .column = "read",
	  .domain = FIELD_WORDS,
	  .key = read_key,
	  .word_count = READS,
	  .word = read_word,
	  .is_bool = true },
	{ .name = "object",
	  .column = "at.object",
	  .domain = FIELD_ROWS,
	  .key = object_key,
	  .row_count = object_count,
	  .row_name = object_name,
	  .is_object = true },
	WORDS(step, MODEL_STEPS, "step"),
	ROWS(section, section, "at.section"),
	NUMBERS(segment, "at.segment"),
	ROWS(symbol, symbol, "at.symbol"),
	WORDS(symbol_kind, MODEL_SYMBOL_KINDS, "at.symbol_kind"),
	ROWS(function, function, "by.function", .is_of_code = true),
	{ .name = "init_object",
	  .column = "initializer.object",
	  .domain = FIELD_ROWS,
	  .key = init_object_key,
	  .row_count = object_count,
	  .row_name = object_name,
	  .is_object = true,
	  .is_of_code = true },
	{ .name = "by_object",
	  .column = "by.object",
	  .domain = FIELD_ROWS,
	  .key = by_object_key,
	  .row_count = object_count,
	  .row_name = object_name,
	  .is_object = true,
	  .is_of_code = true },
	{ .name = "by_section",
	  .column = "by.section",
	  .domain = FIELD_ROWS,
	  .key = function_key,
	  .row_count = by_section_count,
	  .row_name = by_section_name,
	  .is_of_code = true },
	ROWS(blame, function, "blame", .is_of_code = true),
	{ .name = "initializer",
	  .column = "initializer.function",
	  .domain = FIELD_ROWS,
	  .key = initializer_key,
	  .row_count = initializer_count,
	  .row_name = initializer_name,
	  .row_owner = initializer_owner,
	  .is_of_code = true },
	ROWS(comm, comm, "comm", .is_of_code = true),
	NUMBERS(pid, "pid", .is_of_code = true),
	NUMBERS(tid, "tid", .is_of_code = true),
};
enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };

const struct field *field_all(size_t *ret_count)
{
	*ret_count = FIELD_COUNT;
	return fields;
}

static void explain(const char *name, size_t length, struct err *err)
{
	const char *names[FIELD_COUNT];
	CLEANUP(strbuf_deinit) struct strbuf asked = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		names[i] = fields[i].name;
		strbuf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	strbuf_add(&asked, name, length);
	const char *near = nearest_word(strbuf_text(&asked), names, FIELD_COUNT);
	err_set(err, ERR_INPUT, "unknown field '%.*s'%s%s%s; fields are %s", 60,
		strbuf_text(&asked), near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "", strbuf_text(&list));
}

const struct field *field_find(const char *name, size_t length, struct err *err)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *const spellings[] = { fields[i].name, fields[i].column };

		for (size_t n = 0; n < 2; n++)
			if (strlen(spellings[n]) == length &&
			    memcmp(spellings[n], name, length) == 0)
				return &fields[i];
	}
	explain(name, length, err);
	return NULL;
}
