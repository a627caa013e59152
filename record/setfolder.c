// SPDX-License-Identifier: Apache-2.0
// The directory of a set of repeats on its way to its place: made under a temporary name, an older
// one kept as PATH.old. Whoever calls has taken the caller's rights already.
#include "record/outfile.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum content { CONTENT_NONE, CONTENT_TRACES, CONTENT_OTHER, CONTENT_UNREADABLE };

/** 1.trace, but also what a recording leaves beside it: 1.trace.old, .1.trace.Ab12Cd. */
static bool is_of_recording(int folder, const char *name)
{
	struct stat found;

	return strstr(name, ".trace") && fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(found.st_mode);
}

static bool is_self_or_parent(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static DIR *open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder && fd >= 0)
		close(fd);
	return folder;
}

/** Examine the directory; @stranger: the first name that is of no recording. */
static enum content look_into(const char *path, struct strbuf *stranger)
{
	DIR *folder = open_folder(path);
	enum content content = CONTENT_NONE;
	struct dirent *entry;

	if (!folder)
		return CONTENT_UNREADABLE;
	while (content != CONTENT_OTHER && (entry = readdir(folder))) {
		if (is_self_or_parent(entry->d_name))
			continue;
		content = CONTENT_TRACES;
		if (is_of_recording(dirfd(folder), entry->d_name))
			continue;
		content = CONTENT_OTHER;
		strbuf_puts(stranger, entry->d_name);
	}
	closedir(folder);
	return content;
}

/** @path with its content; *@ret_content is CONTENT_NONE also where nothing is there. */
static bool check(const char *path, enum content *ret_content, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf stranger = { 0 };
	struct stat found;

	*ret_content = CONTENT_NONE;
	if (lstat(path, &found) != 0)
		return errno == ENOENT || err_os(err, "%s", path);
	if (!S_ISDIR(found.st_mode))
		return err_set(err, ERR_INPUT,
			       "%s: %s; choose another directory for the repeats with -o", path,
			       S_ISLNK(found.st_mode) ? "is a symbolic link, which is not followed"
						      : "is not a directory");
	*ret_content = look_into(path, &stranger);
	if (*ret_content == CONTENT_UNREADABLE)
		return err_os(err, "%s", path);
	if (*ret_content != CONTENT_OTHER)
		return true;
	return err_set(err, ERR_INPUT,
		       "%s: not replaced, since it contains more than traces (%s); choose another "
		       "directory for the repeats with -o",
		       path, strbuf_text(&stranger));
}

bool setfolder_check(const char *path, struct err *err)
{
	const char *name = path_file_name(path);
	CLEANUP(strbuf_deinit) struct strbuf old = { 0 };
	enum content content;

	if (name[0] == '\0' || name[strlen(name) - 1] == '/' || is_self_or_parent(name))
		return err_set(err, ERR_INPUT, "'%s' does not name a directory for the repeats",
			       path);
	strbuf_printf(&old, "%s.old", path);
	return check(path, &content, err) &&
	       (content == CONTENT_NONE || check(old.text, &content, err));
}

bool setfolder_make(const char *path, char **ret_path, struct err *err)
{
	const char *name = path_file_name(path);
	struct strbuf made = { 0 };

	strbuf_printf(&made, "%.*s.%s.XXXXXX", (int)(name - path), path, name);
	if (!mkdtemp(made.text)) { // mode 0700
		strbuf_deinit(&made);
		return err_os(err, "creating %s", path);
	}
	*ret_path = made.text;
	return true;
}

/** Remove a directory that holds traces alone. */
static bool remove_set(const char *path, struct err *err)
{
	DIR *folder = open_folder(path);
	struct dirent *entry;

	if (!folder)
		return err_os(err, "%s", path);
	while ((entry = readdir(folder)))
		if (!is_self_or_parent(entry->d_name) &&
		    is_of_recording(dirfd(folder), entry->d_name))
			unlinkat(dirfd(folder), entry->d_name, 0); // if not, rmdir() says so
	closedir(folder);
	return rmdir(path) == 0 || err_os(err, "removing the older %s", path);
}

/** Move the set at @path to PATH.old. */
static bool keep(const char *path, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf old = { 0 };
	enum content content;
	struct stat found;

	strbuf_printf(&old, "%s.old", path);
	if (!check(old.text, &content, err))
		return false;
	if (lstat(old.text, &found) == 0 && !remove_set(old.text, err))
		return false;
	return rename(path, old.text) == 0 ||
	       err_os(err, "keeping the older %s as %s", path, old.text);
}

bool setfolder_place(const char *made, const char *path, struct err *err)
{
	enum content content;

	if (!check(path, &content, err))
		return false;
	if (content == CONTENT_TRACES && !keep(path, err))
		return false;
	return rename(made, path) == 0 ||
	       err_os(err, "creating %s", path); // also over an empty one
}
