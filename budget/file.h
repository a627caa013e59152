// SPDX-License-Identifier: Apache-2.0
// Whole files of text, which may come from anyone.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/** Append what is in the file at @path; ERR_INPUT where it has more than @limit bytes. */
bool file_read(const char *path, size_t limit, struct strbuf *ret_text, struct err *err);
