// SPDX-License-Identifier: Apache-2.0
// From mappings to sections: a mapping's amounts go to the one section it holds, or to several as
// far as the page table shows which page has what.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "inspect/smaps/pages.h"
#include "inspect/smaps/text.h"

/** Part of a mapping that one name stands for. */
struct smaps_piece {
	uint64_t start, end; // addresses
	const char *name;    // ".text", "[padding]"; lives as long as the image
};

struct smaps_pieces {
	VEC(struct smaps_piece) list; // in order, end to end
};

struct smaps_image;

/**
 * Open the file that @mapping is of.
 *
 * @pid:      whose mapping it is, to look in its root; 0: unknown
 * @is_forced: take what is at the path even if it is another file
 * Returns: NULL with @err if there is none, it is another file now, or no ELF file.
 */
struct smaps_image *smaps_image_open(const struct smaps_mapping *mapping, uint32_t pid,
				     bool is_forced, uint64_t page_size, struct err *err);
void smaps_image_close(struct smaps_image *image);

/** A process begins: where the image was loaded is not known again. */
void smaps_image_restart(struct smaps_image *image);

/**
 * Add the pieces of @mapping, the next one of this file in order of addresses. Returns false if it
 * shows no segment (the file is mapped as data).
 */
bool smaps_image_file(struct smaps_image *image, const struct smaps_mapping *mapping,
		      struct smaps_pieces *ret_pieces);

/**
 * The same for memory that is not of the file but where a segment of the image is zero-filled. What
 * lies behind that is one piece with @rest as name.
 */
bool smaps_image_zeros(struct smaps_image *image, const struct smaps_mapping *mapping,
		       const char *rest, struct smaps_pieces *ret_pieces);

struct smaps_attribution;

struct smaps_attribution *smaps_attribution_create(const char *source, bool is_forced);
void smaps_attribution_destroy(struct smaps_attribution *attribution);

/** Notes for the answer. */
struct notes *smaps_attribution_notes(struct smaps_attribution *attribution);

/** Add the processes of @text. @err: ERR_INPUT: the sums are more than any machine has. */
bool smaps_attribution_add(struct smaps_attribution *attribution, const struct smaps_text *text,
			   struct err *err);

/** The answer; the attribution is of no further use. */
struct smaps_model *smaps_attribution_finish(struct smaps_attribution *attribution);
