// SPDX-License-Identifier: Apache-2.0
// Functions by line and instruction.
#pragma once

#include "render/text/text.h"

/** Print them, with what each line cost; nothing where none were asked for. */
void listing_print(struct text *text);
