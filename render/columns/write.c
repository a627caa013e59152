// SPDX-License-Identifier: Apache-2.0
// Rows as JSON, by the tables beside this file.
#include "render/columns/columns.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "model/columns.h"
#include "render/columns/node.h"

#include <string.h>

static const struct row_column *const tables[] = {
	account_columns,    analysis_columns, bench_columns,	    bindings_columns,
	causes_columns,	    check_columns,    data_columns,	    diff_columns,
	diffobject_columns, finding_columns,  initializers_columns, map_columns,
	listing_columns,    mapdiff_columns,  object_columns,	    io_document_columns,
	order_columns,	    pivot_columns,    relocation_columns,   set_columns,
	smaps_columns,	    storage_columns,  tune_columns,	    whatif_columns,
};

static const struct row_column *find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct row_column *column = tables[i]; column->name; column++)
			if (column->is_row && strncmp(column->name, name, length) == 0 &&
			    column->name[length] == '\0')
				return column;
	return NULL;
}

const struct row_column *columns_find(const char *name)
{
	return find(name, strlen(name));
}

/** The integer at @from, of the source's size. */
static uint64_t number_at(enum column_source source, const char *from)
{
	switch (source) {
	case SOURCE_U32:
		return *(const uint32_t *)from;
	case SOURCE_BOOL:
		return *(const bool *)from;
	default:
		return *(const uint64_t *)from;
	}
}

/** The name of a row type in "[NAME]", "[NAME 1..]" or "NAME?". */
static const struct row_column *row_of(const char *type)
{
	const char *name = type + (*type == '[');

	return find(name, strcspn(name, "]? "));
}

/** Numbers for each word of the list that "by_LIST" names. */
static struct json_object *numbers_new(const char *type, const uint64_t *numbers)
{
	struct json_object *object = node_object();
	const struct word_list *list = word_list_find(type + strlen("by_"));

	for (size_t i = 0; i < sizeof(list->words) / sizeof(list->words[0]); i++)
		if (list->words[i])
			node_add_number(object, list->words[i], numbers[i]);
	return object;
}

static struct json_object *row_new(const struct row_column *row, const char *from,
				   const void *context);

static struct json_object *list_new(const struct row_column *row, const char *items, size_t count,
				    size_t stride, const void *context)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < count; i++)
		node_append(list, row_new(row, items + i * stride, context));
	return list;
}

static struct json_object *items_new(const struct row_column *column, const char *from,
				     const void *context)
{
	struct json_object *list = node_array();
	const struct row_column *row = row_of(column->type);
	const void *item;

	for (size_t i = 0; (item = column->item(from, i, context)); i++)
		node_append(list, row_new(row, item, context));
	return list;
}

/** An integer, as the column's type has it. */
static struct json_object *integer_new(const struct row_column *column, const char *at)
{
	uint64_t number = number_at(column->source, at);

	if (strncmp(column->type, "address", strlen("address")) == 0)
		return node_address(number);
	return json_object_new_uint64(number);
}

static struct json_object *value_new(const struct row_column *column, const char *from,
				     const void *context)
{
	const char *at = from + column->offset;

	if (column->has_known && !*(const bool *)(from + column->other))
		return NULL;
	if (column->is_known && !column->is_known(from, context))
		return NULL;
	if (column->is_null_at_zero && number_at(column->source, at) == 0)
		return NULL;
	switch (column->source) {
	case SOURCE_ELSEWHERE: // the name of a document stands in its type
		return node_text(column->type);
	case SOURCE_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case SOURCE_U32:
	case SOURCE_U64:
		return integer_new(column, at);
	case SOURCE_I64:
		return json_object_new_int64(*(const int64_t *)at);
	case SOURCE_REAL:
		return node_real(*(const double *)at);
	case SOURCE_TEXT:
		return node_text(*(const char *const *)at);
	case SOURCE_NUMBERS:
		return numbers_new(column->type, (const uint64_t *)at);
	case SOURCE_WORD:
		return node_text(column->word(*(const unsigned *)at));
	case SOURCE_ROW:
		return row_new(row_of(column->type), at, context);
	case SOURCE_POINTER:
		at = *(const char *const *)at;
		return at ? row_new(row_of(column->type), at, context) : NULL;
	case SOURCE_LIST:
		return list_new(row_of(column->type), *(const char *const *)at,
				*(const size_t *)(from + column->other), column->stride, context);
	case SOURCE_ITEM:
		at = column->item(from, 0, context);
		return at ? row_new(row_of(column->type), at, context) : NULL;
	case SOURCE_ITEMS:
		return items_new(column, from, context);
	case SOURCE_BY:
		return column->by(at, context);
	}
	return NULL; // no other source
}

static void add_columns(struct json_object *object, const struct row_column *row, const char *from,
			const void *context)
{
	for (const struct row_column *column = row + 1; column->name && !column->is_row; column++)
		if (*column->name)
			node_add(object, column->name, value_new(column, from, context));
		else
			add_columns(object, columns_find(column->type), from + column->offset,
				    context);
}

static struct json_object *row_new(const struct row_column *row, const char *from,
				   const void *context)
{
	struct json_object *object = node_object();

	add_columns(object, row, from, context);
	return object;
}

struct json_object *columns_new(const char *row, const void *from, const void *context)
{
	return from ? row_new(columns_find(row), from, context) : NULL;
}

struct json_object *columns_list(const char *row, const void *items, size_t count, size_t stride,
				 const void *context)
{
	return list_new(columns_find(row), items, count, stride, context);
}

bool columns_print(const char *row, const void *from, const void *context, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	CLEANUP(node_putp) struct json_object *root = columns_new(row, from, context);
	const char *text = json_object_to_json_string_ext(root, STYLE);

	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
