// SPDX-License-Identifier: Apache-2.0
// Rows of model/columns.def and model/iocolumns.def as data, for schemas, SQLite and whatever else
// needs names and meanings, not values; and the lists of words.def.
#pragma once

#include "model/words.def"

#include <stdbool.h>
#include <stddef.h>

enum fault_column_role {
	FAULT_VALUE,
	FAULT_GROUP,   // name and meaning of a group, which stands before its members
	FAULT_STACK,   // left out by --stacks ids
	FAULT_ID,      // what --stacks ids puts there
	FAULT_PROMISE, // a list in JSON alone
	FAULT_FRAME,   // of a frame of a stack
	FAULT_INNER,   // of a function that was inlined
};

/** A column of a fault; model/columns.def explains the members. */
struct fault_column {
	enum fault_column_role role;
	const char *group; // NULL: none
	const char *name, *flat;
	const char *path; // in CSV
	const char *type; // in the notation of render/columns/columns.h
	const char *view; // how SQLite's view "fault" finds it; NULL: in the table "faults"
	const char *meaning;
};

/** All of them, in order. */
extern const struct fault_column fault_columns[];
extern const size_t fault_column_count;

/** Those of an operation: of model/iocolumns.def. */
extern const struct fault_column io_columns[];
extern const size_t io_column_count;

/** The column of a fault, or of an operation, with the flat name @flat; NULL: none. */
const struct fault_column *fault_column_find(const char *flat, bool is_of_io);

/** One list of words.def; words and meanings are at their values. */
struct word_list {
	const char *name;
	const char *words[20], *meanings[20];
};

#define WORD_LIST_ID(name, rows) WORD_LIST_##name,

/** A list's index. */
enum word_list_id { WORD_LISTS(WORD_LIST_ID) WORD_LIST_COUNT };

/** All of them; the last has no name. */
extern const struct word_list word_lists[];

/** The list that a column's type names, with or without a ? at its end; NULL: none. */
const struct word_list *word_list_find(const char *type);
