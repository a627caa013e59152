// SPDX-License-Identifier: Apache-2.0
// The data block of a report page: docs/page-format.md.
#pragma once

#include "base/strbuf.h"
#include "correlate/model.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * Append the block for @model, gzipped and in base64. @full_paths: see pageheader_new();
 * @merge_above: see pagefaults_init(). The same model gives the same bytes.
 */
void pagedata_add(struct strbuf *out, const struct model *model, bool full_paths,
		  size_t merge_above);
