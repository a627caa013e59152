// SPDX-License-Identifier: Apache-2.0
// Read-ahead of devices at 0 for a run, and back whatever happens. What it was stands in a file of
// /run/elfault, which each recorder that wants it at 0 holds locked. A recorder that is killed
// loses its lock, and the next one finds a file that nobody holds.
#include "record/cold/cold.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "record/cold/private.h"
#include "record/files/rights.h"
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char state_folder[] = "/run/elfault";

// ---- The state --------------------------------------------------------------------------------

/**
 * Hold the lock on all state: whoever looks at a file there or changes it does. -1 with errno where
 * there is none: the directory is made if @is_made; EPERM: not only root may write to it.
 */
static int lock_state(bool is_made)
{
	struct stat status;

	if (geteuid() != 0) {
		errno = EPERM;
		return -1;
	}
	if (is_made && mkdir(state_folder, 0700) != 0 && errno != EEXIST)
		return -1;

	CLEANUP(fd_close)
	int folder = open(state_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0 || fstat(folder, &status) != 0)
		return -1;
	if (status.st_uid != 0 || (status.st_mode & 022) != 0) {
		errno = EPERM;
		return -1;
	}

	int lock = openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (lock >= 0 && flock(lock, LOCK_EX) != 0)
		if (errno != EINTR) {
			close(lock);
			return -1;
		}
	return lock;
}

/** The file of a device: its directory in sysfs has its name. */
static void name_state(const char *folder, char *ret_path, size_t size)
{
	snprintf(ret_path, size, "%s/%s.read_ahead_kb", state_folder, path_file_name(folder));
}

static bool read_number(int fd, uint64_t *ret_number)
{
	char text[32];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	char *end;

	if (length <= 0)
		return false;
	text[length] = '\0';
	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	return end != text && *end == '\n' && errno == 0;
}

static bool write_number(int fd, uint64_t number)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%" PRIu64 "\n", number);

	return pwrite(fd, text, (size_t)length, 0) == length;
}

/** The device's own file. */
static int open_value(const char *folder, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/read_ahead_kb", folder);
	return open(path, flags | O_CLOEXEC);
}

static bool get_value(const char *folder, uint64_t *ret_kb)
{
	CLEANUP(fd_close) int fd = open_value(folder, O_RDONLY);

	return fd >= 0 && read_number(fd, ret_kb);
}

static bool set_value(const char *folder, uint64_t kb)
{
	CLEANUP(fd_close) int fd = open_value(folder, O_WRONLY);

	return fd >= 0 && write_number(fd, kb);
}

/** The fate of a device that no recorder holds at 0 any more. */
enum outcome { IS_SET_BACK, IS_FAILED, IS_OTHERS };

/**
 * Nobody holds the state at @fd any more: set the device back and forget. If somebody has set it to
 * something else meanwhile, or it is gone, that stays.
 */
static enum outcome set_back(const char *folder, const char *path, int fd, uint64_t *ret_kb)
{
	uint64_t now;

	// Without a number the device was never changed: the number is written first.
	if (!read_number(fd, ret_kb) || !get_value(folder, &now) || now != 0) {
		unlink(path);
		return IS_OTHERS;
	}
	return set_value(folder, *ret_kb) && unlink(path) == 0 ? IS_SET_BACK : IS_FAILED;
}

// ---- A run ------------------------------------------------------------------------------------

/** Set one device to 0; under the lock. */
static bool stop_device(struct readahead *readahead, const char *folder, struct notes *notes,
			struct err *err)
{
	char path[512];
	uint64_t kb;

	name_state(folder, path, sizeof(path));

	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_os(err, "%s", path);
	vec_push(&readahead->holds, (struct readahead_hold){ xstrdup(folder), fd });
	// What another recorder has set to 0 is in there, as it was before.
	if (!read_number(fd, &kb) && (!get_value(folder, &kb) || !write_number(fd, kb)))
		return err_os(err, "%s", path);
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return err_os(err, "%s", path);
	if (!set_value(folder, 0))
		return err_os(err, "%s/read_ahead_kb", folder);
	notes_add(notes,
		  TRACE_NOTE_EXACT "%s was 0 instead of %" PRIu64
				   " KiB during the run: times are not those of an ordinary start",
		  path_file_name(folder), kb);
	return true;
}

/** Find the devices of all files; false if there is none, of files that have one. */
static bool add_devices_of(struct filedevices *devices, const struct coldfiles *cold,
			   struct notes *notes, struct err *err)
{
	const struct record_files *files = cold->files;
	size_t unknown = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct rights rights = { 0 };
		struct err reason = { 0 };
		int fd = -1;

		if (cold->has_rights || rights_become_caller(cold->caller, &rights, NULL))
			fd = open(files->paths[i], O_PATH | O_CLOEXEC);
		rights_become_root(&rights);
		if (fd < 0)
			continue;
		if (!filedevice_add(devices, fd, &reason)) {
			unknown++;
			notes_add_counted(notes, 1, "read-ahead of a file was left as it is: %s",
					  reason.message);
			if (err)
				*err = reason;
		}
		close(fd);
	}
	return devices->list.count > 0 || unknown == 0;
}

bool readahead_stop(struct readahead *readahead, const struct coldfiles *cold, struct notes *notes,
		    struct err *err)
{
	struct filedevices devices = { 0 };

	if (geteuid() != 0)
		return err_set(err, ERR_DENIED,
			       "--exact changes the read-ahead of devices, which only root may:\n"
			       "  sudo elfault record --exact ...");
	if (!add_devices_of(&devices, cold, notes, err))
		return err_prefix(err, "--exact");

	CLEANUP(fd_close) int lock = lock_state(true);
	bool done = lock >= 0 ||
		    (errno == EPERM ? err_set(err, ERR_OS,
					      "%s: others than root may write to it; remove it",
					      state_folder)
				    : err_os(err, "%s", state_folder));

	for (size_t i = 0; done && i < devices.list.count; i++)
		done = stop_device(readahead, devices.list.items[i], notes, err);
	filedevice_free(&devices);
	return done;
}

static void restore_hold(struct readahead_hold *hold, struct notes *notes)
{
	char path[512];
	uint64_t kb = 0;

	name_state(hold->folder, path, sizeof(path));
	// Nobody else does: then the last one sets it back.
	if (flock(hold->fd, LOCK_EX | LOCK_NB) == 0 &&
	    set_back(hold->folder, path, hold->fd, &kb) == IS_FAILED)
		notes_add(notes,
			  "read-ahead of device %s could not be set back to %" PRIu64 " KiB: %s",
			  path_file_name(hold->folder), kb, strerror(errno));
	close(hold->fd);
	free(hold->folder);
}

void readahead_restore(struct readahead *readahead, struct notes *notes)
{
	if (readahead->holds.count == 0)
		return;

	CLEANUP(fd_close) int lock = lock_state(false);

	vec_foreach (hold, &readahead->holds)
		restore_hold(hold, notes);
	vec_deinit(&readahead->holds);
}

// ---- What others left -------------------------------------------------------------------------

/** "254:0" of "254:0.read_ahead_kb"; false for any other file. */
static bool parse_state_name(const char *file, char *ret_name, size_t size)
{
	const char *end = strstr(file, ".read_ahead_kb");

	return end && (size_t)(end - file) < size && strlen(end) == strlen(".read_ahead_kb") &&
	       snprintf(ret_name, size, "%.*s", (int)(end - file), file) > 0;
}

void readahead_recover(struct notes *notes)
{
	CLEANUP(fd_close) int lock = lock_state(false);
	DIR *states = lock >= 0 ? opendir(state_folder) : NULL;
	struct dirent *entry;

	while (states && (entry = readdir(states))) {
		char name[64], path[512], folder[128];
		uint64_t kb = 0;

		if (!parse_state_name(entry->d_name, name, sizeof(name)))
			continue;
		snprintf(folder, sizeof(folder), "/sys/class/bdi/%s", name);
		name_state(folder, path, sizeof(path));

		CLEANUP(fd_close) int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
			continue; // somebody's who runs
		switch (set_back(folder, path, fd, &kb)) {
		case IS_SET_BACK:
			notes_add(notes,
				  "elfault record --exact was killed and had left the read-ahead of"
				  " device %s at 0: set back to %" PRIu64 " KiB",
				  name, kb);
			break;
		case IS_FAILED:
			notes_add(notes,
				  "elfault record --exact was killed and left the read-ahead of"
				  " device %s at 0, which could not be set back to %" PRIu64
				  " KiB: %s",
				  name, kb, strerror(errno));
			break;
		case IS_OTHERS:
			break;
		}
	}
	if (states)
		closedir(states);
}

/** Look up the device in the saved state, if it has one. */
static void look_up_state(struct readahead_zero *zero)
{
	char path[512];

	name_state(zero->folder, path, sizeof(path));

	CLEANUP(fd_close) int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!read_number(fd, &zero->kb))
		zero->kb = 0;
	zero->is_held = flock(fd, LOCK_EX | LOCK_NB) != 0;
}

size_t readahead_list(struct readahead_zero **ret_zeros)
{
	CLEANUP(fd_close) int lock = lock_state(false);
	VEC(struct readahead_zero) zeros = { 0 };
	DIR *devices = opendir("/sys/class/bdi");
	struct dirent *entry;

	while (devices && (entry = readdir(devices))) {
		struct readahead_zero zero = { 0 };
		uint64_t kb;

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(zero.name))
			continue;
		strcpy(zero.name, entry->d_name);
		snprintf(zero.folder, sizeof(zero.folder), "/sys/class/bdi/%s", zero.name);
		if (!get_value(zero.folder, &kb) || kb != 0)
			continue;
		if (lock >= 0)
			look_up_state(&zero);
		vec_push(&zeros, zero);
	}
	if (devices)
		closedir(devices);
	*ret_zeros = zeros.items;
	return zeros.count;
}
