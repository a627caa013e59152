// SPDX-License-Identifier: Apache-2.0
// The start of a program that `elfault tune` has prepared: a copy of elfault-prefetch in the
// folder of what was prepared. docs/tune.md describes the folder. Needs nothing but libc.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define TUNED_START	"run" // the launcher, in the folder
#define TUNED_SETTINGS	"settings"
#define TUNED_LIBRARIES "lib"
#define TUNED_LIST	"list"
#define TUNED_FIRST	"elfault tune 1" // line of the settings

enum { TUNED_SETTINGS_MAX = 1 << 20 };

/** A file as it was when the start was prepared. */
struct tuned_stamp {
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns;
};

/** True if the file of @status is the one that had @stamp. */
static inline bool tuned_is_same(const struct stat *status, const struct tuned_stamp *stamp)
{
	return (uint64_t)status->st_size == stamp->size &&
	       status->st_mtim.tv_sec == stamp->mtime_s &&
	       status->st_mtim.tv_nsec == (long)stamp->mtime_ns;
}

/** Read "SIZE SECONDS.NANOSECONDS " before a path. Returns: the path in @text; NULL: it is not so.
 */
char *tuned_read_stamp(char *text, struct tuned_stamp *ret_stamp);

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
