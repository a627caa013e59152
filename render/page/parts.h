// SPDX-License-Identifier: Apache-2.0
// Parts of the header of a report page: docs/inside/page-format.md. The caller owns each.
#pragma once

#include "model/model.h"
#include "render/page/faults.h"
#include "render/palette.h"

struct json_object;

/** Bytes [read, mapped, touched], of a file also unused; NULL: unknown. */
struct json_object *pageheader_file_usage(const struct model *model, uint32_t object);
struct json_object *pageheader_section_usage(const struct model *model, uint32_t object,
					     const char *name);

/** Code of functions, by line and instruction. */
struct json_object *pageheader_listings(const struct model *model);

struct json_object *pageheader_words(void);
struct json_object *pageheader_meanings(void);
struct json_object *pageheader_palette(void);

/** NULL: no time was recorded. */
struct json_object *pageheader_account(const struct model *model, const struct pagefaults *page);
struct json_object *pageheader_processes(const struct model *model, const struct pagefaults *page);
struct json_object *pageheader_operations(const struct model *model, const struct pagefaults *page);
struct json_object *pageheader_critical(const struct model *model, const struct pagefaults *page);
struct json_object *pageheader_axis(struct range axis);
struct json_object *pageheader_marks(const struct model *model);
struct json_object *pageheader_cuts(const struct model *model);
