// SPDX-License-Identifier: Apache-2.0
// Comparison of a file of today with the one that was recorded.
#pragma once

#include "correlate/replay/objects.h"

/** A difference, in words: "its WHAT is FOUND, but RECORDED was recorded". */
struct identity_difference {
	const char *what; // "build-id", "size" ...
	char recorded[2 * ELFMAP_BUILD_ID_MAX + 1];
	char found[2 * ELFMAP_BUILD_ID_MAX + 1]; // empty: none
};

/**
 * Compare @map's file with the recorded one: by build-id; where that was not
 * recorded by size, modification time, and hash of the first and last pages. In an older trace,
 * which has none of these, nothing differs.
 * @ret_moved: all of this agrees, but there is no build-id and the inode is another
 */
bool identity_differs(const struct object *object, const struct elfmap *map,
		      struct identity_difference *ret_difference, bool *ret_moved);

/** True if a build-id was recorded, and the file has another or none. */
bool identity_other_build_id(const struct object *object, const struct elfmap_info *info,
			     struct identity_difference *ret_difference);
