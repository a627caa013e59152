// SPDX-License-Identifier: Apache-2.0
// Faults as marks on a grid: those that would lie on top of each other become one.
#pragma once

#include "model/model.h"
#include "render/picture/bands.h"
#include "render/picture/scale.h"

/** The faults of one cell of the grid. */
struct mark {
	unsigned x, y; // of the cell's corner, in units of the picture
	uint16_t band;
	uint8_t group; // that most of them are of
	uint32_t faults;
	uint32_t major;
	uint64_t groups[PALETTE_GROUPS];
	uint32_t named; // the first in time, of the major ones if any: index into model.faults
	uint64_t first_ns, last_ns;
	uint64_t own_ns;     // of those whose duration is known
	uint64_t start, end; // the range of offsets (vaddrs, addresses) that was touched, by band
};

/** A pass over marks, by band, from top to bottom, from left to right. */
struct marks {
	const struct model *model;
	const struct bands *bands;
	struct mark_key *keys;
	size_t next;
};

/**
 * Put the faults on a grid whose cells are @cell wide and high; only in bands less high than that
 * they are cut. @time: x of a fault; places are whole multiples of @cell from its start on. @bands
 * are placed. O(n log n). Release with marks_deinit().
 */
void marks_init(struct marks *marks, const struct model *model, const struct bands *bands,
		const struct scale *time, unsigned cell);
void marks_deinit(struct marks *marks);

/** The next cell that has faults; false at the end. */
bool marks_next(struct marks *marks, struct mark *ret_mark);
