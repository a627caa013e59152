// SPDX-License-Identifier: Apache-2.0
// Colours that hold: against their background, and from each other for every kind of colour vision.
#include "render/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

/** OKLab of @color as a vision sees it. */
static void see(const char *color, const double vision[3][3], double ret_lab[3])
{
	static const double to_lms[3][3] = { { 0.4122214708, 0.5363325363, 0.0514459929 },
					     { 0.2119034982, 0.6806995451, 0.1073969566 },
					     { 0.0883024619, 0.2817188376, 0.6299787005 } };
	static const double to_lab[3][3] = { { 0.2104542553, 0.7936177850, -0.0040720468 },
					     { 1.9779984951, -2.4285922050, 0.4505937099 },
					     { 0.0259040371, 0.7827717662, -0.8086757660 } };
	unsigned long bytes = strtoul(color + 1, NULL, 16);
	double linear[3], seen[3], lms[3];

	for (unsigned i = 0; i < 3; i++) {
		double part = (double)(bytes >> (16 - 8 * i) & 0xff) / 255;

		linear[i] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
	}
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

static void each_stands_out_from_its_background(void **state)
{
	(void)state;
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

/** Whether an initiator is one of those that nearly every picture shows. */
static bool is_frequent(const char *name)
{
	static const char *const frequent[] = { "relocation", "symbol-lookup", "static-init",
						"program",    "loader",	       "lazy-binding",
						"exec" };

	for (size_t i = 0; i < sizeof(frequent) / sizeof(frequent[0]); i++)
		if (strcmp(frequent[i], name) == 0)
			return true;
	return false;
}

static void none_is_taken_for_another(void **state)
{
	(void)state;
	for (unsigned by = 0; by < PALETTE_BYS; by++) {
		unsigned count;
		const struct palette_group *groups = palette_groups((enum palette_by)by, &count);

		for (unsigned i = 0; i < count; i++) {
			for (unsigned k = 0; k < i; k++) {
				double least =
					by != PALETTE_INITIATOR ? 0.08
					: is_frequent(groups[i].name) && is_frequent(groups[k].name)
						? 0.1
						: 0.05;

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

static void groups_have_the_words_of_the_model(void **state)
{
	const struct model_fault fault = { .kind = MODEL_MAJOR,
					   .access = MODEL_ACCESS_EXEC,
					   .mechanism = MODEL_COW_BREAK,
					   .initiator = MODEL_UNWIND };
	static const char *const words[] = { "initiator", "mechanism", "access", "kind" };
	static const char *const values[] = { "unwind", "cow-break", "exec", "major" };
	enum palette_by by;

	(void)state;
	for (unsigned i = 0; i < PALETTE_BYS; i++) {
		unsigned count;

		by = (enum palette_by)i;
		assert_string_equal(palette_by_name(by), words[i]);
		assert_string_equal(palette_groups(by, &count)[palette_group_of(by, &fault)].name,
				    values[i]);
	}
	for (unsigned i = 0; i < MODEL_INITIATORS; i++) {
		unsigned count;

		assert_string_equal(palette_groups(PALETTE_INITIATOR, &count)[i].name,
				    model_initiator_name((enum model_initiator)i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stands_out_from_its_background),
		cmocka_unit_test(none_is_taken_for_another),
		cmocka_unit_test(groups_have_the_words_of_the_model),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
