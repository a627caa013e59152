// SPDX-License-Identifier: Apache-2.0
// An answer that is narrowed to some objects, with what only all faults show of them.
#pragma once

#include "base/vec.h"
#include "correlate/correlate.h"
#include "model/model.h"

/** The objects that an answer is narrowed to, as the answer on all faults has them. */
struct whole {
	struct arena arena;
	VEC(struct model_finding) findings; // object: into objects
	VEC(struct model_object) objects;   // their paths and orders
};

/** Ask all faults of @trace, before those of @options.objects are asked for in detail. */
bool whole_find(struct whole *whole, struct trace *trace, struct correlate_options options,
		struct err *err);

/** Give @model what @whole has of the objects that it shows. */
void whole_give(const struct whole *whole, struct model *model);

void whole_deinit(struct whole *whole);
