// SPDX-License-Identifier: Apache-2.0
// How much of each file and of each of its sections was read, mapped and touched. Serves
// correlate/storage/storage.c.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/storage/files.h"
#include "correlate/storage/parts.h"
#include "model/storage.h"

/**
 * Fill the tables of files, sections and parts of @storage from @files, whose sets it settles.
 * @of_no_file: what was delivered beside them
 */
void storage_sections_fill(struct rows *rows, struct storage_files *files,
			   const struct storage_sums *of_no_file, struct model_storage *storage);
