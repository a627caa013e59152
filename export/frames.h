// SPDX-License-Identifier: Apache-2.0
// Call paths as other tools have them: a function whose body was put into another's is a frame too.
#pragma once

#include "base/strbuf.h"
#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/** A frame of a call path. Names are the model's. */
struct export_frame {
	const char *function; // NULL: code without a name
	const char *source;   // "file:line" of what ran in it; NULL: unknown
	uint32_t row;	      // into model.functions; MODEL_NONE: inlined, or no object is known
	uint32_t object;      // into model.objects; MODEL_NONE: no mapping known
	bool is_inlined;      // its body is in that of the next frame
	bool has_offset;
	uint64_t offset; // in the file
	uint64_t addr;	 // in the first process that had it
	uint64_t vaddr;	 // as the file writes it; without has_vaddr unknown
	bool has_vaddr;
	const void *place; // frames of one instruction share it; those inlined there, too
};

struct export_frames {
	VEC(struct export_frame) list; // innermost first
};

/**
 * The call path of @fault in @frames, instead of what was there: of its stack, or where it has
 * none, of the instruction alone. Empty where not even that is known.
 */
void export_frames_of(struct export_frames *frames, const struct model *model,
		      const struct model_fault *fault);

/**
 * Return a number that faults of one call path, as above, share with no others. 0: there is none.
 */
uint64_t export_path(const struct model *model, const struct model_fault *fault);
void export_frames_deinit(struct export_frames *frames);

/** Append the frame's name: its function, else "libfoo.so+0x1234", else its address. */
void export_frame_name(struct strbuf *buf, const struct model *model,
		       const struct export_frame *frame);
