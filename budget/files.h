// SPDX-License-Identifier: Apache-2.0
// Metrics counted in the files of a process: relocations, initializers, sizes.
#pragma once

#include "budget/parts.h"

/** A file's name that is the same in every build and place: its soname, else its file name. */
const char *files_name(const struct model_object *object);

/**
 * Add up @metric over the files of @model that @filter, which may be NULL, chooses; add what run
 * number @run has of it to @parts. Names are owned by the model.
 *
 * *@ret_failure is set to the path of a file that is chosen and could not be read.
 */
uint64_t files_measure(const struct model *model, enum budget_metric metric,
		       const struct filter *filter, struct filter_strangers *strangers,
		       struct parts *parts, uint32_t run, const char **ret_failure);

/** The files of @model as a baseline stores them, in @arena, sorted by name. */
const struct budget_object *files_list(const struct model *model, struct arena *arena,
				       size_t *ret_count);
