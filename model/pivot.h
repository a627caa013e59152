// SPDX-License-Identifier: Apache-2.0
// Counts faults, or operations of storage, by their words.
#pragma once

#include "model/field.h"
#include "model/pivotmodel.h"

/** The fields to count by. */
struct pivot_fields {
	const struct field *items[PIVOT_AXES_MAX];
	size_t count;
	bool without_pages; // distinct pages are not wanted, and 0: they cost most of the counting
};

/**
 * Read "initiator,section": one to three different words.
 *
 * @err: ERR_INPUT with what was probably meant.
 */
bool pivot_fields_parse(const char *text, struct pivot_fields *ret_fields, struct err *err);

/** Count the operations of storage that @model shows, which has them; otherwise the same. */
struct pivot *pivot_create_io(const struct model *model, const struct pivot_fields *fields);

/** Count the faults that @model shows. Returns what pivot_destroy() releases. O(n log n). */
struct pivot *pivot_create(const struct model *model, const struct pivot_fields *fields);
