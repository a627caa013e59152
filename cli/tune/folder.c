// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/folder.h"

#include "base/cleanup.h"
#include "base/companion.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "prefetch/refresh.h"
#include "prefetch/tuned.h"
#include "standin/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tunefolder_path(struct arena *arena, const char *name)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0] == '/')
		return arena_printf(arena, "%s/elfault/tune/%s", data, name);
	return home && home[0] == '/'
		       ? arena_printf(arena, "%s/.local/share/elfault/tune/%s", home, name)
		       : NULL;
}

static const char *path_in(struct arena *arena, const char *folder, const char *name)
{
	return arena_printf(arena, "%s/%s", folder, name);
}

bool tunefolder_exists(const char *path)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(file_closep) FILE *file = fopen(path_in(&arena, path, TUNED_SETTINGS), "re");
	char first[sizeof(TUNED_FIRST "\n")] = "";

	return file && fgets(first, sizeof(first), file) && strcmp(first, TUNED_FIRST "\n") == 0;
}

// ---- Removing -----------------------------------------------------------------------------------

enum { LIBRARIES = 2 };

static const char *const libraries[LIBRARIES] = { TUNED_LIBRARIES, TUNED_LIBRARIES "2" };

static bool remove_file(const char *path, struct err *err)
{
	return unlink(path) == 0 || errno == ENOENT || err_os(err, "%s", path);
}

static bool remove_libraries(const char *path, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	DIR *folder = opendir(path);
	bool ok = true;

	if (!folder)
		return errno == ENOENT || err_os(err, "%s", path);
	for (struct dirent *entry; ok && (entry = readdir(folder));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			ok = remove_file(path_in(&arena, path, entry->d_name), err);
	closedir(folder);
	return ok && (rmdir(path) == 0 || err_os(err, "%s", path));
}

/** An error that says what is at @path; none where nothing is. */
static bool is_free(const char *path, struct err *err)
{
	return rmdir(path) == 0 || errno == ENOENT ||
	       err_set(err, ERR_INPUT,
		       "%s: is there, and not what `elfault tune` writes: name a folder that does "
		       "not exist",
		       path);
}

/** Remove elfault/tune and elfault, which tune makes as well, where nothing else is in them. */
static void remove_place(struct arena *arena, const char *path)
{
	const char *place = tunefolder_path(arena, "");

	if (!place || strncmp(path, place, strlen(place)) != 0)
		return;
	if (rmdir(place) == 0)
		rmdir(arena_printf(arena, "%.*s", (int)(strlen(place) - strlen("tune/")), place));
}

bool tunefolder_remove(const char *path, struct err *err)
{
	// The settings last: they tell that the rest may be removed.
	static const char *const files[] = { REFRESH_BEGUN,	    TUNED_LIST,
					     TUNED_LIST ".new",	    TUNEFOLDER_RESULT,
					     TUNED_START,	    TUNED_START ".new",
					     TUNED_SETTINGS ".new", TUNED_SETTINGS };
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!tunefolder_exists(path))
		return is_free(path, err);
	for (size_t i = 0; i < LIBRARIES; i++)
		if (!remove_libraries(path_in(&arena, path, libraries[i]), err))
			return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!remove_file(path_in(&arena, path, files[i]), err))
			return false;
	if (rmdir(path) != 0)
		return err_os(err, "%s", path);
	remove_place(&arena, path);
	return true;
}

// ---- Making -------------------------------------------------------------------------------------

static bool make_folders(const char *path, struct err *err)
{
	CLEANUP(freep) char *whole = xstrdup(path);

	for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(whole, 0755) != 0 && errno != EEXIST)
			return err_os(err, "%s", whole);
		*slash = '/';
	}
	return mkdir(path, 0755) == 0 || err_os(err, "%s", path);
}

/** Put the launcher into @folder, in the place of one that may be running. */
static bool copy_launcher(const char *folder, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *to = path_in(&arena, folder, TUNED_START ".new");
	const char *from = companion_prefetch(&arena).path;
	struct stat status;

	if (!from)
		return err_set(err, ERR_UNSUPPORTED,
			       "elfault-prefetch is not found beside elfault or "
			       "in PATH; it becomes the launcher");
	CLEANUP(fd_close) int source = open(from, O_RDONLY | O_CLOEXEC);
	CLEANUP(fd_close) int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (source < 0 || fstat(source, &status) != 0)
		return err_os(err, "%s", from);
	for (off_t at = 0; target >= 0 && at < status.st_size;)
		if (sendfile(target, source, &at, (size_t)(status.st_size - at)) <= 0)
			return err_os(err, "%s", to);
	return (target >= 0 && rename(to, path_in(&arena, folder, TUNED_START)) == 0) ||
	       err_os(err, "%s", to);
}

static bool write_standin(const char *folder, const struct standin_library *library,
			  struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct standin_image image = {
		.library = library,
		.path = library->path,
		.folder = folder,
		.about =
			arena_printf(&arena, "library %s %s\n",
				     library->build_id[0] ? library->build_id : "-", library->path),
	};
	const char *path = path_in(&arena, folder, library->soname);
	size_t functions;

	if (strchr(library->soname, '/'))
		return err_set(err, ERR_INPUT, "%s: its soname is a path", library->path);
	CLEANUP(fd_close) int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_os(err, "%s", path);
	return standinimage_write(&image, fd, &functions, err) || err_prefix(err, "%s: ", path);
}

/** Put @text in the place of the file @name. Where that fails it stays as it was. */
static bool write_text(const char *folder, const char *name, const char *text, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *path = path_in(&arena, folder, name);
	const char *new = arena_printf(&arena, "%s.new", path);
	CLEANUP(fd_close) int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	const size_t length = strlen(text);

	if (fd >= 0 && write(fd, text, length) == (ssize_t)length && rename(new, path) == 0)
		return true;
	err_os(err, "%s", path);
	unlink(new);
	return false;
}

/** Choose a folder that no start that is just beginning uses. */
static bool choose_libraries(struct tunefolder *folder, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const bool is_first = access(path_in(&arena, folder->path, libraries[0]), F_OK) != 0;

	folder->libraries = libraries[is_first ? 0 : 1];
	return is_first || remove_libraries(path_in(&arena, folder->path, folder->libraries), err);
}

static bool write_standins(struct tunefolder *folder, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!choose_libraries(folder, err))
		return false;
	const char *place = path_in(&arena, folder->path, folder->libraries);

	if (mkdir(place, 0755) != 0)
		return err_os(err, "%s", place);
	for (size_t i = 0; i < folder->loaded->count; i++)
		if (folder->choices[i].stands &&
		    !write_standin(place, folder->loaded->items[i], err))
			return false;
	return true;
}

bool tunefolder_make(struct tunefolder *folder, struct err *err)
{
	struct tunefolder plain = *folder;

	plain.has_libraries = plain.has_list = false;
	if (!tunefolder_exists(folder->path) &&
	    (!is_free(folder->path, err) || !make_folders(folder->path, err)))
		return false;
	// The launcher starts the program plainly meanwhile.
	return tunefolder_settle(&plain, err) && copy_launcher(folder->path, err) &&
	       (!folder->has_libraries || write_standins(folder, err));
}

bool tunefolder_tidy(const struct tunefolder *folder, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	bool ok =
		(folder->has_list || remove_file(path_in(&arena, folder->path, TUNED_LIST), err)) &&
		remove_file(path_in(&arena, folder->path, REFRESH_BEGUN), err);

	for (size_t i = 0; ok && i < LIBRARIES; i++)
		if (!folder->has_libraries || libraries[i] != folder->libraries)
			ok = remove_libraries(path_in(&arena, folder->path, libraries[i]), err);
	return ok;
}

/** A line that tuned_read_stamp() reads. */
static bool add_stamp(struct strbuf *text, const struct standin_library *library, struct err *err)
{
	struct stat status;

	if (strchr(library->path, '\n'))
		return err_set(err, ERR_UNSUPPORTED,
			       "a library's path has more than one line, which no line of the "
			       "settings can name");
	if (stat(library->path, &status) != 0)
		return err_os(err, "%s", library->path);
	strbuf_printf(text, "file %lld %lld.%ld %lld.%ld %s %s\n", (long long)status.st_size,
		      (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
		      (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
		      library->build_id[0] ? library->build_id : "-", library->path);
	return true;
}

bool tunefolder_settle(const struct tunefolder *folder, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	const bool is_tuned = folder->has_libraries || folder->has_list;

	strbuf_printf(&text, "%s\nprogram %s\nname %s\n", TUNED_FIRST, folder->program,
		      folder->name);
	if (folder->has_libraries)
		strbuf_printf(&text, "%s\n", folder->libraries);
	if (folder->has_list)
		strbuf_puts(&text, TUNED_LIST "\n");
	if (folder->elfault)
		strbuf_printf(&text, "%s %s\n", TUNED_REFRESH, folder->elfault);
	// All that was judged: the libraries, and who may need more of them.
	for (size_t i = 0; is_tuned && i < folder->loaded->count; i++)
		if (!add_stamp(&text, folder->loaded->items[i], err))
			return false;
	return write_text(folder->path, TUNED_SETTINGS, strbuf_text(&text), err);
}

bool tunefolder_lock(const char *path, int *ret_fd, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return err_set(err, ERR_DENIED, "%s: is being tuned by another process", path);
	}
	*ret_fd = fd;
	return true;
}

static bool is_own(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH)) && !S_ISLNK(status.st_mode);
}

bool tunefolder_is_own(const char *path)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	return is_own(path) && is_own(path_in(&arena, path, TUNEFOLDER_RESULT));
}

const char *const *tunefolder_list(struct arena *arena, size_t *ret_count)
{
	VEC(const char *) paths = { 0 };
	const char *place = tunefolder_path(arena, "");
	DIR *folder = place ? opendir(place) : NULL;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		const char *path = arena_printf(arena, "%s%s", place, entry->d_name);

		if (entry->d_name[0] != '.' && tunefolder_exists(path))
			vec_push(&paths, path);
	}
	if (folder)
		closedir(folder);
	vec_sort(&paths, order_texts);
	return vec_keep_counted(&paths, arena, ret_count);
}
