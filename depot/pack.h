// SPDX-License-Identifier: Apache-2.0
// A trace and what is needed of the files that it names, in one file: docs/inside/pack-format.md.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/packheader.h"
#include "base/range.h"
#include "base/vec.h"
#include "depot/depot.h"

#include <stdint.h>
#include <stdio.h>

// ---- Reading --------------------------------------------------------------------------------

struct pack;

/** Whether the file at @path begins as a pack does. */
bool pack_is_at(const char *path);

/**
 * Open the pack at @path. Every number and hash of it is checked before anything is believed; what
 * is wrong where is in @err.
 */
bool pack_open(const char *path, struct pack **ret_pack, struct err *err);

/** Accepts NULL. */
void pack_close(struct pack *pack);
CLEANUP_POINTER(pack_close, struct pack)

/**
 * Find the packed content of the file with this path; false if there is none. Ranges are the
 * pack's.
 */
bool pack_find(struct pack *pack, const char *path, struct depot_file *ret_found);

/** The same of the entry with this number, as depot_file.debug has it. */
bool pack_get(struct pack *pack, uint32_t entry, struct depot_file *ret_found);

/** Turn an entry of a pack's table to this machine's byte order, or back. */
void pack_swap_entry(struct pack_entry *entry);

// ---- Writing --------------------------------------------------------------------------------

/** A file, and which parts of it are wanted. */
struct pack_item {
	const char *path;
	struct stat status;
	int fd; // owned; -1: nothing of it
	const uint8_t *build_id;
	uint32_t build_id_size;
	const struct range *ranges; // sorted, not touching each other
	size_t range_count;
	uint32_t debug, shared; // as in struct pack_entry
};

struct pack_list {
	struct arena arena; // of what the items refer to
	VEC(struct pack_item) items;
	bool is_whole;		// files are packed whole
	size_t absent, changed; // files that are not here; that are, but not the recorded ones
};

void pack_list_deinit(struct pack_list *list);

/**
 * Add @item, whose strings and ranges are copied and whose descriptor is duplicated; of a path that
 * is there already, nothing. Returns index + 1 of the path's item.
 */
uint32_t pack_list_add(struct pack_list *list, const struct pack_item *item);

/**
 * Write a pack to @out, which is empty and can be positioned.
 * @name: the trace's; @trace: read from its beginning
 */
bool pack_write(FILE *out, const char *name, int trace, const struct pack_list *list,
		struct err *err);
