// SPDX-License-Identifier: Apache-2.0
// How much of each file and of each of its sections was read, mapped and touched. Serves
// correlate/storage.c.
#pragma once

#include "correlate/rows.h"
#include "correlate/storagefiles.h"
#include "model/storage.h"

/** Fill the tables of files and sections of @storage from @files, whose sets it settles. */
void storage_sections_fill(struct rows *rows, struct storage_files *files,
			   struct model_storage *storage);
