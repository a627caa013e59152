// SPDX-License-Identifier: Apache-2.0
// Numbers as people type them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Parse digits as a number; false (and *@ret_number untouched) for anything else. */
bool number_parse(const char *text, size_t *ret_number);
