// SPDX-License-Identifier: Apache-2.0
// The static libraries of what a trace maps.
#pragma once

#include "correlate/replay/rows.h"

/**
 * Fill archive of every library that was opened: lib*.a of the same name beside it, where
 * development packages put it, if there is one. Looks for one file for each library.
 */
void archives_fill(struct rows *rows);
