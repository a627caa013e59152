// SPDX-License-Identifier: Apache-2.0
// Where perf script's frames are. Newer ones print those of files as offsets in the file, older
// ones as addresses; the file's name is behind them.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "import/imported.h"

#include <stdbool.h>
#include <stdint.h>

/** A file's mapping in one address space; earlier ones of the same file in it are chained. */
struct perfspace_mapping {
	uint64_t addr, size, offset;
	const char *path; // interned
	uint32_t space;
	uint32_t next; // index + 1
	bool is_code;
};

/** From an exec, or a fork, to the next exec. */
struct perfspace {
	uint32_t parent; // index + 1 of the space that it was copied of; 0: none
	uint32_t known;	 // mappings of all spaces when it was
};

/** Zero-initialise; release with perfspaces_deinit(). */
struct perfspaces {
	struct u64map by_pid;  // -> index + 1 of its space
	struct u64map by_path; // hash of space and path -> index + 1 of the newest mapping
	VEC(struct perfspace) list;
	VEC(struct perfspace_mapping) mappings;
	bool has_offsets, has_addresses; // which of the two the frames are, once one tells
	uint64_t ambiguous;		 // frames that might be either
};

void perfspaces_map(struct perfspaces *spaces, const struct trace_mapping *mapping);
void perfspaces_exec(struct perfspaces *spaces, uint32_t pid);
void perfspaces_fork(struct perfspaces *spaces, uint32_t parent, uint32_t pid);

/**
 * The address of a frame of process @pid. @path: of the file as perf script prints it, interned.
 * False if no mapping of that file explains it, or two ways of reading it do.
 */
bool perfspaces_find(struct perfspaces *spaces, uint32_t pid, const char *path, uint64_t value,
		     uint64_t *ret_addr);

void perfspaces_deinit(struct perfspaces *spaces);
