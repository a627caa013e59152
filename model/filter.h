// SPDX-License-Identifier: Apache-2.0
// A filter of faults: conditions over the words of a fault, as --where writes them.
//
//   condition[,condition...]       all of them hold
//   word=value[|value...]          the fault's value is one of these; word!=value: none of these
//
// A value is text with * and ? as in the shell. Within double quotes, or after a backslash, every
// character stands for itself: symbol="foo(int, char*)". null is the value where JSON has null.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "model/field.h"

struct filter;
struct model_io;

/** A name in a condition that nothing has which it could name: it may be misspelled. */
struct filter_stranger {
	const struct field *field;
	const char *text; // owned by the filter
	bool has_wildcard;
};

struct filter_strangers {
	VEC(struct filter_stranger) list;
};

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

/**
 * Add the condition that @word is @name, which is taken as it is: no character in it is special; or
 * that people call it so (base/symbolname.h).
 */
void filter_add_name(struct filter *filter, const char *word, const char *name);

/**
 * Let filter_apply() leave fault @seq alone, counted from 0 in order of time before any condition,
 * and filter_choose() nothing.
 */
void filter_set_fault(struct filter *filter, uint64_t seq);

/** All conditions as they were written; owned by @filter. */
const char *filter_text(const struct filter *filter);

/**
 * Move those of @count @faults for which every condition holds to the front, in the order they
 * have. Names that nothing in @model has are noted: they may be misspelled.
 *
 * Returns how many these are. Time: O(rows × values + faults × conditions).
 */
size_t filter_apply(const struct filter *filter, const struct model *model,
		    struct model_fault *faults, size_t count, struct notes *notes);

/** The word of condition @index, in the order they were written; NULL behind the last. */
const struct field *filter_field(const struct filter *filter, size_t index);

/** The value of @word where the conditions leave a single one, without wildcards; else NULL. */
const char *filter_pinned(const struct filter *filter, const char *word);

/**
 * Set in @ret_chosen, by fault, whether every condition holds, and add to @strangers, which may be
 * NULL, the names that nothing in @model has. Returns how many faults are chosen. Time as
 * filter_apply().
 */
size_t filter_choose(const struct filter *filter, const struct model *model,
		     const struct model_fault *faults, size_t count, bool *ret_chosen,
		     struct filter_strangers *strangers);

/** Set is_left_out of each of @count operations that not every condition holds for; @view: of them.
 */
void filter_leave_out_ios(const struct filter *filter, const struct model *view,
			  struct model_io *ios, size_t count);
