// SPDX-License-Identifier: Apache-2.0
#include "prefetch/start.h"

#include "base/readfull.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FD_MESSAGES = STDERR_FILENO };

// ---- The list ---------------------------------------------------------------------------------

/** All bytes of @fd and a NUL behind; NULL with errno. */
static char *read_text(int fd, size_t size)
{
	char *text = malloc(size + 1);

	if (!text || read_full(fd, text, size) == size)
		return text;
	int reason = errno ?: EIO; // it became shorter

	free(text);
	errno = reason;
	return NULL;
}

bool prefetch_list_read(const char *path, const struct prefetch_how *how,
			struct prefetch_list *ret_list, char **ret_text)
{
	struct prefetch_error error;
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text = NULL;

	if (fd < 0 || fstat(fd, &status) != 0) {
		prefetch_say(how, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		prefetch_say(how, "%s: not a regular file, so not a prefetch list", path);
	} else if (status.st_size > PREFETCH_TEXT_MAX) {
		prefetch_say(how, "%s: larger than %d MiB: not a prefetch list", path,
			     PREFETCH_TEXT_MAX >> 20);
	} else {
		text = read_text(fd, (size_t)status.st_size);
		if (!text)
			prefetch_say(how, "%s: %s", path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	size_t size = text ? (size_t)status.st_size : 0;
	const char *home = getenv("HOME");

	if (text && home && home[0] == '/' && !(text = prefetch_list_expand(text, &size, home)))
		prefetch_say(how, "%s: %s", path, strerror(ENOMEM));
	if (!text)
		return false;
	if (!prefetch_list_parse(text, size, ret_list, &error)) {
		prefetch_say(how, "%s: line %zu: %s", path, error.line, error.message);
		free(text);
		return false;
	}
	*ret_text = text;
	return true;
}

// ---- The process that asks --------------------------------------------------------------------

void prefetch_close_from(unsigned int first)
{
	struct rlimit limit;

	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
	// Before Linux 5.9.
	unsigned int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536
				   ? (unsigned int)limit.rlim_cur
				   : 65536;

	for (unsigned int fd = first; fd < end; fd++)
		close((int)fd);
}

/** Keep standard error and @command_fd, which becomes 3 or -1. */
static int keep_files(int command_fd)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (command_fd >= 0 && command_fd != 3)
		command_fd = dup2(command_fd, 3);
	prefetch_close_from(command_fd < 0 ? 3U : 4U);
	return command_fd;
}

static int messages_of(const struct prefetch_asker *asker)
{
	return asker->ignores_changes ? -1 : FD_MESSAGES;
}

static void __attribute__((noreturn))
ask_rest(const struct prefetch_asker *asker, struct prefetch_asking *asking, int command_fd)
{
	struct prefetch_how how = { asker->program, messages_of(asker), keep_files(command_fd) };

	// Its folder may go away meanwhile.
	if (chdir("/") == 0)
		prefetch_ask_rest(asking, &how);
	_exit(0);
}

/**
 * Like fork(), but its end raises no signal, and a wait() that does not ask for such children does
 * not see it: the command, which runs as this process, is not to notice. What fork() does for
 * threads and their locks there is no need of.
 */
static pid_t fork_unnoticed(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

pid_t prefetch_fork_nobodys(void)
{
	pid_t child = fork_unnoticed();
	int status;

	if (child == 0) {
		pid_t second = fork_unnoticed();

		if (second == 0)
			return 0;
		_exit(second < 0);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -1;
	if (status != 0)
		errno = EAGAIN;
	return status == 0 ? child : -1;
}

/** Start the process that asks. */
static bool start_asker(const struct prefetch_asker *asker, struct prefetch_asking *asking)
{
	int command_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t child = prefetch_fork_nobodys();

	if (child == 0)
		ask_rest(asker, asking, command_fd);
	if (command_fd >= 0)
		close(command_fd);
	return child > 0;
}

int prefetch_start(const struct prefetch_asker *asker, char *const *command)
{
	const struct prefetch_how how = { asker->program, FD_MESSAGES, -1 };

	struct prefetch_list read = { 0 };
	const struct prefetch_list *list = asker->list;
	char *text;

	if (asker->path && prefetch_list_read(asker->path, &how, &read, &text))
		list = &read;
	const struct prefetch_how ask = { asker->program, messages_of(asker), -1 };
	struct prefetch_asking *asking = list ? prefetch_ask_first(list, &ask) : NULL;

	if (asking && !start_asker(asker, asking))
		prefetch_say(&how, "cannot start a process: %s; not everything is prefetched",
			     strerror(errno));
	execvp(asker->file ?: command[0], command);

	int reason = errno;
	char name[1024];

	prefetch_path_escape(asker->file ?: command[0], name, sizeof(name));
	prefetch_say(&how, "%s: %s", name,
		     reason == ENOENT ? "command not found" : strerror(reason));
	return reason == ENOENT ? 127 : 126;
}
