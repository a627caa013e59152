// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/guard.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20 };

#define FOLDER "folder" // which no path of a trace is

// The process that waits: signals are of a process, and so is this.
static struct {
	int to; // what is to be tidied up, each with its NUL; "": nothing any more
	pid_t pid;
} guard = { .to = -1 };

/** Remove a recording and its folder: a recorder that is interrupted as well may be writing it. */
static void remove_trace(const char *trace)
{
	enum { TRIES = 50, PAUSE_NS = 100000000 };
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	CLEANUP(freep) char *folder = xstrdup(trace);

	*strrchr(folder, '/') = '\0';
	for (int i = 0; i < TRIES; i++) {
		unlink(trace);
		if (rmdir(folder) == 0 || errno == ENOENT)
			return;
		nanosleep(&pause, NULL);
	}
}

static void tidy(const struct tunefolder *plain, bool was_there, const struct strbuf *told)
{
	bool is_made = false;
	struct err err;

	for (size_t at = 0; at < told->length; at += strlen(told->text + at) + 1)
		if (strcmp(told->text + at, FOLDER) == 0)
			is_made = true;
		else
			remove_trace(told->text + at);
	if (!is_made || !tunefolder_exists(plain->path))
		return;
	if (was_there && tunefolder_settle(plain, &err))
		tunefolder_tidy(plain, &err);
	else if (!was_there)
		tunefolder_remove(plain->path, &err);
}

/** True if "" is among the texts. */
static bool is_over(const struct strbuf *text)
{
	for (size_t at = 0; at < text->length; at += strlen(text->text + at) + 1)
		if (!text->text[at])
			return true;
	return false;
}

/** In the child, which no terminal sends a signal. */
static void __attribute__((noreturn))
wait_and_tidy(const struct tunefolder *plain, bool was_there, int from)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	if (!strbuf_read(&text, from, TEXT_MAX) || !is_over(&text))
		tidy(plain, was_there, &text);
	_exit(0);
}

bool guard_begin(const struct tunefolder *plain, bool was_there, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	guard.pid = fork();
	if (guard.pid == 0) {
		close(ends[1]);
		wait_and_tidy(plain, was_there, ends[0]);
	}
	close(ends[0]);
	guard.to = ends[1];
	return guard.pid > 0 || err_os(err, "fork");
}

static void tell(const char *text)
{
	if (guard.to >= 0)
		(void)!write(guard.to, text, strlen(text) + 1);
}

void guard_trace(const char *trace)
{
	tell(trace);
}

void guard_folder(void)
{
	tell(FOLDER);
}

void guard_end(void)
{
	if (guard.to < 0)
		return;
	tell("");
	close(guard.to);
	guard.to = -1;
	while (waitpid(guard.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}
