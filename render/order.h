// SPDX-License-Identifier: Apache-2.0
// Order files and linked files compared, as text and JSON.
#pragma once

#include "cure/order.h"

#include <stdbool.h>
#include <stdio.h>

struct render_order_object {
	const char *path;
	struct order_check check;
};

struct render_order {
	const char *path; // of the order file
	size_t name_count;
	uint64_t page_size;
	const struct render_order_object *objects; // of two: before and after
	size_t object_count;
};

/** Return false if @out failed. */
bool render_order_text(const struct render_order *order, FILE *out);
