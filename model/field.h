// SPDX-License-Identifier: Apache-2.0
// The words that a fault has a value for, and how to find that value: what faults are chosen and
// counted by. They are those of model/columns.def, and of model/iocolumns.def; one table serves
// --where, --by and their help. Of a model only the rows are asked for.
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "model/naming.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_domain {
	FIELD_WORDS,   // keys count the words of the contract: see word, word_count
	FIELD_ROWS,    // keys are indexes of rows: see row_name, row_count
	FIELD_NUMBERS, // keys are the value itself
};

/** One word. A fault's value is found as a small key, MODEL_NONE where JSON has null. */
struct field {
	const char *name;
	const char *column; // its name among the columns of --format csv
	enum field_domain domain;
	uint32_t (*key)(const struct model *model, const struct model_fault *fault);

	uint32_t word_count;
	const char *(*word)(uint32_t key); // NULL for keys that stand for null

	size_t (*row_count)(const struct model *model);
	const char *(*row_name)(const struct model *model, uint32_t row); // NULL: null
	// The object that a row belongs to, where names of several mean nothing together: each file
	// has an initializer _init. NULL: rows of one name are one.
	uint32_t (*row_owner)(const struct model *model, uint32_t row);
	// All names of a row, where it has more than row_name(); NULL: it has not.
	void (*row_naming)(struct naming *ret_naming, const struct model *model, uint32_t row);
	bool is_bool;	    // words are true and false
	bool is_object;	    // rows are objects
	bool is_of_code;    // what ran and why: moments outside faults have a value, too
	bool is_of_io;	    // operations have a value
	bool is_only_of_io; // of model/iocolumns.def: faults have none
};

/** All of them, in the order of the help. */
const struct field *field_all(size_t *ret_count);

/**
 * The field with this name, or whose column has it.
 *
 * @length: bytes of @name
 * @err:    what was probably meant, and all words there are
 * Returns: NULL if there is none.
 */
const struct field *field_find(const char *name, size_t length, struct err *err);
