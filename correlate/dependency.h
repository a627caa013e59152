// SPDX-License-Identifier: Apache-2.0
// Which objects of a trace ask for which others: DT_NEEDED, as far as it leads to an object of the
// trace.
#pragma once

#include "correlate/rows.h"

/**
 * Fill needed and needed_count of every object whose file was opened. A name
 * means the object with this soname, else the one with this file name, or with this path where it
 * has a slash; of several the first that the trace maps. O(objects + names).
 */
void dependencies_fill(struct rows *rows);
