// SPDX-License-Identifier: Apache-2.0
#include "render/palette.h"

#include "model/account.h"
#include "model/words.def"

#include <math.h>
#include <stdlib.h>

#define COLOR(name, light, dark, ansi, ...)                             \
	static const char name##_light[] = light, name##_dark[] = dark; \
	enum { name##_ANSI = ansi };

RANKED_COLORS(COLOR)

// Rare initiators have these in terminals alone.
#define ANSI(name, light, dark, ansi, ...) name##_ANSI = (ansi),
enum { RARE_COLORS(ANSI) };

#define CAUSE(id, group, light, dark) \
	static const char cause_##id##_light[] = light, cause_##id##_dark[] = dark;
#include "render/causes.def"
#define INITIATOR(id, word, meaning, color, letter, ...) \
	[MODEL_##id] = { word, cause_##id##_light, cause_##id##_dark, color##_ANSI, letter },

#define GROUP(id, word, meaning, color, letter, ...) \
	[MODEL_##id] = { word, color##_light, color##_dark, color##_ANSI, letter },

static const struct palette_group initiators[] = { INITIATOR_WORDS(INITIATOR) };
static const struct palette_group mechanisms[] = { MECHANISM_WORDS(GROUP) };
static const struct palette_group accesses[] = { ACCESS_WORDS(GROUP) };
static const struct palette_group kinds[] = { KIND_WORDS(GROUP) };
static const struct palette_group states[] = { STATE_WORDS(GROUP) };

static const struct {
	const struct palette_group *groups;
	unsigned count;
} words[PALETTE_BYS] = {
	[PALETTE_INITIATOR] = { initiators, MODEL_INITIATORS },
	[PALETTE_MECHANISM] = { mechanisms, MODEL_MECHANISMS },
	[PALETTE_ACCESS] = { accesses, MODEL_ACCESSES },
	[PALETTE_KIND] = { kinds, MODEL_KINDS },
};

const struct palette_group *palette_groups(enum palette_by by, unsigned *ret_count)
{
	*ret_count = words[by].count;
	return words[by].groups;
}

const struct palette_group *palette_states(unsigned *ret_count)
{
	*ret_count = sizeof(states) / sizeof(states[0]);
	return states;
}

unsigned palette_group_of(enum palette_by by, const struct model_fault *fault)
{
	switch (by) {
	case PALETTE_MECHANISM:
		return fault->mechanism;
	case PALETTE_ACCESS:
		return fault->access;
	case PALETTE_KIND:
		return fault->kind;
	case PALETTE_INITIATOR:
	case PALETTE_BYS:
		break;
	}
	return fault->initiator;
}

static double luminance(const char *color)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	unsigned long bytes = strtoul(color + 1, NULL, 16);
	double sum = 0;

	for (unsigned i = 0; i < 3; i++) {
		double part = (double)(bytes >> (16 - 8 * i) & 0xff) / 255;

		sum += weights[i] *
		       (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

double palette_contrast(const char *a, const char *b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

const char *palette_text_on(const char *color)
{
	static const char black[] = "#000000", white[] = "#ffffff";

	return palette_contrast(color, white) >= palette_contrast(color, black) ? white : black;
}
