// SPDX-License-Identifier: Apache-2.0
// Sources of the files that a trace names: the pack that the trace is in, the folders of --sysroot,
// then, if there is no pack, this machine and debuginfod servers. What is found at a path is a
// candidate; its reader sees whether it is the file that is wanted.
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "base/range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/** The places. NULL stands for this machine alone. */
struct depot;

/** The file at a path of one place. */
struct depot_file {
	int fd; // for reading, of a regular file, the caller's to close; -1: see problem
	struct stat status;
	const char *place;   // the path to it, for messages; owned by files, or the path asked for
	bool is_here;	     // on this machine, at the path asked for
	const char *problem; // why it cannot be read; NULL: it can
	int os_errno;	     // of the problem; 0: it is no regular file
	// Of a pack: the parts of the file that are there, and the numbers of the entries, plus
	// one, of its debug file and of the file with a part of its DWARF. Valid as long as the
	// pack.
	bool is_packed;
	const struct range *known;
	size_t known_count;
	uint32_t debug, shared;
};

/** Cleanup of the descriptor. */
static inline void depot_file_deinit(struct depot_file *found)
{
	fd_close(&found->fd);
}

struct depot *depot_create(void);
/** Accepts NULL. */
void depot_destroy(struct depot *depot);

/** Look below the folder @path as well, after those that were added before. Borrowed. */
void depot_add_sysroot(struct depot *depot, const char *path);

/**
 * Open the folders, once, with the rights of this moment. @err: which cannot be opened. To be
 * called before anything is looked for.
 */
bool depot_start(struct depot *depot, struct err *err);

struct pack;

/**
 * From now on look into @pack first, which passes to @depot, and no longer on this machine: the
 * answer to a pack is the same everywhere. NULL: there is none.
 */
void depot_set_pack(struct depot *depot, struct pack *pack);

/** Open the entry of the pack that depot_file.debug or .shared names. False: nothing. */
bool depot_open_packed(struct depot *depot, uint32_t entry, struct depot_file *ret_found);

enum depot_kind {
	DEPOT_EXECUTABLE, // the file itself
	DEPOT_DEBUG,	  // its separate debug file
};

/** A file that is known by its build-id. */
struct depot_wish {
	enum depot_kind kind;
	const uint8_t *build_id;
	size_t build_id_size;
	const char *name; // what it belongs to, for messages
};

/** Show on @out, a terminal, how downloads go on. */
void depot_show_progress(struct depot *depot, FILE *out);

/**
 * Ask the servers that the user has named in DEBUGINFOD_URLS, if there is no pack. Its place is a
 * path in the user's cache.
 * @err: a message that was not given before, or none
 */
bool depot_fetch(struct depot *depot, const struct depot_wish *wish, struct depot_file *ret_found,
		 struct err *err);

/** Whether there is any place but this machine. */
bool depot_has_others(const struct depot *depot);

/**
 * Find the file at @path in the next place, from place *@place on, which begins at 0 and is counted
 * on. Links below a sysroot lead nowhere outside it, absolute ones included. Neither a FIFO nor a
 * device is opened.
 *
 * Returns: false when there is no other place that has anything there.
 */
bool depot_next(struct depot *depot, const char *path, size_t *place, struct depot_file *ret_found);

/** The same of this machine alone. False if there is nothing at @path. */
bool depot_open_here(const char *path, struct depot_file *ret_found);
