// SPDX-License-Identifier: Apache-2.0
#include "record/files/rights.h"

#include "base/arena.h"

#include <fcntl.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

bool rights_become_caller(const struct caller *caller, struct rights *rights, struct err *err)
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
		return err_os(err, "setting the groups of user %d", (int)caller->uid);
	if (setegid(caller->gid) != 0 || seteuid(caller->uid) != 0)
		return err_os(err, "acting as user %d", (int)caller->uid);
	return true;
}

void rights_become_root(struct rights *rights)
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

int rights_open(const struct caller *caller, const char *path, int flags)
{
	struct rights rights;
	int fd = -1;

	if (rights_become_caller(caller, &rights, NULL))
		fd = open(path, flags);
	rights_become_root(&rights);
	return fd;
}
