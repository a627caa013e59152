// SPDX-License-Identifier: Apache-2.0
// Acting as the caller for a while, where the recorder is still root.
#pragma once

#include "base/err.h"
#include "base/privilege.h"

/** The groups of root, to come back to. */
struct rights {
	gid_t *groups;
	int group_count;
	bool changed;
};

/**
 * Under sudo take the caller's ids. Whatever it returns, and whether or not there was anything to
 * give up, rights_become_root() has to follow. @err: may be NULL.
 */
bool rights_become_caller(const struct caller *caller, struct rights *rights, struct err *err);

/** Back to root. Keeps errno. */
void rights_become_root(struct rights *rights);

/** open() with the caller's rights; -1 where it fails. */
int rights_open(const struct caller *caller, const char *path, int flags);
