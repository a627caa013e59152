// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/folder.h"

#include "base/cleanup.h"
#include "base/privilege.h"
#include "cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *folder_make(struct arena *arena)
{
	const char *place = getenv("TMPDIR");
	struct caller caller = caller_find();
	char *path =
		arena_printf(arena, "%s/elfault-starts-XXXXXX", place && *place ? place : "/tmp");

	if (!mkdtemp(path) || (caller.under_sudo && chown(path, caller.uid, caller.gid) != 0)) {
		message_print("%s: %s", path, strerror(errno));
		return NULL;
	}
	return path;
}

// By names that are known: of a folder that belongs to the caller root lists nothing to remove.
void folder_remove(const char *folder, const char *const *names, size_t count)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!folder)
		return;
	for (; *names; names++) {
		for (size_t run = 1; run <= count; run++)
			unlink(arena_printf(&arena, "%s/%s/%zu.trace", folder, *names, run));
		rmdir(arena_printf(&arena, "%s/%s", folder, *names));
	}
	rmdir(folder);
}
