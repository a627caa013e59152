// SPDX-License-Identifier: Apache-2.0
#include "prefetch/refresh.h"

#include "prefetch/pressure.h"
#include "prefetch/start.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Begin the mark that is there once; false: it is, or cannot be. */
static bool mark(const char *folder)
{
	char path[PATH_MAX];
	struct stat status;

	if (stat(folder, &status) != 0 || status.st_uid != geteuid() ||
	    snprintf(path, sizeof(path), "%s/" REFRESH_BEGUN, folder) >= (int)sizeof(path))
		return false;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void __attribute__((noreturn)) tune(const char *folder, const char *elfault)
{
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3 << 13 };
	int nothing = open("/dev/null", O_RDWR);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	prefetch_close_from(STDERR_FILENO + 1);
	setsid();
	setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE);
	execl(elfault, "elfault", "tune", "--refresh", folder, NULL);
	_exit(127);
}

bool refresh_begin(const char *folder, const char *elfault)
{
	if (access(elfault, X_OK) != 0 || pressure_is_high(PRESSURE_MEMORY) || !mark(folder))
		return false;
	if (prefetch_fork_nobodys() == 0)
		tune(folder, elfault);
	return true;
}
