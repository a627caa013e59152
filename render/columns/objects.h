// SPDX-License-Identifier: Apache-2.0
// Serves the columns of an object.
#pragma once

#include "derive/locality.h"
#include "model/account.h"
#include "model/data.h"
#include "model/model.h"
#include "model/relocation.h"
#include "render/columns/columns.h"

/** The context of the row type "object". */
struct object_context {
	const struct model *model;
	const struct localities *localities; // NULL: only a part of the faults is shown
};
