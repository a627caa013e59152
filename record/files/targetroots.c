// SPDX-License-Identifier: Apache-2.0
// The root directories and mount namespaces of the recorded processes: paths in the kernel's
// records are paths there. What differs from the recorder's own is kept open, since it may end with
// the process; under sudo it is opened with the caller's rights.
#include "record/files/private.h"

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "record/files/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sys/syscall.h>

enum { ROOTS_MAX = 64 };

/** A root directory as one mount namespace has it. */
struct root {
	uint64_t device, inode, mount_namespace;
	char *name;	  // of the recorder's own that of its container; NULL: not known
	int fd;		  // of the directory; -1: the caller may not, or there are too many
	int namespace_fd; // without it the mounts would go with the last process
};

struct targetroots {
	const struct caller *caller;
	VEC(struct root) list; // the first two stand for unknown and the recorder's own
	struct u64map by_pid;  // index in list
};

/** Find out which root @process has; false where it has none any more. */
static bool describe(const char *process, struct root *ret_root)
{
	char path[64];
	struct stat root, mounts;

	snprintf(path, sizeof(path), "/proc/%s/root/.", process);
	if (stat(path, &root) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &mounts) != 0)
		return false;
	*ret_root = (struct root){
		.device = root.st_dev,
		.inode = root.st_ino,
		.mount_namespace = mounts.st_ino,
		.fd = -1,
		.namespace_fd = -1,
	};
	return true;
}

/**
 * The container that the control group at the end of @line is named after, by the 64 digits that
 * docker, podman and containerd give it; NULL: none. Such names are "docker-ID.scope",
 * "libpod-ID.scope", "cri-containerd-ID.scope" and, without systemd, "ID".
 */
static char *container_in(const char *line)
{
	enum { ID_DIGITS = 64, SHOWN_DIGITS = 12 };
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	for (const char *at = line; *at;) {
		const size_t digits = strspn(at, "0123456789abcdef");

		if (digits == ID_DIGITS) {
			strbuf_printf(&name, "container %.*s", SHOWN_DIGITS, at);
			return xstrdup(strbuf_text(&name));
		}
		at += digits > 0 ? digits : 1;
	}
	return NULL;
}

static char *container_of(const char *process)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/cgroup", process);
	if (!lines_open(&lines, path, &lines_of_kernel, NULL))
		return NULL;
	while (lines_next(&lines, &line)) {
		char *name = container_in(line.text);

		if (name)
			return name;
	}
	return NULL;
}

/** The target of /proc/@process/@link; NULL if that is not known. */
static char *target_of(const char *process, const char *link)
{
	char path[64], target[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%s/%s", process, link);
	const ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return NULL;
	target[length] = '\0';
	return xstrdup(target);
}

/**
 * The name of the root that @process has. One that leads to "/" is of another mount namespace, of
 * which the path says nothing. @own_container: that of the recorder, where roots are no container's
 */
static char *name_of(const char *process, const char *own_container)
{
	char *name = container_of(process);

	if (name && own_container && strcmp(name, own_container) == 0) {
		free(name);
		name = NULL;
	}
	if (!name)
		name = target_of(process, "root");
	if (name && strcmp(name, "/") == 0) {
		free(name);
		name = target_of(process, "ns/mnt");
	}
	return name;
}

struct targetroots *targetroots_create(const struct caller *caller)
{
	struct targetroots *roots = xcalloc(1, sizeof(*roots));
	struct root own = { .fd = -1, .namespace_fd = -1 };

	roots->caller = caller;
	vec_push(&roots->list, own);
	describe("self", &own);
	own.name = container_of("self");
	vec_push(&roots->list, own);
	return roots;
}

void targetroots_destroy(struct targetroots *roots)
{
	if (!roots)
		return;
	vec_foreach (root, &roots->list) {
		fd_close(&root->fd);
		fd_close(&root->namespace_fd);
		free(root->name);
	}
	vec_deinit(&roots->list);
	u64map_deinit(&roots->by_pid);
	free(roots);
}

/** Keep the root that @process has just now. */
static void hold(const struct targetroots *roots, const char *process, struct root *root)
{
	char path[64];
	struct rights rights;

	if (rights_become_caller(roots->caller, &rights, NULL)) {
		snprintf(path, sizeof(path), "/proc/%s/root", process);
		root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
		root->namespace_fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	rights_become_root(&rights);

	// The process may have changed it meanwhile, or its number may be another's.
	struct stat status;
	if (root->fd >= 0 && (fstat(root->fd, &status) != 0 || status.st_dev != root->device ||
			      status.st_ino != root->inode)) {
		fd_close(&root->fd);
		root->fd = -1;
	}
}

uint32_t targetroots_look(struct targetroots *roots, uint32_t pid)
{
	char process[16];
	struct root found;

	snprintf(process, sizeof(process), "%" PRIu32, pid);
	if (!describe(process, &found)) {
		const uint32_t *last = u64map_get(&roots->by_pid, pid);

		return last ? *last : TARGETROOT_UNKNOWN;
	}
	uint32_t index = TARGETROOT_OWN;
	while (index < roots->list.count &&
	       (roots->list.items[index].device != found.device ||
		roots->list.items[index].inode != found.inode ||
		roots->list.items[index].mount_namespace != found.mount_namespace))
		index++;
	if (index == roots->list.count) {
		if (roots->list.count < ROOTS_MAX)
			hold(roots, process, &found);
		found.name = name_of(process, roots->list.items[TARGETROOT_OWN].name);
		vec_push(&roots->list, found);
	}
	*u64map_put(&roots->by_pid, pid, NULL) = index;
	return index;
}

uint32_t targetroots_known(const struct targetroots *roots, uint32_t pid)
{
	const uint32_t *last = u64map_get(&roots->by_pid, pid);

	return last ? *last : TARGETROOT_UNKNOWN;
}

const char *targetroots_name(const struct targetroots *roots, uint32_t root)
{
	return root < TARGETROOT_OTHER ? NULL : roots->list.items[root].name;
}

void targetroots_fork(struct targetroots *roots, uint32_t pid, uint32_t parent_pid)
{
	const uint32_t *parent = u64map_get(&roots->by_pid, parent_pid);
	uint32_t root = parent ? *parent : TARGETROOT_UNKNOWN;

	*u64map_put(&roots->by_pid, pid, NULL) = root;
}

uint32_t targetroots_count(const struct targetroots *roots)
{
	return (uint32_t)roots->list.count;
}

int targetroots_open(const struct targetroots *roots, uint32_t root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	struct rights rights;
	int fd = -1;

	if (root < TARGETROOT_OTHER || roots->list.items[root].fd < 0) {
		errno = root < TARGETROOT_OTHER ? ENOENT : EACCES;
		return -1;
	}
	if (rights_become_caller(roots->caller, &rights, NULL))
		fd = (int)syscall(SYS_openat2, roots->list.items[root].fd, path, &how, sizeof(how));
	rights_become_root(&rights);
	return fd;
}
