// SPDX-License-Identifier: Apache-2.0
#include "model/field.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "model/io.h"
#include "model/marks.h"

#include <string.h>

/** Define NAME_key(), the small key of a column's value. */
#define DEFINE_KEY(flat, type)                                                                 \
	static uint32_t flat##_key(const struct model *model, const struct model_fault *fault) \
	{                                                                                      \
		const struct model_thread *thread = model_thread(model, fault);                \
                                                                                               \
		(void)thread;                                                                  \
		return KEY_##type;                                                             \
	}
#define KEY_NUMBER(number)	     (number)
#define KEY_NUMBER_IF(known, number) (known) ? (number) : MODEL_NONE
#define KEY_WORD(list, value)	     (value)
#define KEY_WORD_IF(list, value)     (value)
#define KEY_TRUTH(value)	     (value)
#define KEY_NAME(list, index)	     (index)

#define KEY_IF_NO(flat, type)
#define KEY_IF_YES(flat, type)				       DEFINE_KEY(flat, type)
#define KEY_IF_OF_CODE(flat, type)			       DEFINE_KEY(flat, type)
#define KEY_IF_OF_IO(flat, type)			       DEFINE_KEY(flat, type)
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) KEY_IF_##ask(flat, type)
#include "model/columns.def"

/** The same of an operation's column; nothing else has a value. */
#define DEFINE_IO_KEY(flat, type)                                                              \
	static uint32_t flat##_key(const struct model *model, const struct model_fault *fault) \
	{                                                                                      \
		const struct model_io *io = model_io_of(fault);                                \
                                                                                               \
		if (!model->is_of_io)                                                          \
			return MODEL_NONE;                                                     \
		return KEY_##type;                                                             \
	}
#define IO_KEY_IF_NO(flat, type)
#define IO_KEY_IF_YES(flat, type)			       DEFINE_IO_KEY(flat, type)
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) IO_KEY_IF_##ask(flat, type)
#include "model/iocolumns.def"

enum { READ_UNKNOWN, READ_NO, READ_YES, READS };

static uint32_t read_key(const struct model *model, const struct model_fault *fault)
{
	return fault->has_read ? READ_YES : model->trace.has_reads ? READ_NO : READ_UNKNOWN;
}

/** The last mark that held before the fault. */
static uint32_t mark_key(const struct model *model, const struct model_fault *fault)
{
	uint32_t key = MODEL_NONE;

	// Those that held are in order of time.
	for (uint32_t i = 0; i < model->mark_count && model->marks[i].held; i++)
		if (model->marks[i].time_ns <= fault->time_ns)
			key = i;
	return key;
}

/** Define NAME_word() for a field whose keys are the model's enum NAME, which has @count values. */
#define ENUM_WORD(name, count)                                      \
	enum { name##_words = (count) };                            \
	static const char *name##_word(uint32_t key)                \
	{                                                           \
		return model_##name##_name((enum model_##name)key); \
	}

ENUM_WORD(kind, MODEL_KINDS)
ENUM_WORD(access, MODEL_ACCESSES)
ENUM_WORD(mode, MODEL_MODES)
ENUM_WORD(mechanism, MODEL_MECHANISMS)
ENUM_WORD(initiator, MODEL_INITIATORS)
ENUM_WORD(certainty, MODEL_CERTAINTIES)
ENUM_WORD(step, MODEL_STEPS)
ENUM_WORD(symbol_kind, MODEL_SYMBOL_KINDS)
ENUM_WORD(direction, MODEL_DIRECTIONS)

enum { storage_words = MODEL_STORAGE_CAUSES };

static const char *storage_word(uint32_t key)
{
	return model_storage_cause_name((enum model_storage_cause)key);
}

static const char *truth_word(uint32_t key)
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
ROW_NAME(mark, marks, mark_count, .name)

static const char *call_name(const struct model *model, uint32_t i)
{
	return model->ios->calls[i];
}

static size_t call_count(const struct model *model)
{
	return model->ios ? model->ios->call_count : 0;
}

static size_t initializer_count(const struct model *model)
{
	return model->initializer_count;
}

/** Null stands for faults outside initializers. */
static const char *initializer_name(const struct model *model, uint32_t i)
{
	return model_initializer_name(&model->initializers[i]);
}

static void object_naming(struct naming *ret_naming, const struct model *model, uint32_t i)
{
	naming_of_file(ret_naming, model->objects[i].path, model->objects[i].soname);
}

static void initializer_naming(struct naming *ret_naming, const struct model *model, uint32_t i)
{
	naming_of_initializer(ret_naming, &model->initializers[i]);
}

static uint32_t initializer_owner(const struct model *model, uint32_t i)
{
	return model->initializers[i].object;
}

// One for each type of column, and each list of names.
#define FIELD_NUMBER(number)	       .domain = FIELD_NUMBERS
#define FIELD_NUMBER_IF(known, number) .domain = FIELD_NUMBERS
#define FIELD_WORD(list, value) \
	.domain = FIELD_WORDS, .word_count = list##_words, .word = list##_word
#define FIELD_WORD_IF FIELD_WORD
#define FIELD_TRUTH(value)                                                             \
	.domain = FIELD_WORDS, .word_count = MODEL_DLOPEN_YES + 1, .word = truth_word, \
	.is_bool = true
#define FIELD_NAME(list, index) .domain = FIELD_ROWS, ROWS_##list
#define ROWS_objects                                                                     \
	.row_count = object_count, .row_name = object_name, .row_naming = object_naming, \
	.is_object = true
#define ROWS_sections	       .row_count = section_count, .row_name = section_name
#define ROWS_symbols	       .row_count = symbol_count, .row_name = symbol_name
#define ROWS_functions	       .row_count = function_count, .row_name = function_name
#define ROWS_function_sections .row_count = by_section_count, .row_name = by_section_name
#define ROWS_comms	       .row_count = comm_count, .row_name = comm_name
#define ROWS_calls	       .row_count = call_count, .row_name = call_name
#define ROWS_initializers                                             \
	.row_count = initializer_count, .row_name = initializer_name, \
	.row_naming = initializer_naming, .row_owner = initializer_owner

#define FIELD(path, flat, type, ...) \
	{ .name = #flat, .column = path, .key = flat##_key, FIELD_##type, __VA_ARGS__ },
#define FIELD_IF_NO(path, flat, type)
#define FIELD_IF_YES(path, flat, type) FIELD(path, flat, type)
#define FIELD_IF_OF_CODE(path, flat, type) \
	FIELD(path, flat, type, .is_of_code = true, .is_of_io = true)
#define FIELD_IF_OF_IO(path, flat, type) FIELD(path, flat, type, .is_of_io = true)
#define IO_FIELD_IF_NO(path, flat, type)
#define IO_FIELD_IF_YES(path, flat, type) \
	FIELD(path, flat, type, .is_of_io = true, .is_only_of_io = true)

static const struct field fields[] = {
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) FIELD_IF_##ask(path, flat, type)
#include "model/columns.def"
#define EACH_COLUMN(path, name, flat, ask, type, sql, meaning) IO_FIELD_IF_##ask(path, flat, type)
#include "model/iocolumns.def"
	{ .name = "read",
	  .column = "read",
	  .domain = FIELD_WORDS,
	  .key = read_key,
	  .word_count = READS,
	  .word = read_word,
	  .is_bool = true },
	{ .name = "mark",
	  .column = "mark",
	  .domain = FIELD_ROWS,
	  .key = mark_key,
	  .row_count = mark_count,
	  .row_name = mark_name },
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
