// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON, for the page too.
#pragma once

#include "compare/compare.h"

#include <stdbool.h>
#include <stdio.h>

/** As render_diff_json(), but home directories are written as "~" unless @full_paths. */
bool diffjson_write(const struct comparison *comparison, bool full_paths, FILE *out);
