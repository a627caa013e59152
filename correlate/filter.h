// SPDX-License-Identifier: Apache-2.0
// Which faults are shown: conditions over the words of a fault, as --where writes them.
//
//   condition[,condition...]       all of them hold
//   word=value[|value...]          the fault's value is one of these; word!=value: none of these
//
// A value is text with * and ? as in the shell. Within double quotes, or after a backslash, every
// character stands for itself: symbol="foo(int, char*)". null is the value where JSON has null.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "correlate/field.h"

struct filter;

struct filter *filter_create(void);

/** Release @filter, which may be NULL. */
void filter_destroy(struct filter *filter);

/**
 * Add the conditions of @text; they hold together with those already there.
 *
 * @err: ERR_INPUT with the place in @text, and what was probably meant. @filter is then of no use
 *       but to be destroyed.
 */
bool filter_add(struct filter *filter, const char *text, struct err *err);

/** All conditions as they were written; owned by @filter. */
const char *filter_text(const struct filter *filter);

/**
 * Move those of @count @faults for which every condition holds to the front, in the order they
 * have. Names that nothing in @rows has are noted: they may be misspelled.
 *
 * Returns how many these are. Time: O(rows × values + faults × conditions).
 */
size_t filter_apply(const struct filter *filter, const struct field_rows *rows,
		    struct model_fault *faults, size_t count, struct notes *notes);
