// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/opened.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "follow/openedfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY_SECONDS = 8, TEXT_MAX = 16 << 20 };

/** In the child: its streams are the command's. The paths go to @to, each with its NUL. */
static void __attribute__((noreturn)) answer(const struct record_options *start, int to)
{
	const struct caller caller = caller_find();
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct openedfiles files;
	struct err err;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	bool ok = openedfiles_find(start->command, &caller, start->until ? READY_SECONDS : 0,
				   &files, &err);
	FILE *out = fdopen(to, "w");

	vec_foreach (path, &files.paths)
		ok = out && fwrite(*path, strlen(*path) + 1, 1, out) == 1 && ok;
	_exit(out && fclose(out) == 0 && ok ? 0 : 1);
}

const char *const *opened_find(const struct record_options *start, struct arena *arena,
			       size_t *ret_count)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	VEC(const char *) paths = { 0 };
	int ends[2], status;

	*ret_count = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	pid_t child = fork();

	if (child == 0)
		answer(start, ends[1]);
	close(ends[1]);
	CLEANUP(fd_close) int from = ends[0];
	bool ok = child > 0 && strbuf_read(&text, from, TEXT_MAX);

	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return NULL;
	ok = ok && status == 0;
	for (size_t at = 0; ok && at < text.length; at += strlen(text.text + at) + 1)
		vec_push(&paths, arena_strdup(arena, text.text + at));
	return vec_keep_counted(&paths, arena, ret_count);
}
