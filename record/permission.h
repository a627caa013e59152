// SPDX-License-Identifier: Apache-2.0
// Whether the caller may look at a process: the recorder may have privilege that its caller has
// not.
#pragma once

#include "base/err.h"
#include "base/privilege.h"

#include <stddef.h>

/** The rights that a recording has: root's own, or its caller's however privileged it is itself. */
bool permission_is_root(const struct caller *caller, bool as_root);

/**
 * Ask the kernel whether @caller may trace every thread of @pid: same user and group, not setuid,
 * dumpable (ptrace(2), "Ptrace access mode checking", PTRACE_MODE_READ). A child that has given up
 * all privilege asks, since capabilities override the rules.
 *
 * @tids: threads that have ended meanwhile do not matter
 * @err:  ERR_DENIED with the way out; ERR_OS
 */
bool permission_to_trace(const struct caller *caller, bool as_root, pid_t pid, const pid_t *tids,
			 size_t tid_count, struct err *err);
