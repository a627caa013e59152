// SPDX-License-Identifier: Apache-2.0
// Patterns for names: only * and ? as in the shell, since names are full of brackets.
#pragma once

#include <stdbool.h>

/**
 * Does @text as a whole match @pattern?
 *
 * @pattern: * stands for any characters, also none and also slashes; ? for one character, which in
 *           UTF-8 may be several bytes; a backslash makes what follows it stand for itself.
 * Time is O(lengths multiplied) at worst, whatever the pattern.
 */
bool glob_match(const char *pattern, const char *text);
