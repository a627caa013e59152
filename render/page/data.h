// SPDX-License-Identifier: Apache-2.0
// The data block of a report page: docs/inside/page-format.md.
#pragma once

#include "base/strbuf.h"
#include "compare/compare.h"
#include "model/model.h"
#include "render/page/faults.h"

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/** The contents of a block. */
struct pagedata_options {
	const struct compare_links *links; // as columns, NULL: it is no side of a comparison
	size_t merge_above;		   // see pagefaults_init()
};

/** Append the block for @model, gzipped and in base64. The same model gives the same bytes. */
void pagedata_add(struct strbuf *out, const struct model *model,
		  const struct pagedata_options *options);

/** Append any text as such a block: a length, the text and no columns. */
void pagedata_add_text(struct strbuf *out, const char *text, size_t length);

/**
 * The header for @model, whose faults are in @page. The caller owns it.
 */
struct json_object *pageheader_new(const struct model *model, const struct pagefaults *page);
