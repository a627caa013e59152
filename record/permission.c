// SPDX-License-Identifier: Apache-2.0
#include "record/permission.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/** How the child that asks ends. */
enum answer { ANSWER_YES, ANSWER_NO, ANSWER_STILL_PRIVILEGED };

bool permission_is_root(const struct caller *caller, bool as_root)
{
	return caller->uid == 0 || (caller->under_sudo && as_root);
}

/** Opening a task's maps asks what ptrace would ask to read it: proc_mem_open(), PTRACE_MODE_READ.
 */
static bool may_read_maps(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", (int)pid, (int)tid);

	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 || errno == ENOENT || errno == ESRCH;
}

static enum answer ask(const struct caller *caller, pid_t pid, const pid_t *tids, size_t tid_count)
{
	struct err err;

	if (!privilege_drop(caller, &err))
		return ANSWER_STILL_PRIVILEGED;
	for (size_t i = 0; i < tid_count; i++)
		if (!may_read_maps(pid, tids[i]))
			return ANSWER_NO;
	return ANSWER_YES;
}

bool permission_to_trace(const struct caller *caller, bool as_root, pid_t pid, const pid_t *tids,
			 size_t tid_count, struct err *err)
{
	if (permission_is_root(caller, as_root))
		return true;

	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(ask(caller, pid, tids, tid_count));
	if (child < 0)
		return err_os(err, "cannot start a process");
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_os(err, "waiting for a process");
	if (!WIFEXITED(status) || WEXITSTATUS(status) > ANSWER_NO)
		return err_set(err, ERR_OS, "giving up privilege to look at process %d failed",
			       (int)pid);
	if (WEXITSTATUS(status) == ANSWER_YES)
		return true;
	return err_set(err, ERR_DENIED,
		       "process %d: user %d may not trace it: it is another user's, setuid, or not"
		       " dumpable (see ptrace(2)); root may: sudo elfault record --root -p %d",
		       (int)pid, (int)caller->uid, (int)pid);
}
