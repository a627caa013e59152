// SPDX-License-Identifier: Apache-2.0
#include "follow/openedfiles.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/u64map.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	OPTIONS = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
		  PTRACE_O_TRACEVFORK | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC,
	FAILED = 127,
};

struct opening {
	struct openedfiles *files;
	struct u64map known; // hashes of paths
	pid_t command;
	uint32_t open, openat; // numbers of calls
};

// ---- The command --------------------------------------------------------------------------------

/** Stop at calls that open a file, and at no other. */
static bool stop_at_opens(const struct opening *opening)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opening->open, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opening->openat, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static void __attribute__((noreturn))
execute(const struct opening *opening, char *const *command, const struct caller *caller)
{
	struct err err;

	if ((!caller->under_sudo || privilege_run_as(caller, &err)) &&
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 && raise(SIGSTOP) == 0 &&
	    stop_at_opens(opening))
		execvp(command[0], command);
	_exit(FAILED);
}

// ---- Its stops ----------------------------------------------------------------------------------

/** Read the text at @from of @task; false where it is not there. */
static bool read_path(pid_t task, uint64_t from, char *ret_path)
{
	enum { PIECE = 256 }; // which no page ends within if the text's page does not
	size_t length = 0;

	while (length < PATH_MAX) {
		size_t size = PIECE - from % PIECE;
		struct iovec to = { ret_path + length, size }, at = { (void *)from, size };

		if (length + size > PATH_MAX ||
		    process_vm_readv(task, &to, 1, &at, 1, 0) != (ssize_t)size)
			return false;
		if (memchr(ret_path + length, '\0', size))
			return true;
		length += size;
		from += size;
	}
	return false;
}

/** Keep the file at @path, as @task sees it from the folder behind @folder. */
static void keep(struct opening *opening, pid_t task, int folder, const char *path)
{
	char place[PATH_MAX + 64], real[PATH_MAX];
	struct stat status;

	if (path[0] == '/')
		snprintf(place, sizeof(place), "%s", path);
	else if (folder == AT_FDCWD)
		snprintf(place, sizeof(place), "/proc/%d/cwd/%s", (int)task, path);
	else
		snprintf(place, sizeof(place), "/proc/%d/fd/%d/%s", (int)task, folder, path);
	if (realpath(place, real) && stat(real, &status) == 0 && S_ISREG(status.st_mode) &&
	    u64map_add(&opening->known, hash_text(0, real)))
		vec_push(&opening->files->paths, xstrdup(real));
}

static void take_call(struct opening *opening, pid_t task)
{
	struct __ptrace_syscall_info info;
	char path[PATH_MAX];
	unsigned int at = 0; // of the path among the arguments

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return;
	if (info.seccomp.nr == opening->openat)
		at = 1;
	if (((int)info.seccomp.args[at + 1] & O_ACCMODE) == O_RDONLY &&
	    read_path(task, info.seccomp.args[at], path))
		keep(opening, task, at ? (int)info.seccomp.args[0] : AT_FDCWD, path);
}

/** Let @task go on after a stop. */
static void take_stop(struct opening *opening, pid_t task, int status)
{
	const int event = status >> 16, sign = WSTOPSIG(status);
	bool is_own = event != 0;

	if (event == PTRACE_EVENT_SECCOMP)
		take_call(opening, task);
	// New tasks begin with a stop of their own.
	if (!is_own && sign == SIGSTOP)
		is_own = true;
	ptrace(PTRACE_CONT, task, NULL, (void *)(uintptr_t)(is_own ? 0 : sign));
}

static volatile sig_atomic_t alarms;

static void note_alarm(int number)
{
	alarms = alarms + 1;
}

/** Take stops until nobody is left. */
static bool follow(struct opening *opening, unsigned int seconds)
{
	const struct sigaction action = { .sa_handler = note_alarm };
	int status;

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
	for (;;) {
		pid_t task = waitpid(-1, &status, __WALL);

		if (task < 0 && errno != EINTR)
			return errno == ECHILD;
		if (task < 0) {
			kill(opening->command, alarms > 1 ? SIGKILL : SIGTERM);
			alarm(seconds);
		} else if (WIFSTOPPED(status)) {
			take_stop(opening, task, status);
		} else if (task == opening->command) {
			// Whoever it left behind goes on without this one.
			return !WIFEXITED(status) || WEXITSTATUS(status) != FAILED;
		}
	}
}

bool openedfiles_find(char *const *command, const struct caller *caller, unsigned int seconds,
		      struct openedfiles *ret_files, struct err *err)
{
	const struct machine *machine = machine_own(false);
	struct opening opening = {
		.files = ret_files,
		.open = machine_call_number(machine, "open"),
		.openat = machine_call_number(machine, "openat"),
	};
	int status;

	*ret_files = (struct openedfiles){ 0 };
	opening.command = fork();
	if (opening.command == 0)
		execute(&opening, command, caller);
	if (opening.command < 0 || waitpid(opening.command, &status, 0) != opening.command ||
	    !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, opening.command, NULL, (void *)OPTIONS) != 0)
		return err_os(err, "%s: cannot be traced", command[0]);
	ptrace(PTRACE_CONT, opening.command, NULL, NULL);
	const bool ok = follow(&opening, seconds);

	u64map_deinit(&opening.known);
	return ok || err_set(err, ERR_OS, "%s: cannot be traced", command[0]);
}
