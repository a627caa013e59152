// SPDX-License-Identifier: Apache-2.0
#include "base/companion.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/strbuf.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path, struct stat *ret_status)
{
	return stat(path, ret_status) == 0 && S_ISREG(ret_status->st_mode) &&
	       access(path, X_OK) == 0;
}

/** The path of @name as PATH finds it; NULL where it does not. */
static const char *search_path(struct arena *arena, const char *name, const char *search,
			       struct stat *ret_status)
{
	while (search && *search) {
		size_t length = strcspn(search, ":");
		const char *path = arena_printf(arena, "%.*s/%s", (int)length, search, name);

		// A relative folder is another one where the line is typed elsewhere.
		if (search[0] == '/' && is_program(path, ret_status))
			return path;
		search += length;
		search += *search == ':';
	}
	return NULL;
}

/** The path of @name beside @self, or in @folder beside the folder of @self; NULL: neither. */
static const char *search_beside(struct arena *arena, const char *name, const char *folder,
				 const char *self, struct stat *ret_status)
{
	const char *slash = self ? strrchr(self, '/') : NULL;

	if (!slash)
		return NULL;
	const char *path = arena_printf(arena, "%.*s/%s", (int)(slash - self), self, name);

	if (is_program(path, ret_status))
		return path;
	for (slash--; slash >= self && *slash != '/'; slash--)
		;
	if (slash < self)
		return NULL;
	path = arena_printf(arena, "%.*s/%s/%s", (int)(slash - self), self, folder, name);
	return is_program(path, ret_status) ? path : NULL;
}

struct companion companion_find_from(struct arena *arena, const char *name, const char *folder,
				     const char *self, const char *search)
{
	struct stat beside_status, found_status;
	const char *beside = search_beside(arena, name, folder, self, &beside_status);
	const char *found = search_path(arena, name, search, &found_status);

	if (!beside || (found && beside_status.st_dev == found_status.st_dev &&
			beside_status.st_ino == found_status.st_ino))
		return (struct companion){ found, found ? name : NULL };
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };

	strbuf_put_word(&word, homepath_shortened(arena, beside));
	return (struct companion){ beside, arena_strdup(arena, strbuf_text(&word)) };
}

struct companion companion_prefetch(struct arena *arena)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = '\0';
	return companion_find_from(arena, "elfault-prefetch", "prefetch", self, getenv("PATH"));
}
