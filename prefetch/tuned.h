// SPDX-License-Identifier: Apache-2.0
// The start of a program that `elfault tune` has prepared: a copy of elfault-prefetch in the
// folder of what was prepared. docs/tune.md describes the folder. Needs nothing but libc.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUNED_START    "run" // the launcher, in the folder
#define TUNED_SETTINGS "settings"
#define TUNED_LIBRARIES \
	"lib" // and the same with a 2 behind it: one is made while the other is used
#define TUNED_LIST    "list"
#define TUNED_REFRESH "refresh"	       // begins the line with the program that tunes again
#define TUNED_FIRST   "elfault tune 1" // line of the settings

enum { TUNED_SETTINGS_MAX = 1 << 20 };

/** A file as it was when the start was prepared. */
struct tuned_stamp {
	uint64_t size;
	int64_t mtime_s, ctime_s; // contents, and anything of its inode, changed last
	uint32_t mtime_ns, ctime_ns;
	const char *build_id; // its digits, then a blank; NULL: it has none
};

/**
 * Read "SIZE SECONDS.NANOSECONDS SECONDS.NANOSECONDS BUILD-ID|- " before a path: of contents, then
 * of the inode. Returns: the path in @text, which @ret_stamp points into as
 * well; NULL: it is not so.
 */
char *tuned_read_stamp(char *text, struct tuned_stamp *ret_stamp);

/**
 * True if the file at @path is the one that had @stamp: its inode was not touched since, or it has
 * the same build-id, whatever its time, as after the same package was installed again. Without a
 * build-id size and time of its contents tell.
 */
bool tuned_is_same(const char *path, const struct tuned_stamp *stamp);

/**
 * Find the folder that this program is in, if it is called as the launcher of one is.
 *
 * @ret_folder: of PATH_MAX bytes
 */
bool tuned_find_folder(char *ret_folder);

/**
 * Execute the program of @folder with @arguments behind its name: with the stand-ins and the list
 * of the folder where these belong to the caller and nothing that they were made of has changed,
 * else plainly, which is said. Returns: only if it cannot be executed: 127 or 126.
 */
int tuned_start(const char *folder, char *const *arguments);

/**
 * Find why tuned_start() would start the program of @folder plainly: as it stands in its message,
 * in @text of @size bytes. Returns: NULL: it would not.
 */
const char *tuned_find_reason(const char *folder, char *text, size_t size);
