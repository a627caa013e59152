// SPDX-License-Identifier: Apache-2.0
// Serves the columns of an object, and findings.
#pragma once

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

/** "findings" of an analysis: an array, in the model's order. */
struct json_object *findings_new(const struct model *model);

/** The row types code_curve and file_curve: columns of @points. */
struct json_object *curve_new(const char *counted, const struct locality_point *points,
			      size_t count);
