// SPDX-License-Identifier: Apache-2.0
// Which objects of a trace ask for which others: DT_NEEDED, as far as it leads to an object of the
// trace.
#pragma once

#include "correlate/replay/rows.h"

/**
 * Fill needed and needed_count of every object whose file was opened. A name
 * means the object with this soname, else the one with this file name, or with this path where it
 * has a slash; of several the first that the trace maps. O(objects + names).
 *
 * used counts the names of .dynsym that the object leaves undefined and the other defines, weak
 * ones as well; of a program also its copies of the other's data. Versions of names are not
 * compared. O(symbols of those needed).
 */
void dependencies_fill(struct rows *rows);
