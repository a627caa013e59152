// SPDX-License-Identifier: Apache-2.0
#include "render/tune/tune.h"

#include "render/columns/columns.h"

bool render_tune_json(const struct tunedstarts *starts, FILE *out)
{
	return columns_print("tune", starts, NULL, out);
}
