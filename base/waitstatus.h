// SPDX-License-Identifier: Apache-2.0
// The status of a process that has ended, as wait() gives it.
#pragma once

#include <sys/wait.h>

/** The exit status that a shell tells: 128 + n of signal n. */
static inline int waitstatus_shell(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
