// SPDX-License-Identifier: Apache-2.0
// By what faults are coloured, and the colours: one table for every picture, render/causes.def for
// initiators and model/words.def for the rest. They were chosen so that causes stay apart for
// protanopes, deuteranopes and tritanopes, and that each stands out 3:1 from its background. No
// colour ever stands alone: names stand beside them.
#pragma once

#include "model/model.h"

#include <stdbool.h>

/** Fields that decide the colour of a fault: the words of report --by, in their order. */
enum palette_by {
	PALETTE_INITIATOR,
	PALETTE_MECHANISM,
	PALETTE_ACCESS,
	PALETTE_KIND,
	PALETTE_BYS,
};

/** No word has more values. */
enum { PALETTE_GROUPS = MODEL_INITIATORS };

/** One value of such a word. */
struct palette_group {
	const char *name;   // the contract's word
	const char *light;  // "#rrggbb", on white
	const char *dark;   // on PALETTE_DARK
	unsigned char ansi; // of the 256 colours that terminals have
	char letter;	    // where there is no colour
};

/** Backgrounds that the colours are meant for. */
#define PALETTE_LIGHT "#ffffff"
#define PALETTE_DARK  "#16181d"

/** The values of @by, in the order of the model's enum. */
const struct palette_group *palette_groups(enum palette_by by, unsigned *ret_count);

/** The states of a thread, in the order of enum model_state. */
const struct palette_group *palette_states(unsigned *ret_count);

/** The value of @fault: an index into palette_groups(). */
unsigned palette_group_of(enum palette_by by, const struct model_fault *fault);

/** Black or white: which reads better on @color, at 4.5:1 or more. */
const char *palette_text_on(const char *color);

/** How well two colours of the form "#rrggbb" stand out from each other: 1 to 21, as WCAG counts.
 */
double palette_contrast(const char *a, const char *b);
