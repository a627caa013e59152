// SPDX-License-Identifier: Apache-2.0
// Windows that appear on the X display, told by a process of their own: it has no privilege, and
// takes the time of each at once, whatever the recorder does.
#pragma once

#include "base/err.h"
#include "base/privilege.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** A window was mapped; the process whose it is, as the display's machine counts; 0: unknown. */
struct mapped_window {
	uint64_t time_ns;
	uint32_t pid;
	uint32_t id;
};

/** The process that tells of them, and those told that are not of a recorded process so far. */
struct window_watch {
	int fd; // -1: none
	pid_t teller;
	VEC(struct mapped_window) seen;
	bool is_gone; // the display went away: nothing more is told
};

/**
 * Connect to the display of the environment, as @caller.
 *
 * @err: ERR_UNSUPPORTED or ERR_DENIED, with the way out: no display, no libxcb, or not let in
 */
bool window_watch_open(struct window_watch *watch, const struct caller *caller, struct err *err);

/**
 * Take what was told. Returns whether a window is of one of the processes @pids: *@ret_window is
 * the first.
 */
bool window_watch_take(struct window_watch *watch, const struct u64map *pids,
		       struct mapped_window *ret_window);

void window_watch_close(struct window_watch *watch);
