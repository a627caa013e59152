// SPDX-License-Identifier: Apache-2.0
// Backing devices of file systems, which decide how far ahead is read: sysfs lists them by the
// numbers that /proc/self/mountinfo has. Of a partition it is the whole disk's; a file system of
// several devices, such as btrfs, has one with a name of its own.
#include "record/cold/private.h"

#include "base/cleanup.h"
#include "base/lines.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OVERLAYS_MAX = 4 }; // on each other

/** A mount: a line of /proc/self/mountinfo. */
struct mount {
	unsigned int major, minor;
	char type[64];
	char *options; // of the file system; free() them
};

static bool add_layers(struct filedevices *devices, const struct mount *mount, int depth,
		       struct err *err);

/** Find the mount of @fd: the number in /proc/self/fdinfo. */
static bool mount_of(int fd, unsigned int *ret_id)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "mnt_id: %u", ret_id) == 1)
			return true;
	return false;
}

/** "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue". */
static bool parse_mount(const char *line, unsigned int id, struct mount *ret_mount)
{
	const char *rest = strstr(line, " - ");
	unsigned int found;
	int options_at = 0;

	if (!rest ||
	    sscanf(line, "%u %*u %u:%u", &found, &ret_mount->major, &ret_mount->minor) != 3 ||
	    found != id || sscanf(rest, " - %63s %*s %n", ret_mount->type, &options_at) != 1)
		return false;
	ret_mount->options = xstrdup(options_at > 0 ? rest + options_at : "");
	return true;
}

static bool find_mount(int fd, struct mount *ret_mount)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	unsigned int id;

	if (!lines_open(&lines, "/proc/self/mountinfo", &lines_of_kernel, NULL) ||
	    !mount_of(fd, &id))
		return false;
	while (lines_next(&lines, &line))
		if (parse_mount(line.text, id, ret_mount))
			return true;
	return false;
}

/** Add the directory of sysfs if it is one; links are followed, so that each is there once. */
static bool add_folder(struct filedevices *devices, const char *path)
{
	CLEANUP(freep) char *folder = realpath(path, NULL);
	CLEANUP(strbuf_deinit) struct strbuf value = { 0 };

	if (!folder)
		return false;
	strbuf_printf(&value, "%s/read_ahead_kb", folder);
	if (access(value.text, F_OK) != 0)
		return false;
	vec_foreach (known, &devices->list)
		if (strcmp(*known, folder) == 0)
			return true;
	vec_push(&devices->list, TAKE(folder));
	return true;
}

static bool add_device(struct filedevices *devices, const struct mount *mount)
{
	static const char *const places[] = {
		"/sys/class/bdi/%u:%u", "/sys/dev/block/%u:%u/bdi",
		"/sys/dev/block/%u:%u/../bdi", // of a partition
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), places[i], mount->major, mount->minor);
		if (add_folder(devices, path))
			return true;
	}
	return false;
}

static bool add_btrfs(struct filedevices *devices, int path_fd)
{
	struct btrfs_ioctl_fs_info_args info = { 0 };
	char link[64], path[80] = "/sys/fs/btrfs/";
	size_t length = strlen(path);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);

	CLEANUP(fd_close) int fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
		return false;
	for (size_t i = 0; i < sizeof(info.fsid); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			path[length++] = '-';
		length += (size_t)snprintf(path + length, sizeof(path) - length, "%02x",
					   info.fsid[i]);
	}
	snprintf(path + length, sizeof(path) - length, "/bdi");
	return add_folder(devices, path);
}

static bool is_memory(const char *type)
{
	return strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0 ||
	       strcmp(type, "hugetlbfs") == 0;
}

static bool add_by_mount(struct filedevices *devices, int fd, int depth, struct err *err)
{
	struct mount mount = { 0 };

	if (!find_mount(fd, &mount))
		return err_set(err, ERR_UNSUPPORTED, "the mount is not known");

	bool is_overlay = strcmp(mount.type, "overlay") == 0;
	bool is_btrfs = strcmp(mount.type, "btrfs") == 0;
	bool done = is_memory(mount.type) || (is_overlay ? add_layers(devices, &mount, depth, err)
					      : is_btrfs ? add_btrfs(devices, fd)
							 : add_device(devices, &mount));

	if (!done && !is_overlay)
		err_set(err, ERR_UNSUPPORTED, "the device of its file system (%s) is not known",
			mount.type);
	free(mount.options);
	return done;
}

// ---- Overlays ---------------------------------------------------------------------------------

/** Undo what mountinfo writes of blanks (\040), and overlay of colons and backslashes. */
static char *unescape(const char *text, size_t length)
{
	char *result = xcalloc(length + 1, 1), *to = result;

	for (size_t i = 0; i < length; i++) {
		unsigned int byte;

		if (text[i] == '\\' && length - i >= 4 && sscanf(text + i + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			i += 3;
		} else if (text[i] != '\\' || (i > 0 && text[i - 1] == '\\')) {
			*to++ = text[i];
		}
	}
	return result;
}

static bool add_layer(struct filedevices *devices, const char *path, size_t length, int depth,
		      struct err *err)
{
	CLEANUP(freep) char *name = unescape(path, length);
	CLEANUP(fd_close) int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (name[0] != '/' || fd < 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "layer %s of its file system (overlay) cannot be opened", name);
	return add_by_mount(devices, fd, depth - 1, err);
}

/** The directories of one option: "/a:/b", which ends with a comma. */
static bool add_layer_list(struct filedevices *devices, const char *list, size_t length, int depth,
			   struct err *err)
{
	size_t start = 0;

	for (size_t i = 0; i <= length; i++) {
		bool is_end = i == length || (list[i] == ':' && (i == 0 || list[i - 1] != '\\'));

		if (!is_end)
			continue;
		// "::" comes before layers of data alone.
		if (i > start && !add_layer(devices, list + start, i - start, depth, err))
			return false;
		start = i + 1;
	}
	return true;
}

static bool add_layers(struct filedevices *devices, const struct mount *mount, int depth,
		       struct err *err)
{
	static const char *const keys[] = { "lowerdir=", "upperdir=", "lowerdir+=", "datadir+=" };

	if (depth == 0)
		return err_set(err, ERR_UNSUPPORTED, "overlays are too deep");
	for (const char *option = mount->options; *option;) {
		size_t length = strcspn(option, ",");

		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t key = strlen(keys[i]);

			if (strncmp(option, keys[i], key) == 0 &&
			    !add_layer_list(devices, option + key, length - key, depth, err))
				return false;
		}
		option += length + (option[length] == ',');
	}
	return true;
}

bool filedevice_add(struct filedevices *devices, int fd, struct err *err)
{
	return add_by_mount(devices, fd, OVERLAYS_MAX, err);
}

void filedevice_free(struct filedevices *devices)
{
	vec_foreach (folder, &devices->list)
		free(*folder);
	vec_deinit(&devices->list);
}
