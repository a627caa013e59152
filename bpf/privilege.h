// SPDX-License-Identifier: Apache-2.0
// Who the recorder works for, and giving up what it no longer needs.
#pragma once

#include "base/err.h"

#include <sys/types.h>

/** The user that the command, the output and the analysis belong to. */
struct caller {
	uid_t uid;
	gid_t gid;
	const char *name; // for initgroups(), NULL when not under sudo
	const char *home; // or NULL
	bool under_sudo;  // SUDO_UID named a user and we are root
};

/** Who called: SUDO_UID and SUDO_GID when root, else the real ids. Strings are static. */
struct caller caller_find(void);

/** Become @caller in this process for good: ids, groups, and an empty capability set. */
bool privilege_drop(const struct caller *caller, struct err *err);
