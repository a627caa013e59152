// SPDX-License-Identifier: Apache-2.0
// Sentences broken between words where the terminal ends.
#pragma once

#include "render/terminal.h"

#include <stddef.h>
#include <stdio.h>

/**
 * Print @line, which is safe to be shown, without a newline at its end; @indent goes before each
 * piece.
 */
void wrap_print(FILE *out, const struct terminal *terminal, size_t indent, const char *line);
