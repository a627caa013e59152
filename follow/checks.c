// SPDX-License-Identifier: Apache-2.0
// Processes that cannot be followed, or run otherwise than alone, and the reasons.
#include "follow/private.h"

#include "base/cleanup.h"
#include "elfmap/headers/elfheaders.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/** Return the program of the process, by /proc/PID/exe, for messages. */
static const char *program_path(pid_t pid, char *path, size_t size)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, path, size - 1);

	path[length < 0 ? 0 : length] = '\0';
	return length < 0 ? "a program" : path;
}

bool entrychecks_program(pid_t pid, struct notes *notes)
{
	char link[64], path[PATH_MAX];
	struct elfheaders headers;
	struct stat status;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	CLEANUP(fd_close) int fd = open(link, O_RDONLY | O_CLOEXEC);
	if (stat(link, &status) == 0 && geteuid() != 0 && (status.st_mode & S_ISUID) &&
	    status.st_uid != geteuid())
		notes_add(notes,
			  "%s is setuid, and ran without that right, as every traced program does",
			  program_path(pid, path, sizeof(path)));
	if (fd < 0 || !elfheaders_read(fd, &headers)) {
		notes_add(notes, "%s may not be read: it ran without breakpoints",
			  program_path(pid, path, sizeof(path)));
		return false;
	}
	const struct machine *own = machine_own(false);

	if (headers.is_64bit && headers.header.e_machine == own->elf)
		return true;
	notes_add(notes, "%s is not for %s: it ran without breakpoints",
		  program_path(pid, path, sizeof(path)), own->name);
	return false;
}

bool entrychecks_denied(pid_t pid, struct err *err)
{
	char path[64], line[256], scope[16] = "";
	int tracer = 0, reason = errno;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	CLEANUP(file_closep) FILE *status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "TracerPid: %d", &tracer);
	if (tracer)
		return err_set(err, ERR_DENIED,
			       "the command is traced already, by process %d (strace or a "
			       "debugger); a process has one tracer only: run elfault order "
			       "--exact outside of it",
			       tracer);
	CLEANUP(file_closep) FILE *yama = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (yama && fgets(scope, sizeof(scope), yama) && scope[0] >= '2')
		return err_set(err, ERR_DENIED,
			       "tracing is not allowed: kernel.yama.ptrace_scope is %.1s (it must "
			       "be 0 or 1):\n  sudo sysctl kernel.yama.ptrace_scope=1",
			       scope);
	errno = reason;
	return err_os(err, "tracing is not allowed here (ptrace)");
}
