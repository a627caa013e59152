// SPDX-License-Identifier: Apache-2.0
// Memory that is short: the kernel's pressure stall information (PSI, Linux 4.20).
#pragma once

#include <stdbool.h>

#define PRESSURE_MEMORY "/proc/pressure/memory"

/**
 * True if the file at @path, which is PRESSURE_MEMORY but for tests, says that tasks waited for
 * memory for a tenth of the last ten seconds or more. False where the kernel does not tell.
 */
bool pressure_is_high(const char *path);
