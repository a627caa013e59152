// SPDX-License-Identifier: Apache-2.0
// The part of an object's layout that outlives its model.
#pragma once

#include "base/vec.h"
#include "compare/compare.h"

/** The layout of @object of @model, in @arena; @ret_sections: its sections by name, each once. */
struct compare_layout facts_of(const struct model *model, const struct model_object *object,
			       enum compare_side side, struct arena *arena,
			       struct compare_section **ret_sections, size_t *ret_count);

/** Both lists, which are by name, as one. */
struct compare_section *facts_merge(struct arena *arena, const struct compare_section *before,
				    size_t before_count, const struct compare_section *after,
				    size_t after_count, size_t *ret_count);

/** The row of that name in @object, or NULL if neither side has it. O(log n). */
const struct compare_section *facts_section(const struct compare_object *object, const char *name);
