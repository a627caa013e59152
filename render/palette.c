// SPDX-License-Identifier: Apache-2.0
#include "render/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Found by search: any two of the first seven are at least 0.1 apart in OKLab, any two at all 0.05,
// as seen by people with each kind of colour vision; tests/unit/test_palette.c checks it. Words of
// fewer values take theirs from the same table.
#define RED   "#ae2000", "#ff3f00", 166
#define AMBER "#a67e05", "#ffad20", 178
#define NAVY  "#123881", "#9490ff", 69
#define TEAL  "#348189", "#169f63", 36
#define SKY   "#3694fe", "#6ecfff", 39
#define PINK  "#e348ca", "#c283b1", 170
#define INK   "#57545a", "#b7bcaa", 246
#define GREY  "#869893", "#64656b", 242

static const struct palette_group initiators[MODEL_INITIATORS] = {
	[MODEL_EXEC] = { "exec", INK, 'x' },
	[MODEL_LOADER] = { "loader", SKY, 'l' },
	[MODEL_SYMBOL_LOOKUP] = { "symbol-lookup", AMBER, 's' },
	[MODEL_RELOCATION] = { "relocation", RED, 'R' },
	[MODEL_IFUNC] = { "ifunc", "#70614c", "#e7d090", 137, 'f' },
	[MODEL_TLS_SETUP] = { "tls-setup", "#ad9310", "#c2ff90", 148, 't' },
	[MODEL_LAZY_BINDING] = { "lazy-binding", PINK, 'b' },
	[MODEL_STATIC_INIT] = { "static-init", NAVY, 'I' },
	[MODEL_STATIC_FINI] = { "static-fini", "#4900f8", "#a650f0", 129, 'F' },
	[MODEL_UNWIND] = { "unwind", "#976900", "#ffff37", 142, 'u' },
	[MODEL_STARTUP] = { "startup", "#3b9a6c", "#5cffe4", 79, 'p' },
	[MODEL_PROGRAM] = { "program", TEAL, 'P' },
	[MODEL_INITIATOR_UNKNOWN] = { "unknown", GREY, '?' },
};

static const struct palette_group mechanisms[MODEL_MECHANISMS] = {
	[MODEL_FILE_MAP] = { "file-map", SKY, 'm' },
	[MODEL_PRIVATE_WRITE] = { "private-write", RED, 'W' },
	[MODEL_COW_BREAK] = { "cow-break", AMBER, 'c' },
	[MODEL_ZERO_FILL] = { "zero-fill", TEAL, 'z' },
	[MODEL_FORK_COW] = { "fork-cow", PINK, 'k' },
	[MODEL_MECHANISM_OTHER] = { "other", INK, 'o' },
};

static const struct palette_group accesses[MODEL_ACCESSES] = {
	[MODEL_ACCESS_READ] = { "read", SKY, 'r' },
	[MODEL_ACCESS_WRITE] = { "write", RED, 'w' },
	[MODEL_ACCESS_EXEC] = { "exec", TEAL, 'x' },
	[MODEL_ACCESS_UNKNOWN] = { "unknown", GREY, '?' },
};

static const struct palette_group kinds[MODEL_KINDS] = {
	[MODEL_MINOR] = { "minor", SKY, 'm' },
	[MODEL_MAJOR] = { "major", RED, 'M' },
};

static const struct {
	const char *name;
	const struct palette_group *groups;
	unsigned count;
} words[PALETTE_BYS] = {
	[PALETTE_INITIATOR] = { "initiator", initiators, MODEL_INITIATORS },
	[PALETTE_MECHANISM] = { "mechanism", mechanisms, MODEL_MECHANISMS },
	[PALETTE_ACCESS] = { "access", accesses, MODEL_ACCESSES },
	[PALETTE_KIND] = { "kind", kinds, MODEL_KINDS },
};

bool palette_by_parse(const char *word, enum palette_by *ret_by)
{
	for (unsigned i = 0; i < PALETTE_BYS; i++) {
		if (strcmp(word, words[i].name) != 0)
			continue;
		*ret_by = (enum palette_by)i;
		return true;
	}
	return false;
}

const char *palette_by_name(enum palette_by by)
{
	return words[by].name;
}

const struct palette_group *palette_groups(enum palette_by by, unsigned *ret_count)
{
	*ret_count = words[by].count;
	return words[by].groups;
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
