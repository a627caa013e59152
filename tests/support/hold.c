// SPDX-License-Identifier: Apache-2.0
// Keeps files in the page cache as they are: returns when all of them are mapped and locked, and
// they stay so, by a process of its own whose id is printed, until process PID has ended.
//
// usage: hold PID FILE...
//
// What is mapped is not dropped (mapping_evict_folio), what is locked not reclaimed. On a tmpfs,
// which cannot drop pages either, being dropped marks them for reclaim instead
// (lru_deactivate_file), by the flag that also says where to read ahead: fault-around then leaves
// them out. A write takes that away.
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void die(const char *what)
{
	fprintf(stderr, "hold: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void hold(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct statfs system;
	struct stat file;

	if (fd < 0 || fstat(fd, &file) || fstatfs(fd, &system))
		die(path);
	if (file.st_size == 0) {
		close(fd);
		return;
	}

	size_t size = (size_t)file.st_size;
	const volatile char *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (bytes == MAP_FAILED)
		die(path);
	// Not allowed without privilege beyond some size: then mapped must be enough.
	(void)mlock((const void *)bytes, size);
	for (size_t at = 0; at < size; at += PAGE)
		(void)bytes[at];
	close(fd);
	if (system.f_type != TMPFS_MAGIC)
		return;

	const struct timespec times[] = { file.st_atim, file.st_mtim };

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, (const void *)bytes, size) != (ssize_t)size || futimens(fd, times))
		die(path);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: hold PID FILE...\n");
		return 2;
	}

	// A pipe of the caller's would not end.
	close_range(3, ~0u, 0);

	struct pollfd other = {
		.fd = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0),
		.events = POLLIN,
	};
	int ready[2];
	char byte;

	if (other.fd < 0 || pipe2(ready, O_CLOEXEC))
		die(argv[1]);

	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0) {
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1)
			return 1; // it has said why
		printf("%d\n", (int)pid);
		return 0;
	}
	for (int i = 2; i < argc; i++)
		hold(argv[i]);
	// Nobody shall wait for the end of what they read from it.
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if (chdir("/") || write(ready[1], "", 1) != 1)
		return 1;
	while (poll(&other, 1, -1) < 0 && errno == EINTR)
		;
	return 0;
}
