// SPDX-License-Identifier: Apache-2.0
// The y axis of a picture: sections of one file as bands in file order, then .bss and the like,
// then memory and files besides it as lanes. Every fault has a place in one of them.
#pragma once

#include "base/arena.h"
#include "base/range.h"
#include "model/model.h"
#include "render/palette.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum band_kind {
	BAND_FILE,   // range: file offsets
	BAND_MEMORY, // of the file, without bytes in it; range: vaddrs
	BAND_BESIDE, // anything else, page by page in the order of addresses
};

/** A horizontal band of the picture. */
struct band {
	enum band_kind kind;
	struct range range;   // not of BAND_BESIDE
	const char *label;    // a section's name, or what stands for several
	size_t section_count; // that it stands for
	bool is_loaded;	      // false: bytes that no PT_LOAD has
	uint64_t faults;
	uint64_t major;
	uint64_t own_ns; // in its faults, as far as it is known
	uint64_t pages;	 // distinct pages that faulted
	uint64_t groups[PALETTE_GROUPS];
	unsigned top, height; // in units of the picture, once placed
};

/** The place of one drawn fault. */
struct band_point {
	uint32_t fault; // index into model.faults
	uint16_t band;
	uint8_t group; // index into palette_groups()
	float at;      // 0 the band's upper end, below 1
};

struct bands {
	struct arena arena;
	struct band *items; // in the order of their kinds, then of their ranges
	size_t count;
	size_t file_count;	   // of them: BAND_FILE, the first ones
	size_t own_count;	   // of them: of the object, BAND_FILE and BAND_MEMORY
	struct band_point *points; // of all faults, in time order
	size_t point_count;
};

/**
 * Lay out the faults of @model around @object (MODEL_NONE: none, only lanes).
 *
 * @limit: how many bands of the object keep their own place; those with fewer faults are merged
 *         with their neighbours, as are all that have none.
 * O(n log n). Release with bands_deinit().
 */
void bands_init(struct bands *bands, const struct model *model, uint32_t object, enum palette_by by,
		size_t limit);
void bands_deinit(struct bands *bands);

/** How much room bands take, in units of the picture. */
struct band_room {
	unsigned total;	  // for all
	unsigned touched; // least of a band with faults
	unsigned cold;	  // least of one without
	unsigned beside;  // of each lane of BAND_BESIDE
	unsigned gap;	  // before the first lane of each other kind
};

/**
 * Set top and height of each band. The object's own share the room by bytes and, mostly, by pages
 * that faulted; where those are few in a large file, bytes alone would leave nothing to see.
 */
void bands_place(struct bands *bands, const struct band_room *room);
