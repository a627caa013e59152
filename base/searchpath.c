// SPDX-License-Identifier: Apache-2.0
#include "base/searchpath.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

const char *searchpath_find(struct arena *arena, const char *name)
{
	const char *places = strchr(name, '/') ? "" : getenv("PATH") ?: "/usr/bin:/bin";
	char here[PATH_MAX];

	if (name[0] == '/')
		return is_program(name) ? name : NULL;
	if (!getcwd(here, sizeof(here)))
		return NULL;
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	for (const char *rest = places; rest;) {
		const int length = (int)strcspn(rest, ":");
		const char *path = length > 0 && rest[0] == '/'
					   ? arena_printf(arena, "%.*s/%s", length, rest, name)
					   : arena_printf(arena, "%s/%.*s%s%s", here, length, rest,
							  length > 0 ? "/" : "", name);

		if (is_program(path))
			return path;
		rest = rest[length] ? rest + length + 1 : NULL;
	}
	return NULL;
}
