// SPDX-License-Identifier: Apache-2.0
// How much of each file and of each of its sections was read, mapped and touched. Serves
// correlate/storage.c.
#pragma once

#include "correlate/rows.h"
#include "correlate/storagefiles.h"
#include "correlate/storageparts.h"
#include "model/storage.h"

/**
 * Fill the tables of files, sections and parts of @storage from @files, whose sets it settles.
 * @of_no_file: what was delivered beside them
 */
void storage_sections_fill(struct rows *rows, struct storage_files *files,
			   const struct storage_sums *of_no_file, struct model_storage *storage);
