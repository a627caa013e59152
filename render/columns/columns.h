// SPDX-License-Identifier: Apache-2.0
// The columns of what JSON has, a row type after the other: the schemas are made of these tables.
// The columns of a fault are in model/columns.def.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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
struct column {
	const char *name;
	const char *type;
	const char *meaning;
	bool is_row;
	bool is_closed; // of a row: no other key is valid
			// A row's type is the title of its schema; NULL: it has none of its own.
};

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

extern const struct column account_columns[], analysis_columns[], causes_columns[], check_columns[],
	data_columns[], diff_columns[], finding_columns[], initializers_columns[], map_columns[],
	object_columns[], order_columns[], pivot_columns[], relocation_columns[], smaps_columns[],
	storage_columns[], whatif_columns[];

/** Write the schema of the document @name; *@ret_is_known: whether there is such a document. */
bool render_schema(const char *name, FILE *out, bool *ret_is_known);
