// SPDX-License-Identifier: Apache-2.0
// Names of files within paths.
#pragma once

#include <string.h>

/** The part of @path after its last slash; all of it if that part is empty. */
static inline const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
