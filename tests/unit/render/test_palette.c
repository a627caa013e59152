// SPDX-License-Identifier: Apache-2.0
// Colours that hold: against their background, and from each other for every kind of colour vision.
#include "render/palette.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

/** Seen by everyone, by protanopes, deuteranopes, tritanopes: Machado, Oliveira, Fernandes 2009. */
static const double visions[][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 },
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

static void multiply(const double matrix[3][3], const double in[3], double ret_out[3])
{
	for (unsigned i = 0; i < 3; i++)
		ret_out[i] = matrix[i][0] * in[0] + matrix[i][1] * in[1] + matrix[i][2] * in[2];
}

static void linearize(const char *color, double ret_linear[3])
{
	unsigned long bytes = strtoul(color + 1, NULL, 16);

	for (unsigned i = 0; i < 3; i++) {
		double part = (double)(bytes >> (16 - 8 * i) & 0xff) / 255;

		ret_linear[i] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
	}
}

/** OKLab of @color as a vision sees it. */
static void see(const char *color, const double vision[3][3], double ret_lab[3])
{
	static const double to_lms[3][3] = { { 0.4122214708, 0.5363325363, 0.0514459929 },
					     { 0.2119034982, 0.6806995451, 0.1073969566 },
					     { 0.0883024619, 0.2817188376, 0.6299787005 } };
	static const double to_lab[3][3] = { { 0.2104542553, 0.7936177850, -0.0040720468 },
					     { 1.9779984951, -2.4285922050, 0.4505937099 },
					     { 0.0259040371, 0.7827717662, -0.8086757660 } };
	double linear[3], seen[3], lms[3];

	linearize(color, linear);
	multiply(vision, linear, seen);
	for (unsigned i = 0; i < 3; i++)
		seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
	multiply(to_lms, seen, lms);
	for (unsigned i = 0; i < 3; i++)
		lms[i] = cbrt(lms[i]);
	multiply(to_lab, lms, ret_lab);
}

/** How far apart two colours are for whom they are least. */
static double distance(const char *a, const char *b)
{
	double least = 10;

	for (unsigned i = 0; i < sizeof(visions) / sizeof(visions[0]); i++) {
		double x[3], y[3];

		see(a, visions[i], x);
		see(b, visions[i], y);
		double apart =
			sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));

		least = apart < least ? apart : least;
	}
	return least;
}

/** CIELAB of @color, D65, as a vision sees it. */
static void see_lab(const char *color, const double vision[3][3], double ret_lab[3])
{
	static const double to_xyz[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
					     { 0.2126729, 0.7151522, 0.0721750 },
					     { 0.0193339, 0.1191920, 0.9503041 } };
	static const double white[] = { 0.95047, 1, 1.08883 };
	double linear[3], seen[3], xyz[3];

	linearize(color, linear);
	multiply(vision, linear, seen);
	for (unsigned i = 0; i < 3; i++)
		seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
	multiply(to_xyz, seen, xyz);
	for (unsigned i = 0; i < 3; i++) {
		const double part = xyz[i] / white[i];

		xyz[i] = part > 216.0 / 24389 ? cbrt(part) : (24389.0 / 27 * part + 16) / 116;
	}
	ret_lab[0] = 116 * xyz[1] - 16;
	ret_lab[1] = 500 * (xyz[0] - xyz[1]);
	ret_lab[2] = 200 * (xyz[1] - xyz[2]);
}

static double degrees(double a, double b)
{
	const double hue = atan2(b, a) * 180 / M_PI;

	return a == 0 && b == 0 ? 0 : hue < 0 ? hue + 360 : hue;
}

static double sine(double angle)
{
	return sin(angle * M_PI / 180);
}

static double cosine(double angle)
{
	return cos(angle * M_PI / 180);
}

/** CIEDE2000: Sharma, Wu, Dalal 2005, whose numbers of equations are given. */
static double ciede2000(const double x[3], const double y[3])
{
	const double power = pow(25, 7);
	const double c7 = pow((hypot(x[1], x[2]) + hypot(y[1], y[2])) / 2, 7);
	const double g = 1.5 - 0.5 * sqrt(c7 / (c7 + power)); // (4)
	const double c1 = hypot(g * x[1], x[2]), c2 = hypot(g * y[1], y[2]);
	const double h1 = degrees(g * x[1], x[2]), h2 = degrees(g * y[1], y[2]);
	double turn = c1 * c2 == 0 ? 0 : h2 - h1; // (10)

	turn += turn > 180 ? -360 : turn < -180 ? 360 : 0;
	const double lightness = y[0] - x[0], chroma = c2 - c1;
	const double hue = 2 * sqrt(c1 * c2) * sine(turn / 2); // (11)
	double mean_h = h1 + h2;			       // (14)

	if (c1 * c2 != 0)
		mean_h = fabs(h1 - h2) <= 180 ? mean_h / 2
			 : mean_h < 360	      ? (mean_h + 360) / 2
					      : (mean_h - 360) / 2;
	const double mean_c = (c1 + c2) / 2, off = pow((x[0] + y[0]) / 2 - 50, 2);
	const double t = 1 - 0.17 * cosine(mean_h - 30) + 0.24 * cosine(2 * mean_h) +
			 0.32 * cosine(3 * mean_h + 6) - 0.2 * cosine(4 * mean_h - 63); // (15)
	const double mean_c7 = pow(mean_c, 7);
	const double rotation = -2 * sqrt(mean_c7 / (mean_c7 + power)) *
				sine(60 * exp(-pow((mean_h - 275) / 25, 2))); // (21)
	const double by_l = lightness / (1 + 0.015 * off / sqrt(20 + off));
	const double by_c = chroma / (1 + 0.045 * mean_c), by_h = hue / (1 + 0.015 * mean_c * t);

	return sqrt(by_l * by_l + by_c * by_c + by_h * by_h + rotation * by_c * by_h);
}

TEST(the_difference_is_that_of_the_standard)
{
	// Pairs 1, 9, 17, 20, 25, 32 of Sharma, Wu, Dalal 2005, table 1.
	static const struct {
		double x[3], y[3], apart;
	} pairs[] = {
		{ { 50, 2.6772, -79.7751 }, { 50, 0, -82.7485 }, 2.0425 },
		{ { 50, 2.49, -0.001 }, { 50, -2.49, 0.0009 }, 7.1792 },
		{ { 50, 2.5, 0 }, { 73, 25, -18 }, 27.1492 },
		{ { 50, 2.5, 0 }, { 58, 24, 15 }, 19.4535 },
		{ { 60.2574, -34.0099, 36.2677 }, { 60.4626, -34.1751, 39.4387 }, 1.2644 },
		{ { 90.9257, -0.5406, -0.9208 }, { 88.6381, -0.8985, -0.7239 }, 1.5381 },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (fabs(ciede2000(pairs[i].x, pairs[i].y) - pairs[i].apart) > 0.0001)
			fail_msg("pair %zu: %.4f", i, ciede2000(pairs[i].x, pairs[i].y));
}

/** CIEDE2000 of two colours for whom they are least apart. */
static double apart(const char *a, const char *b)
{
	double least = 1000;

	for (unsigned i = 0; i < sizeof(visions) / sizeof(visions[0]); i++) {
		double x[3], y[3];

		see_lab(a, visions[i], x);
		see_lab(b, visions[i], y);
		const double difference = ciede2000(x, y);

		least = difference < least ? difference : least;
	}
	return least;
}

enum causes { LOADING, LOOKUP, RELOCATION, BINDING, INITIALIZING, PROGRAM, UNKNOWN };

static const enum causes causes[] = {
#define CAUSE(id, group, light, dark) [MODEL_##id] = group,
#include "render/causes.def"
};

TEST(groups_of_causes_differ_for_everyone)
{
	unsigned count;
	const struct palette_group *groups = palette_groups(PALETTE_INITIATOR, &count);

	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < i; k++) {
			const double least = causes[i] != causes[k] ? 12 : 3;
			const double light = apart(groups[i].light, groups[k].light);
			const double dark = apart(groups[i].dark, groups[k].dark);

			if (light < least || dark < least)
				fail_msg("%s and %s: %.2f, %.2f", groups[i].name, groups[k].name,
					 light, dark);
		}
}

static double hue_of(const char *color)
{
	double lab[3];

	see_lab(color, visions[0], lab);
	return degrees(lab[1], lab[2]);
}

static double between(double a, double b)
{
	const double turn = fabs(a - b);

	return turn > 180 ? 360 - turn : turn;
}

TEST(a_hue_is_the_same_on_light_and_dark)
{
	unsigned count;
	const struct palette_group *groups = palette_groups(PALETTE_INITIATOR, &count);

	for (unsigned i = 0; i < count; i++) {
		if (i == MODEL_INITIATOR_UNKNOWN) // grey
			continue;
		if (between(hue_of(groups[i].light), hue_of(groups[i].dark)) > 15)
			fail_msg("%s turns", groups[i].name);
		// Members of a group share theirs.
		for (unsigned k = 0; k < i; k++)
			if (causes[i] == causes[k])
				assert_true(between(hue_of(groups[i].light),
						    hue_of(groups[k].light)) <= 15);
	}
}

TEST(each_stands_out_from_its_background)
{
	for (unsigned by = 0; by < PALETTE_BYS; by++) {
		unsigned count;
		const struct palette_group *groups = palette_groups((enum palette_by)by, &count);

		assert_in_range(count, 2, PALETTE_GROUPS);
		for (unsigned i = 0; i < count; i++) {
			assert_true(palette_contrast(groups[i].light, PALETTE_LIGHT) >= 3);
			assert_true(palette_contrast(groups[i].dark, PALETTE_DARK) >= 3);
			assert_true(palette_contrast(groups[i].light,
						     palette_text_on(groups[i].light)) >= 4.5);
			assert_true(palette_contrast(groups[i].dark,
						     palette_text_on(groups[i].dark)) >= 4.5);
		}
	}
}

TEST(none_is_taken_for_another)
{
	for (unsigned by = 0; by < PALETTE_BYS; by++) {
		unsigned count;
		const struct palette_group *groups = palette_groups((enum palette_by)by, &count);

		for (unsigned i = 0; i < count; i++) {
			for (unsigned k = 0; k < i; k++) {
				// Those of causes by CIEDE2000, below.
				const double least = by != PALETTE_INITIATOR ? 0.08 : 0;

				if (distance(groups[i].light, groups[k].light) < least ||
				    distance(groups[i].dark, groups[k].dark) < least)
					fail_msg("%s and %s: %.3f, %.3f", groups[i].name,
						 groups[k].name,
						 distance(groups[i].light, groups[k].light),
						 distance(groups[i].dark, groups[k].dark));
				assert_int_not_equal(groups[i].letter, groups[k].letter);
				assert_int_not_equal(groups[i].ansi, groups[k].ansi);
			}
		}
	}
}

TEST(groups_have_the_words_of_the_model)
{
	const struct model_fault fault = { .kind = MODEL_MAJOR,
					   .access = MODEL_ACCESS_EXEC,
					   .mechanism = MODEL_COW_BREAK,
					   .initiator = MODEL_UNWIND };
	static const char *const values[] = { "unwind", "cow-break", "exec", "major" };
	enum palette_by by;

	for (unsigned i = 0; i < PALETTE_BYS; i++) {
		unsigned count;

		by = (enum palette_by)i;
		assert_string_equal(palette_groups(by, &count)[palette_group_of(by, &fault)].name,
				    values[i]);
	}
	for (unsigned i = 0; i < MODEL_INITIATORS; i++) {
		unsigned count;

		assert_string_equal(palette_groups(PALETTE_INITIATOR, &count)[i].name,
				    model_initiator_name((enum model_initiator)i));
	}
}
