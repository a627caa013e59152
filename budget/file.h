// SPDX-License-Identifier: Apache-2.0
// Reads whole text files, which anyone may have written.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/** Append the content of the file at @path; ERR_INPUT if it is larger than @limit bytes. */
bool file_read(const char *path, size_t limit, struct strbuf *ret_text, struct err *err);
