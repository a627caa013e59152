// SPDX-License-Identifier: Apache-2.0
// The content of a picture of faults, whatever it is drawn with: its object, its bands, its pages,
// the phases of its process, and the facts that stand beside them.
#pragma once

#include "base/arena.h"
#include "derive/cuts.h"
#include "render/picture/bands.h"
#include "derive/pages.h"
#include "render/palette.h"
#include "derive/phases.h"
#include "render/render.h"
#include "render/picture/scale.h"

/** All that is drawn. */
struct picture {
	const struct model *model;
	struct arena arena;
	enum palette_by by;
	const struct palette_group *groups;
	unsigned group_count;
	uint32_t object;  // MODEL_NONE: no fault at all
	const char *name; // of the object: its file name, or its path where that was asked for
	const char *command;
	struct bands bands;
	struct range time;	      // of the command: what the time axis shows
	struct cuts cuts;	      // what it leaves out
	const struct scale_gap *gaps; // the same, for scales
	bool has_pages;		      // the object is a file
	struct pages pages;
	struct phases phases;
	bool is_by_time;		  // weighed by the time in faults, and not by their number
	uint64_t weights[PALETTE_GROUPS]; // of the object's faults, by group
	uint64_t weight;		  // all of them
	unsigned order[PALETTE_GROUPS];	  // groups that have any, most weight first
	unsigned used;			  // how many these are
};

/**
 * Gather what shows the faults of @options->object. @limit: see bands_init(). Release with
 * picture_deinit().
 */
void picture_init(struct picture *picture, const struct model *model,
		  const struct render_picture_options *options, size_t limit);
void picture_deinit(struct picture *picture);

/** "2,674 of 4,017 faults (66.6%): 2,668 minor, 6 major; 28.8 ms in them". */
const char *picture_counts(struct picture *picture, const struct terminal *terminal);

/**
 * "relocation caused 75.8% of them; 70.8% lie in .data.rel.ro", or where storage is waited for
 * "static-init took 69.8% of their time; 61.2% in .text"; NULL without faults.
 */
const char *picture_headline(struct picture *picture);

/** "2,040", or where time is weighed "39.1 ms". */
const char *picture_weight(struct picture *picture, const struct terminal *terminal,
			   uint64_t weight);

/** The band of the object that weighs most, NULL if none has a fault. */
const struct band *picture_hottest(const struct picture *picture);

/**
 * Find what the time axis of @model leaves out, the same in every picture and at every width:
 * derive/cuts.h; where it is not known when threads wait, stretches without a fault under way, as
 * "no faults". In @arena.
 */
struct cuts picture_cuts(struct arena *arena, const struct model *model);

/** "300.0 ms left out: poll". In @arena. */
const char *picture_cut_text(struct arena *arena, const struct terminal *terminal,
			     const struct cut *cut);

/**
 * Return what is missing, what was left out and the first notes, a line each: *@ret_count of them.
 * The first
 * *@ret_alerts say that the picture is not what it should be.
 */
const char *const *picture_notes(struct picture *picture, size_t *ret_count, size_t *ret_alerts);
