// SPDX-License-Identifier: Apache-2.0
#include "cure/launcher.h"

#include "base/cleanup.h"
#include "base/companion.h"
#include "base/privilege.h"
#include "prefetch/list.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool launcher_is_list(const char *path)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char start[32];
	ssize_t length = fd < 0 ? -1 : read(fd, start, sizeof(start));

	return length > 0 && prefetch_list_is(start, (size_t)length);
}

struct launcher launcher_find(struct arena *arena)
{
	const char *path = companion_prefetch(arena).path;

	return (struct launcher){ path ?: "/proc/self/exe", !path };
}

void launcher_execute(const struct launcher *launcher, const char *list, char *const *command)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count = 0, at = 0;

	while (command[count])
		count++;
	const char **words = arena_array(&arena, count + 7, sizeof(*words));

	words[at++] = launcher->is_elfault ? "elfault" : "elfault-prefetch";
	if (launcher->is_elfault)
		words[at++] = "prefetch";
	// Whose rights to use has been decided here.
	if (geteuid() == 0)
		words[at++] = "--root";
	if (launcher->is_elfault)
		words[at++] = "--from";
	words[at++] = list[0] == '-' ? arena_printf(&arena, "./%s", list) : list;
	words[at++] = "--";
	memcpy(&words[at], command, count * sizeof(*words));
	execv(launcher->path, (char *const *)words);
}

void launcher_execute_early(int argc, char **argv)
{
	static const char from[] = "--from=";
	const char *list = NULL;
	bool as_root = false;
	int at = 2;

	if (argc < 2 || strcmp(argv[1], "prefetch") != 0)
		return;
	for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++) {
		if (strcmp(argv[at], "--root") == 0)
			as_root = true;
		else if (strcmp(argv[at], "--from") == 0 && at + 1 < argc)
			list = argv[++at];
		else if (strncmp(argv[at], from, sizeof(from) - 1) == 0)
			list = argv[at] + sizeof(from) - 1;
		else
			return;
	}
	at += at < argc && strcmp(argv[at], "--") == 0;
	if (!list || at >= argc || (!as_root && caller_find().under_sudo) ||
	    !launcher_is_list(list))
		return;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct launcher launcher = launcher_find(&arena);

	if (!launcher.is_elfault)
		launcher_execute(&launcher, list, &argv[at]);
}
