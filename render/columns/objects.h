// SPDX-License-Identifier: Apache-2.0
// Serves the columns of an object and of predictions.
#pragma once

#include "cure/whatif.h"
#include "derive/locality.h"
#include "model/account.h"
#include "model/data.h"
#include "model/model.h"
#include "model/relocation.h"
#include "render/columns/columns.h"

/** Context of the row types object, toucher and initializer, and those in them. */
struct object_context {
	const struct model *model;
	const struct localities *localities; // NULL: unknown
};

/** The path of an object, for BY_AT() of its index; the context is the model. */
struct json_object *object_path_new(const void *object, const void *model);

/** The row types code_curve and file_curve: columns of @points. */
struct json_object *curve_new(const char *counted, const struct locality_point *points,
			      size_t count);

/** Context of the row types of whatif. */
struct whatif_context {
	const struct model *model; // NULL: of whatif_cure, which needs none
	const struct whatif_answer *answer;
};
