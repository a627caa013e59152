// SPDX-License-Identifier: Apache-2.0
#include "bpf/cgroup.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

struct pids {
	VEC(pid_t) list;
};

/** Find where cgroup version 2 is mounted; "" where it is not. */
static void find_mount(char *path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;

	path[0] = '\0';
	while (mounts && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, "cgroup2") != 0)
			continue;
		snprintf(path, size, "%s", mount->mnt_dir);
		break;
	}
	if (mounts)
		endmntent(mounts);
}

/** Is it the folder of a cgroup of version 2? */
static bool check(int fd, const char *path, const char *mount, struct err *err)
{
	struct statfs system;

	if (fstatfs(fd, &system) != 0)
		return err_os(err, "%s", path);
	if (system.f_type == CGROUP2_SUPER_MAGIC)
		return true;
	if (!mount[0])
		return err_set(
			err, ERR_INPUT,
			"%s: is no cgroup of version 2, which is not mounted here; mount it: "
			"mount -t cgroup2 none DIRECTORY",
			path);
	return err_set(err, ERR_INPUT,
		       system.f_type == CGROUP_SUPER_MAGIC
			       ? "%s: is a cgroup of version 1; name one of version 2, below %s"
			       : "%s: is no cgroup; name one of version 2, below %s",
		       path, mount);
}

bool cgroup_open(const char *path, struct cgroup *ret_cgroup, struct err *err)
{
	char mount[PATH_MAX / 2], below[PATH_MAX];
	struct stat status;

	find_mount(mount, sizeof(mount));
	snprintf(below, sizeof(below), "%s/%s", mount, path);
	// As a path first: names begin with a slash too.
	ret_cgroup->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret_cgroup->fd < 0 && mount[0])
		ret_cgroup->fd = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret_cgroup->fd < 0)
		return err_set(err, ERR_INPUT, "%s: there is no such cgroup, nor below %s: %s",
			       path, mount[0] ? mount : "a mount of cgroup version 2",
			       err_text(errno));
	if (!check(ret_cgroup->fd, path, mount, err) || fstat(ret_cgroup->fd, &status) != 0) {
		cgroup_close(ret_cgroup);
		return false;
	}
	ret_cgroup->id = status.st_ino;
	return true;
}

bool cgroup_make(const char *path, char **ret_folder, struct err *err)
{
	char mount[PATH_MAX / 2], folder[PATH_MAX];

	find_mount(mount, sizeof(mount));
	if (!mount[0])
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: cgroup version 2 is not mounted; mount it: "
			       "mount -t cgroup2 none DIRECTORY",
			       path);
	snprintf(folder, sizeof(folder), "%s%s/", mount, path);
	for (char *slash = folder + strlen(mount) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';

		const bool is_made = mkdir(folder, 0755) == 0;

		if (!is_made && errno != EEXIST)
			return err_os(err, "%s", folder);
		if (!slash[1] && is_made)
			*ret_folder = xstrdup(folder);
		*slash = '/';
	}
	return true;
}

static bool add_processes(int folder, struct pids *pids, struct err *err)
{
	CLEANUP(fd_close) int fd = openat(folder, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	CLEANUP(file_closep) FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	intmax_t pid;

	if (!file)
		return err_os(err, "cgroup.procs");
	fd = -1; // the stream's
	// 0: of another pid namespace.
	while (fscanf(file, "%jd", &pid) == 1)
		if (pid > 0)
			vec_push(&pids->list, (pid_t)pid);
	return !ferror(file) || err_os(err, "cgroup.procs");
}

/** Those below @folder, depth first. A cgroup that is removed meanwhile has no processes. */
static bool add_below(int folder, struct pids *pids, struct err *err)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	bool done = true;

	if (!entries)
		return errno == ENOENT || errno == ENODEV || err_os(err, "a cgroup's folder");
	done = add_processes(folder, pids, err);
	while (done && (entry = readdir(entries))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		CLEANUP(fd_close)
		int child = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		done = child < 0 || add_below(child, pids, err);
	}
	closedir(entries);
	return done;
}

bool cgroup_processes(const struct cgroup *cgroup, pid_t **ret_pids, size_t *ret_count,
		      struct err *err)
{
	struct pids pids = { 0 };

	if (!add_below(cgroup->fd, &pids, err)) {
		vec_deinit(&pids.list);
		return false;
	}
	*ret_pids = pids.list.items;
	*ret_count = pids.list.count;
	return true;
}

bool cgroup_is_populated(const struct cgroup *cgroup)
{
	CLEANUP(fd_close) int fd = openat(cgroup->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (size < 0)
		return false; // it has been removed
	text[size] = '\0';
	return strstr(text, "populated 1");
}

void cgroup_close(struct cgroup *cgroup)
{
	fd_close(&cgroup->fd);
}
