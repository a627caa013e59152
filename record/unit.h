// SPDX-License-Identifier: Apache-2.0
// A service of systemd's that is recorded from its start, which its manager is asked for.
#pragma once

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Zero-initialise; release with unit_close(). */
struct unit {
	char *name;	// as the manager has it: with its suffix; NULL: none
	char *cgroup;	// in which its processes will be, as /proc/PID/cgroup has it
	char *folder;	// of that cgroup, where unit_find() has made it; NULL: it was there
	bool was_asked; // the manager was asked to start it
	pid_t starter;	// the process that asks; 0: none, or it has been answered
	int answer_fd;	// what it is answered
	int status;	// its exit status: 0 unless the unit could not be started
};

/**
 * Find the service @name, which does not run, and make its cgroup.
 *
 * @mask: the signal mask of processes that are started for it
 * @err:  ERR_INPUT: no such service, or it runs; ERR_UNSUPPORTED: no manager answers
 */
bool unit_find(const char *name, const sigset_t *mask, struct unit *unit, struct err *err);

/** Ask the manager to start it, and wait for nothing. */
bool unit_start(struct unit *unit, const sigset_t *mask, struct err *err);

/** Take the manager's answer. Returns whether it has started the unit: *@ret_ns when. */
bool unit_take(struct unit *unit, uint64_t *ret_ns);

/** Have the manager stop it. Returns whether it did. */
bool unit_stop(struct unit *unit, const sigset_t *mask);

/** Ask no more; the manager goes on with what it was asked for. */
void unit_close(struct unit *unit);
