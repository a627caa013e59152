// SPDX-License-Identifier: Apache-2.0
// Text in GitHub's Markdown. Names come from anyone and the reader's browser runs what they become,
// so that each stands in a code span, where no character means anything.
#pragma once

#include <stdio.h>

/** Write @text as a code span, which may stand in a table: a bar would end the cell. */
void markdown_code(FILE *out, const char *text);
