// SPDX-License-Identifier: Apache-2.0
// The columns of what JSON has, a row type after the other: the schemas are made of these tables.
// The columns of a fault are in model/columns.def.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

enum column_source {
	SOURCE_ELSEWHERE, // the code that writes the document knows
	SOURCE_BOOL,
	SOURCE_U32,
	SOURCE_U64,
	SOURCE_I64,
	SOURCE_REAL,
	SOURCE_TEXT,
	SOURCE_WORD,
	SOURCE_NUMBERS,
	SOURCE_ROW,
	SOURCE_POINTER,
	SOURCE_LIST,
	SOURCE_BY,
	SOURCE_ITEM,
	SOURCE_ITEMS,
};

/**
 * A key of a JSON object, or with ROW() the beginning of a row type, whose keys follow. A row type
 * has a name that is not that of any other.
 *
 * @name:    with a ? at its end it is not always there; "": the columns of the row type @type stand
 * here
 * @type:    one of
 *             text bool real
 *             number             a whole number from 0 on; number>0: from 1 on
 *             integer            a whole number of any sign
 *             address build-id   strings
 *             kind initiator ..  a word of that list of words.def
 *             this|that          a word of these
 *             ROW_NAME           an object
 *             by_initiator       numbers of all words of that list
 *             {wait: TYPE}       values of some words of that list; {text: TYPE}: of any
 *             [TYPE]             a list; [TYPE 1..3], [TYPE 1..]: of so many
 *           any of them with a ? at its end: or null. See schema.c for some that few need.
 * @meaning: what a reader cannot guess from name and type; NULL: nothing
 */
struct row_column {
	const char *name;
	const char *type;
	const char *meaning;

	// Where columns_new() finds the value; see AT() and those after it.
	enum column_source source;
	size_t offset, other, stride;
	bool has_known, is_null_at_zero;
	bool (*is_known)(const void *row, const void *context);
	const char *(*word)(unsigned value);
	struct json_object *(*by)(const void *row, const void *context);
	const void *(*item)(const void *row, size_t index, const void *context);

	bool is_row;
	bool is_closed; // of a row: no other key is valid
			// A row's type is the title of its schema; NULL: it has none of its own.
};

/** The member of a row's struct: a number, a truth or a text; NULL: null. */
#define AT(type_, member)                                     \
	.source = COLUMN_SOURCE(((struct type_ *)0)->member), \
	.offset = offsetof(struct type_, member)
/** The same; null where the bool @known_ is not set. */
#define AT_IF(type_, member, known_) \
	AT(type_, member), .has_known = true, .other = offsetof(struct type_, known_)
/** The same; null where @is_known_ denies it. */
#define AT_WHERE(type_, member, is_known_) AT(type_, member), .is_known = (is_known_)
/** The same; null where it is 0. */
#define AT_NONZERO(type_, member) AT(type_, member), .is_null_at_zero = true
/** An enum, whose words @word_ knows; NULL: null. */
#define WORD_AT(type_, member, word_) \
	.source = SOURCE_WORD, .offset = offsetof(struct type_, member), .word = (word_)
/** An array of numbers, of the type by_LIST. */
#define NUMBERS_AT(type_, member) .source = SOURCE_NUMBERS, .offset = offsetof(struct type_, member)
/** A struct of which a row is made. */
#define ROW_AT(type_, member) .source = SOURCE_ROW, .offset = offsetof(struct type_, member)
/** The same; null where the bool @known_ is not set. */
#define ROW_IF(type_, member, known_) \
	ROW_AT(type_, member), .has_known = true, .other = offsetof(struct type_, known_)
/** A pointer to such a struct; NULL: null. */
#define POINTER_AT(type_, member) .source = SOURCE_POINTER, .offset = offsetof(struct type_, member)
/** The struct itself, of which another row is made. */
#define SAME .source = SOURCE_ROW
/** The same; null where @is_known_ denies it. */
#define SAME_WHERE(is_known_) SAME, .is_known = (is_known_)
/** A struct that @item_ finds, with index 0; NULL: null. */
#define ITEM(item_) .source = SOURCE_ITEM, .item = (item_)
/** Structs that @item_ finds, from index 0 to the one before NULL. */
#define ITEMS(item_) .source = SOURCE_ITEMS, .item = (item_)
/** A pointer to an array of structs, and its size, a size_t. */
#define LIST_AT(type_, items_, count_)                                   \
	.source = SOURCE_LIST, .offset = offsetof(struct type_, items_), \
	.other = offsetof(struct type_, count_), .stride = sizeof(*((struct type_ *)0)->items_)
/** Value made by @by_ of the struct and the context that columns_new() was given. */
#define BY(by_) .source = SOURCE_BY, .by = (by_)
/** The same of a member. */
#define BY_AT(type_, member, by_) BY(by_), .offset = offsetof(struct type_, member)

/** Define @name_(), for what asks if a value is known: whether it is, of *row, a struct @type_. */
#define KNOWN_OF(name_, type_, is_known_)                        \
	static bool name_(const void *row_, const void *context) \
	{                                                        \
		const struct type_ *row = row_;                  \
                                                                 \
		return (is_known_);                              \
	}

/** Define @name_(), for BY(): the value of *row, a struct @type_, and of context. */
#define VALUE_OF(name_, type_, value_)                                          \
	static struct json_object *name_(const void *row_, const void *context) \
	{                                                                       \
		const struct type_ *row = row_;                                 \
                                                                                \
		return (value_);                                                \
	}

/** The same of row and context as they come, without a type. */
#define VALUE_IN(name_, value_)                                                \
	static struct json_object *name_(const void *row, const void *context) \
	{                                                                      \
		return (value_);                                               \
	}

#define COLUMN_SOURCE(member) \
	_Generic((member), bool                                                             \
		 : SOURCE_BOOL, uint32_t                                                    \
		 : SOURCE_U32, uint64_t                                                     \
		 : SOURCE_U64, int64_t                                                      \
		 : SOURCE_I64, double                                                       \
		 : SOURCE_REAL, char *                                                       \
		 : SOURCE_TEXT, const char *                                               \
		 : SOURCE_TEXT)

#define ROW_(name_, title, meaning_, is_closed_)                                         \
	{                                                                                \
		.name = (name_), .type = (title), .meaning = (meaning_), .is_row = true, \
		.is_closed = (is_closed_),                                               \
	}
#define ROW(name, meaning)	  ROW_(name, NULL, meaning, false)
#define CLOSED_ROW(name, meaning) ROW_(name, NULL, meaning, true)
/** A row type that is a document, with a schema of its own. */
#define DOCUMENT(name, title, meaning)	      ROW_(name, title, meaning, false)
#define CLOSED_DOCUMENT(name, title, meaning) ROW_(name, title, meaning, true)

extern const struct row_column account_columns[], analysis_columns[], bench_columns[],
	bindings_columns[], causes_columns[], check_columns[], data_columns[], diff_columns[],
	diffobject_columns[], finding_columns[], initializers_columns[], io_document_columns[],
	listing_columns[], map_columns[], mapdiff_columns[], object_columns[], order_columns[],
	pivot_columns[], relocation_columns[], set_columns[], smaps_columns[], storage_columns[],
	tune_columns[], whatif_columns[];

/** The row type @name; NULL: none has that name. */
const struct row_column *columns_find(const char *name);

/**
 * The struct @from as JSON, by the columns of the row type @row; NULL, which is JSON's null, for
 * NULL.
 * @context: for the functions of BY()
 */
struct json_object *columns_new(const char *row, const void *from, const void *context);

/** The same of each of @count structs, @stride bytes apart, as a list. */
struct json_object *columns_list(const char *row, const void *items, size_t count, size_t stride,
				 const void *context);

/** Write columns_new() on lines of their own, indented; false if @out failed. */
bool columns_print(const char *row, const void *from, const void *context, FILE *out);

/** Write the schema of the document @name; *@ret_is_known: whether there is such a document. */
bool render_schema(const char *name, FILE *out, bool *ret_is_known);
