// SPDX-License-Identifier: Apache-2.0
// The kind of bytes that a fault touched, as far as it shows the reason.
#pragma once

#include "correlate/replay/rows.h"

enum touch {
	TOUCH_OTHER,
	TOUCH_LOOKUP,	  // .gnu.hash, .hash, .dynsym, .gnu.version: read to look a name up
	TOUCH_NAMES,	  // .dynstr, .gnu.version_r, .gnu.version_d: read for that, and for loading
	TOUCH_RELOCATION, // .rela.dyn and the like
	TOUCH_PLT_RELOCATION, // DT_JMPREL
	TOUCH_SLOT,	      // a slot that relocation writes
	TOUCH_PLT_SLOT,	      // a JUMP_SLOT, which binding writes, too
	TOUCH_UNWIND,	      // .eh_frame_hdr, .eh_frame, .gcc_except_table
	TOUCH_TLS_IMAGE,      // .tdata's initial image
};

struct touches;

/** @sources: of the names of faults. All are borrowed. */
struct touches *touches_create(const struct objects *objects, const struct model_section *sections,
			       const struct row_source *sources);
void touches_destroy(struct touches *touches);

/** By relocation, section, table entry (files without sections have those, too) and PT_TLS. */
enum touch touches_of(struct touches *touches, const struct model_fault *fault);
