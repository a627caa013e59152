// SPDX-License-Identifier: Apache-2.0
// Places the trace file. Under sudo every path is walked with the caller's own rights, so that no
// link leads into a place only root may write; a new name is always created, never opened.
#include "record/outfile.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "record/files/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_place(const char *path, struct err *err)
{
	struct stat found;

	if (lstat(path, &found) != 0)
		return errno == ENOENT || err_os(err, "%s", path);
	if (S_ISREG(found.st_mode))
		return true;
	return err_set(err, ERR_INPUT, "%s: %s; choose another file with -o", path,
		       S_ISDIR(found.st_mode)	? "is a directory"
		       : S_ISLNK(found.st_mode) ? "is a symbolic link, which is not followed"
						: "is not a regular file");
}

/**
 * A file without a name in the directory that will have it: nothing is left of it whatever ends
 * this process. Returns -1 where the file system has none.
 */
static int create_unnamed(const struct outfile *output)
{
	const char *path = output->new_folder ? output->new_folder : output->path;
	CLEANUP(strbuf_deinit) struct strbuf folder = { 0 };

	strbuf_printf(&folder, "%.*s.", (int)(path_file_name(path) - path), path);
	return open(folder.text, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/** Create the file that is not yet in its place, and its folder where that is new. */
static bool create(struct outfile *output, struct err *err)
{
	const char *path = output->path, *name = path_file_name(path);
	struct strbuf temporary = { 0 };

	if (output->new_folder ? !setfolder_check(output->new_folder, err)
			       : !check_place(path, err))
		return false;
	output->fd = create_unnamed(output);
	if (output->fd >= 0)
		return true;
	if (!output->new_folder) {
		strbuf_printf(&temporary, "%.*s", (int)(name - path), path);
	} else {
		if (!setfolder_make(output->new_folder, &output->temporary_folder, err))
			return false;
		strbuf_printf(&temporary, "%s/", output->temporary_folder);
	}
	strbuf_printf(&temporary, ".%s.XXXXXX", name);
	output->temporary = temporary.text;
	output->fd = mkostemp(output->temporary, O_CLOEXEC); // mode 0600, O_EXCL
	return output->fd >= 0 || err_os(err, "creating %s", path);
}

bool outfile_open(struct outfile *output, const char *path, const char *new_folder,
		  const struct caller *caller, struct err *err)
{
	size_t length = strlen(path);
	struct rights rights;

	*output = (struct outfile){
		.caller = caller, .path = path, .new_folder = new_folder, .fd = -1
	};
	if (length == 0 || path[length - 1] == '/')
		return err_set(err, ERR_INPUT, "'%s' does not name a file", path);

	bool done = rights_become_caller(caller, &rights, err) && create(output, err);

	rights_become_root(&rights);
	return done;
}

/** Give the file the name @path. */
static bool name_file(const struct outfile *output, const char *path, struct err *err)
{
	char link[64];

	if (output->temporary)
		return rename(output->temporary, path) == 0 ||
		       err_os(err, "creating %s", output->path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", output->fd);
	return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ||
	       err_os(err, "creating %s", output->path);
}

/** Put the file in its place; an older one is kept. */
static bool place_file(struct outfile *output, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf old = { 0 };

	if (!check_place(output->path, err))
		return false;
	strbuf_printf(&old, "%s.old", output->path);
	if (rename(output->path, old.text) != 0 && errno != ENOENT)
		return err_os(err, "keeping the older %s as %s", output->path, old.text);
	return name_file(output, output->path, err);
}

/** Put the folder in its place, the file with its name in it. */
static bool place_folder(struct outfile *output, struct err *err)
{
	struct strbuf named = { 0 };

	if (!output->temporary_folder &&
	    !setfolder_make(output->new_folder, &output->temporary_folder, err))
		return false;
	strbuf_printf(&named, "%s/%s", output->temporary_folder, path_file_name(output->path));
	if (!name_file(output, named.text, err)) {
		strbuf_deinit(&named);
		return false;
	}
	free(output->temporary);
	output->temporary = named.text;
	return setfolder_place(output->temporary_folder, output->new_folder, err);
}

bool outfile_commit(struct outfile *output, struct err *err)
{
	struct rights rights;
	bool done = rights_become_caller(output->caller, &rights, err) &&
		    (output->new_folder ? place_folder(output, err) : place_file(output, err));

	rights_become_root(&rights);
	if (!done)
		return false;
	free(output->temporary);
	free(output->temporary_folder);
	output->temporary = output->temporary_folder = NULL;
	return true;
}

void outfile_close(struct outfile *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->temporary || output->temporary_folder) {
		struct rights rights;

		if (rights_become_caller(output->caller, &rights, NULL)) {
			if (output->temporary && output->fd >= 0)
				unlink(output->temporary);
			if (output->temporary_folder)
				rmdir(output->temporary_folder);
		}
		rights_become_root(&rights);
	}
	free(output->temporary);
	free(output->temporary_folder);
	*output = (struct outfile){ .fd = -1 };
}
