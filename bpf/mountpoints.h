// SPDX-License-Identifier: Apache-2.0
// Mount points, to turn a path from a file system's root into a full one.
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct mountpoint {
	uint64_t device;
	const char *root;  // what of the file system is mounted there
	const char *place; // where
};

/** Zero-initialise; release with mountpoints_deinit(). */
struct mountpoints {
	struct arena arena;
	VEC(struct mountpoint) list; // in the kernel's order
};

/** Read /proc/self/mountinfo anew; none where it cannot be read. */
void mountpoints_read(struct mountpoints *mountpoints);

/** Add the mounts that @line of mountinfo tells of, if it is well formed; changes @line. */
void mountpoints_add(struct mountpoints *mountpoints, char *line);

/**
 * Put the path of @inner, which begins at the root of the file system on @device, into @path.
 * Returns: false if nothing of it that holds @inner is mounted; then @path is as it was.
 */
bool mountpoints_path(const struct mountpoints *mountpoints, uint64_t device, const char *inner,
		      struct strbuf *path);

void mountpoints_deinit(struct mountpoints *mountpoints);
