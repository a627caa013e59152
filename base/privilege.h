// SPDX-License-Identifier: Apache-2.0
// The user that the recorder works for, and dropping privilege that it no longer needs.
#pragma once

#include "base/err.h"

#include <sys/types.h>

/** The user that the command, the output and the analysis belong to. */
struct caller {
	uid_t uid;
	gid_t gid;
	const char *name; // for initgroups(), NULL when not under sudo
	const char *home; // or NULL
	bool under_sudo;  // SUDO_UID named a user and we are root, really and effectively
};

/** Find the caller: SUDO_UID and SUDO_GID when root, else the real ids. Strings are static. */
struct caller caller_find(void);

/**
 * Become @caller in this process for good: ids and supplementary groups, checked afterwards. For a
 * command that runs as the caller: its setuid programs still work.
 */
bool privilege_become(const struct caller *caller, struct err *err);

/**
 * As privilege_become(), and set USER, LOGNAME and HOME, as far as they are known: for a command
 * that is executed next.
 */
bool privilege_run_as(const struct caller *caller, struct err *err);

/**
 * As privilege_become(), and give up every capability and every way to gain one (bounding set where
 * allowed, no_new_privs). For single-threaded processes; never before executing a user's command.
 */
bool privilege_drop(const struct caller *caller, struct err *err);

/**
 * Whether this process is in a user namespace other than the first, as unprivileged containers are:
 * its capabilities count there alone, and neither for BPF nor for perf events.
 */
bool privilege_is_contained(void);

/** How to get the machine's privilege: "run it with sudo", or out of the container. */
const char *privilege_way(void);

/** The place to change a setting of the machine: "", or "outside of the container: ". */
const char *privilege_place(void);
