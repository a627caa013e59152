// SPDX-License-Identifier: Apache-2.0
// The parts of the screen.
#pragma once

#include "render/text/text.h"

/**
 * Print the account of time, as far as it is known: the sum, a bar, the causes; and bytes from
 * storage.
 */
void screen_time(struct text *text);

/** The causes of the time; the model has an account. */
void screen_causes(struct text *text);

/** The functions that computed most, in a line; nothing where none stands out. */
void screen_hot(struct text *text);

/** The first @limit files, by what they cost. */
void screen_files(struct text *text, size_t limit);
