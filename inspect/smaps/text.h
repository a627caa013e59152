// SPDX-License-Identifier: Apache-2.0
// The text of /proc/PID/smaps, or of several one after the other.
#pragma once

#include "base/err.h"
#include "base/lines.h"
#include "base/vec.h"
#include "model/smaps.h"

/** How long smaps and its lines may be. */
extern const struct lines_kind smaps_lines;

/** A mapping. Strings live in the arena. */
struct smaps_mapping {
	uint64_t start, end; // addresses
	uint64_t offset;     // in the file
	uint64_t inode;	     // 0: no file
	char protection[5];  // "r-xp"
	const char *path;    // "" of anonymous memory
	struct smaps_amounts amounts;
	struct smaps_page *pages; // see smaps/pages.h; NULL: unknown
};

/** Mappings between two headers "==> /proc/1234/smaps <==", or up to where addresses begin anew. */
struct smaps_space {
	uint32_t pid; // 0: unknown
	size_t first; // index of the first mapping
	size_t count;
};

struct smaps_text {
	struct arena arena;
	VEC(struct smaps_mapping) mappings;
	VEC(struct smaps_space) spaces;
};

/**
 * Add what @lines say. Every number is checked: none is more than its mapping has room for.
 *
 * @pid:  of the process it is of; 0: the text tells, or nobody knows
 * @err:  ERR_INPUT with the line, ERR_OS. What was added until then stays.
 */
bool smaps_text_add(struct smaps_text *into, struct lines *lines, uint32_t pid, struct err *err);

void smaps_text_deinit(struct smaps_text *text);
