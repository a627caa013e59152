// SPDX-License-Identifier: Apache-2.0
// The root directories and mount namespaces of the recorded processes: paths in the kernel's
// records are paths there. What differs from the recorder's own is kept open, since it may end with
// the process; under sudo it is opened with the caller's rights.
#pragma once

#include "base/privilege.h"

#include <stdbool.h>
#include <stdint.h>

struct targetroots;

/** Which root a process has; larger numbers are roots that are kept. */
enum targetroot { TARGETROOT_UNKNOWN, TARGETROOT_OWN, TARGETROOT_OTHER };

/** @caller is borrowed. */
struct targetroots *targetroots_create(const struct caller *caller);

/** Accepts NULL. */
void targetroots_destroy(struct targetroots *roots);

/** The root of @pid now, or when it was last looked at if the process has ended. */
uint32_t targetroots_look(struct targetroots *roots, uint32_t pid);

/** @pid has been forked from @parent_pid, and begins with what that has. */
void targetroots_fork(struct targetroots *roots, uint32_t pid, uint32_t parent_pid);

/** How many roots there are; the last is one less. */
uint32_t targetroots_count(const struct targetroots *roots);

/**
 * A descriptor (O_PATH) of the file with this absolute path under @root. -1, errno set: EACCES
 * where the caller may not reach it.
 */
int targetroots_open(const struct targetroots *roots, uint32_t root, const char *path);
