// SPDX-License-Identifier: Apache-2.0
// Names of files within paths.
#pragma once

#include "base/text.h"

#include <string.h>

/** The part of @path after its last slash; all of it if that part is empty. */
static inline const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/** The kernel shows this for a file that has no path any more. */
static inline bool path_is_deleted(const char *path)
{
	return text_ends_with(path, " (deleted)");
}
