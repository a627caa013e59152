// SPDX-License-Identifier: Apache-2.0
// The word that a misspelled one probably means.
#pragma once

#include <stddef.h>

/**
 * The one of @words that is spelled most like @word: fewest letters added, dropped, changed or
 * swapped with their neighbour. NULL if none is near enough to be meant. Of equals the first wins.
 */
const char *nearest_word(const char *word, const char *const *words, size_t count);
