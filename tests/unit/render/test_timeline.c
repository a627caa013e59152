// SPDX-License-Identifier: Apache-2.0
// The timeline in a terminal: braille or letters, never wider than it, nothing that acts on it.
#include "base/cleanup.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

#include <string.h>

static char *draw(const struct model *model, uint32_t object, const struct terminal *terminal)
{
	const struct render_picture_options options = { .object = object, .full_paths = true };

	return text_written(render_timeline(model, &options, terminal, out));
}

static struct model *sample(void)
{
	struct model *model = pictures_model(40);

	for (unsigned i = 0; i < 10; i++)
		pictures_add(model, pictures_at(1000 * i, 0x1000 + i * 0x400, MODEL_LOADER));
	for (unsigned i = 10; i < 30; i++)
		pictures_add(model, pictures_at(1000 * i, 0x8000 + i * 0x200, MODEL_RELOCATION));
	for (unsigned i = 30; i < 40; i++)
		pictures_add(model, pictures_at(1000 * i, 0x1000 + i * 0x100, MODEL_PROGRAM));
	return model;
}

/** Characters of UTF-8 in the longest line that has @mark. */
static size_t longest(const char *text, const char *mark)
{
	size_t most = 0;

	while (*text) {
		size_t length = strcspn(text, "\n"), columns = 0;
		bool counts = memmem(text, length, mark, strlen(mark));

		for (size_t i = 0; i < length; i++)
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (counts && columns > most)
			most = columns;
		text += length + (text[length] == '\n');
	}
	return most;
}

const struct tests_around tests_around = { .locale = "C.UTF-8" };

TEST(letters_where_there_is_no_utf8)
{
	CLEANUP(model_closep) struct model *model = sample();
	const struct terminal terminal = { .width = 90 };
	CLEANUP(freep) char *text = draw(model, 0, &terminal);

	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	assert_non_null(strstr(text, "R relocation 20 (50.0%)"));
	assert_non_null(strstr(text, "RRRR"));
	assert_non_null(strstr(text, " 20  50.0% relocation\n"));
	assert_non_null(strstr(text, "# written"));
	assert_null(strchr(text, '\033'));
	assert_in_range(longest(text, "|"), 60, 90);
}

TEST(braille_where_there_is)
{
	CLEANUP(model_closep) struct model *model = sample();
	const struct terminal terminal = { .width = 70, .has_utf8 = true, .has_color = true };
	CLEANUP(freep) char *text = draw(model, 0, &terminal);

	assert_non_null(strstr(text, "\033[38;5;166m\xe2\xa0")
				?: strstr(text, "\033[38;5;166m\xe2\xa1"));
	assert_non_null(strstr(text, "\xe2\x94\x82")); // the frame
	assert_non_null(strstr(text, "\xe2\x96\x88 written"));
	assert_null(strstr(text, "RRR"));
}

TEST(a_narrow_terminal_gets_a_narrow_drawing)
{
	CLEANUP(model_closep) struct model *model = sample();
	const struct terminal narrow = { .width = 50 }, tiny = { .width = 10 },
			      wide = { .width = 100000 };
	CLEANUP(freep) char *text = draw(model, 0, &narrow);
	CLEANUP(freep) char *least = draw(model, 0, &tiny);
	CLEANUP(freep) char *most = draw(model, 0, &wide);

	assert_in_range(longest(text, "|"), 40, 50);
	assert_null(strstr(text, "% relocation\n"));
	assert_in_range(longest(least, "|"), 20, 45);
	assert_in_range(longest(most, "|"), 1000, 1060);
}

TEST(names_do_not_act_on_the_terminal)
{
	for (uint32_t object = 0; object < 3; object++) {
		CLEANUP(model_closep) struct model *model = models_sample();
		const struct terminal terminal = { .width = 80 };
		CLEANUP(freep) char *text = draw(model, object, &terminal);

		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= 0x20 || *c == '\n');
		assert_null(strstr(text, "\xe2\x80\xae"));
	}
}

TEST(nothing_is_drawn_of_nothing)
{
	CLEANUP(model_closep) struct model *model = pictures_model(0);
	const struct terminal terminal = { .width = 80 };
	CLEANUP(freep) char *text = draw(model, MODEL_NONE, &terminal);

	assert_non_null(strstr(text, "0 faults"));
	assert_null(strchr(text, '|'));
}
