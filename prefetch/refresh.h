// SPDX-License-Identifier: Apache-2.0
// A start that is tuned again in the background, by the launcher that found it changed.
#pragma once

#include <stdbool.h>

/** In the folder while it is tuned again, and after that went wrong: once is enough. */
#define REFRESH_BEGUN "refreshing"

/**
 * Let @elfault tune the start of @folder again, with the least priority, in a process of nobody's.
 *
 * Returns: false: it is under way or failed before, memory is short, or the folder is not the
 * caller's own.
 */
bool refresh_begin(const char *folder, const char *elfault);
