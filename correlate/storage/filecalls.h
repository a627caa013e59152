// SPDX-License-Identifier: Apache-2.0
// System calls that brought pages of a file into memory. Serves correlate/storage/storage.c.
#pragma once

#include "correlate/storage/files.h"

/** Count the calls that @trace tells of alone for the file that they read first, if it is known. */
void filecalls_count(struct storage_files *files, const struct trace *trace);
