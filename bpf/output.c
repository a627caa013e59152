// SPDX-License-Identifier: Apache-2.0
// Places the trace file. Under sudo every path is walked with the caller's own rights, so that no
// link leads into a place only root may write; a new name is always created, never opened.
#include "bpf/output.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** The groups of root, to come back to. */
struct rights {
	gid_t *groups;
	int group_count;
	bool changed;
};

static bool become_caller(const struct caller *caller, struct rights *rights, struct err *err)
{
	*rights = (struct rights){ 0 };
	if (!caller->under_sudo || geteuid() != 0)
		return true; // nothing to give up, or given up for good already

	rights->group_count = getgroups(0, NULL);
	if (rights->group_count < 0)
		return err_os(err, "getgroups");
	rights->groups = xcalloc((size_t)rights->group_count + 1, sizeof(gid_t));
	rights->group_count = getgroups(rights->group_count, rights->groups);
	rights->changed = true;
	if (caller->name ? initgroups(caller->name, caller->gid) != 0
			 : setgroups(1, &caller->gid) != 0)
		return err_os(err, "taking the groups of user %d", (int)caller->uid);
	if (setegid(caller->gid) != 0 || seteuid(caller->uid) != 0)
		return err_os(err, "acting as user %d", (int)caller->uid);
	return true;
}

/** Back to root. Keeps errno. */
static void become_root(struct rights *rights)
{
	int reason = errno;

	if (rights->changed &&
	    (seteuid(0) != 0 || setegid(0) != 0 ||
	     setgroups((size_t)(rights->group_count > 0 ? rights->group_count : 0),
		       rights->groups) != 0))
		abort(); // neither the one nor the other: nothing is safe to do any more
	free(rights->groups);
	*rights = (struct rights){ 0 };
	errno = reason;
}

static bool check_place(const char *path, struct err *err)
{
	struct stat found;

	if (lstat(path, &found) != 0)
		return errno == ENOENT || err_os(err, "%s", path);
	if (S_ISREG(found.st_mode))
		return true;
	return err_set(err, ERR_INPUT, "%s: %s; name another file with -o", path,
		       S_ISDIR(found.st_mode)	? "is a directory"
		       : S_ISLNK(found.st_mode) ? "is a symbolic link, which is not followed"
						: "is not a regular file");
}

bool output_open(struct output *output, const char *path, const struct caller *caller,
		 struct err *err)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	struct strbuf name = { 0 };
	struct rights rights;

	*output = (struct output){ .caller = caller, .path = path, .fd = -1 };
	if (path[folder] == '\0')
		return err_set(err, ERR_INPUT, "'%s' does not name a file", path);
	strbuf_printf(&name, "%.*s.%s.XXXXXX", folder, path, path + folder);
	output->temporary = name.text;

	bool done = become_caller(caller, &rights, err) && check_place(path, err);

	if (done) {
		output->fd = mkostemp(output->temporary, O_CLOEXEC); // mode 0600, O_EXCL
		if (output->fd < 0)
			done = err_os(err, "creating %s", path);
	}
	become_root(&rights);
	return done;
}

bool output_commit(struct output *output, struct err *err)
{
	struct strbuf old = { 0 };
	struct rights rights;
	bool done = become_caller(output->caller, &rights, err) && check_place(output->path, err);

	strbuf_printf(&old, "%s.old", output->path);
	if (done && rename(output->path, old.text) != 0 && errno != ENOENT)
		done = err_os(err, "keeping the older %s as %s", output->path, old.text);
	if (done && rename(output->temporary, output->path) != 0)
		done = err_os(err, "creating %s", output->path);
	become_root(&rights);
	strbuf_deinit(&old);
	if (done) {
		free(output->temporary);
		output->temporary = NULL;
	}
	return done;
}

void output_close(struct output *output)
{
	if (output->fd >= 0) {
		close(output->fd);
		if (output->temporary) {
			struct rights rights;

			if (become_caller(output->caller, &rights, NULL))
				unlink(output->temporary);
			become_root(&rights);
		}
	}
	free(output->temporary);
	*output = (struct output){ .fd = -1 };
}
