// SPDX-License-Identifier: Apache-2.0
// Sentences that fit a terminal: lines that are too wide go on in the next one, below their text.
#pragma once

#include "render/terminal.h"

#include <stdbool.h>
#include <stdio.h>

/**
 * A stream whose lines reach @out folded at spaces to the width of @terminal; @out itself where
 * that is not limited. Close what is not @out with fold_close() before @out is used again.
 */
FILE *fold_open(FILE *out, const struct terminal *terminal);

/**
 * Write the rest, close @folded unless it is @out, and flush @out. False with errno set if writing
 * failed at any time.
 */
bool fold_close(FILE *folded, FILE *out);
