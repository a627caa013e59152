// SPDX-License-Identifier: Apache-2.0
// Numbers as people type them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Parse digits as a number; false (and *@ret_number untouched) for anything else. */
bool number_parse(const char *text, size_t *ret_number);

/** Parse digits and K, M, G or T in either case, powers of 1024, as a number of bytes above 0;
 * otherwise false. */
bool number_parse_size(const char *text, uint64_t *ret_bytes);
