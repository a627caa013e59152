// SPDX-License-Identifier: Apache-2.0
// Shared parts of the rules on a trace and on a comparison: prose, texts, conditions, thresholds.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The prose of a finding, in whole sentences. "{name}" is a value that the rule measured; code is
 * between backticks, which only the documentation keeps.
 */
struct kit_prose {
	const char *id; // "relr-introduced": stable, for scripts
	const char *title;
	const char *evidence;
	const char *fix; // what to change; NULL: nothing
};

/** The text of "{name}". */
struct kit_value {
	const char *name, *text;
};

/** Values of a text; the list ends with a NULL name. */
#define KIT_VALUES(...) ((const struct kit_value[]){ __VA_ARGS__, { 0 } })

/** @values after @first, in @arena. */
const struct kit_value *kit_prepend(struct arena *arena, struct kit_value first,
				    const struct kit_value *values);

/**
 * @text with its values in place and without backticks; NULL for NULL. Values are taken as they
 * are: braces and backticks in a symbol's name stay.
 */
const char *kit_fill(struct arena *arena, const char *text, const struct kit_value *values);

/** "1 fault", "1,234 faults", "2 processes". */
const char *kit_plural(struct arena *arena, uint64_t count, const char *noun);

/** @list and @item with ", " or the like between them; the item alone where @list is NULL. */
const char *kit_append(struct arena *arena, const char *list, const char *separator,
		       const char *item);

/** @path as a condition of --where has it: each of its characters means itself. */
const char *kit_escape(struct arena *arena, const char *path);

/** Is @part at least @percent of @whole? False of nothing. */
bool kit_is_share(double part, double whole, unsigned percent);

/** The same in thousandths. */
bool kit_is_per_mille(double part, double whole, unsigned per_mille);

/** The first index of the largest of @counts; 0 if there are none. */
size_t kit_largest(const uint64_t *counts, size_t count);

/** A copy of @items in @arena, sorted by @compare. */
void *kit_sorted(struct arena *arena, const void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b));
