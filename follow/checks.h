// SPDX-License-Identifier: Apache-2.0
// What cannot be followed, or runs otherwise than alone, and why.
#pragma once

#include "base/err.h"
#include "base/notes.h"

#include <stdbool.h>
#include <sys/types.h>

/** Whether the program that @pid has begun can be followed; if not, and if it is setuid, say so. */
bool entrychecks_program(pid_t pid, struct notes *notes);

/** Why @pid, a child of ours, may not be traced; errno is what ptrace said. Returns false. */
bool entrychecks_denied(pid_t pid, struct err *err);
