// SPDX-License-Identifier: Apache-2.0
// The SVG picture: nothing that a reader could run, every fault told of once, never too large.
#include "base/cleanup.h"
#include "model/account.h"
#include "model/moments.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The picture of @model, which is freed by the caller. */
static char *draw(const struct model *model, const struct render_picture_options *options,
		  size_t *ret_size)
{
	char *text;
	FILE *out = open_memstream(&text, ret_size);

	assert_non_null(out);
	assert_true(render_svg(model, options, out));
	assert_int_equal(fclose(out), 0);
	return text;
}

static const struct render_picture_options usual = { .width = 1200, .height = 800 };

/** How many faults the titles of marks tell of; the marks that are outlined in *@ret_outlined. */
static uint64_t count_told(const char *svg, unsigned *ret_outlined)
{
	uint64_t faults = 0;

	*ret_outlined = 0;
	for (const char *mark = strstr(svg, "<path class=\"g"); mark;
	     mark = strstr(mark + 1, "<path class=\"g")) {
		const char *title = strstr(mark, "<title>"), *end = strchr(mark, '>');
		unsigned long count = strtoul(title + strlen("<title>"), NULL, 10);

		if (strchr("0123456789", mark[strlen("<path class=\"g")]) == NULL)
			continue; // the grid
		faults += count > 0 ? count : 1;
		*ret_outlined += memmem(mark, (size_t)(end - mark), " major\"", 7) != NULL;
	}
	return faults;
}

TEST(every_fault_is_told_of_once)
{
	enum { COUNT = 3000 };
	CLEANUP(model_closep) struct model *model = pictures_model(COUNT);
	unsigned outlined;
	size_t size;

	for (unsigned i = 0; i < COUNT; i++) {
		struct model_fault fault =
			pictures_at(1000 * i, i * 7919 % (16 * PICTURES_PAGE), MODEL_RELOCATION);

		fault.kind = i == 17 ? MODEL_MAJOR : MODEL_MINOR;
		pictures_add(model, fault);
	}
	CLEANUP(freep) char *svg = draw(model, &usual, &size);

	assert_int_equal(count_told(svg, &outlined), COUNT);
	assert_int_equal(outlined, 1);
	assert_non_null(strstr(svg, ">Page faults of /home/somebody/program --flag"));
	assert_non_null(strstr(svg, ">relocation 3,000 (100.0%)</text>"));
	assert_non_null(strstr(svg, ">libpicture.so: 3,000 faults"));
}

TEST(the_file_is_named_by_its_path_when_asked_for)
{
	CLEANUP(model_closep) struct model *model = pictures_model(1);
	struct render_picture_options options = usual;
	size_t size;

	options.full_paths = true;
	pictures_add(model, pictures_at(1, 0x8000, MODEL_RELOCATION));
	CLEANUP(freep) char *svg = draw(model, &options, &size);

	assert_non_null(strstr(svg, ">/usr/lib/libpicture.so: "));
}

/** No markup but ours, no control character but line ends. */
static void expect_harmless(const char *svg, size_t size)
{
	static const char *const foreign[] = { "<script", "</script", "<img",	"<foreignObject",
					       "<a ",	  "href",     "onload", "javascript:" };

	assert_int_equal(strlen(svg), size);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		assert_null(strstr(svg, foreign[i]));
	for (size_t i = 0; i < size; i++)
		assert_true((unsigned char)svg[i] >= 0x20 || svg[i] == '\n');
	assert_null(strstr(svg, "\xe2\x80\xae")); // turns the direction of writing
	assert_null(strchr(svg, 0xff));
}

TEST(hostile_names_are_text)
{
	for (uint32_t object = 0; object < 3; object++) {
		CLEANUP(model_closep) struct model *model = models_sample();
		struct render_picture_options options = usual;
		size_t size;

		options.object = object;
		CLEANUP(freep) char *svg = draw(model, &options, &size);

		expect_harmless(svg, size);
		assert_true(size < 100000); // a name of 12,000 letters does not fill it
		assert_non_null(strstr(svg, "&lt;/script&gt;") ?: strstr(svg, "&quot;evil&quot;"));
	}
}

TEST(losses_and_notes_are_always_visible)
{
	CLEANUP(model_closep) struct model *model = pictures_model(1);
	size_t size;

	pictures_add(model, pictures_at(1, 0x8000, MODEL_RELOCATION));
	model->counts.lost = 1234;
	model->trace.complete = false;
	for (unsigned i = 0; i < 20; i++)
		notes_add(&model->notes, "note number %u of x.so", i);
	CLEANUP(freep) char *svg = draw(model, &usual, &size);

	assert_non_null(strstr(svg, "INCOMPLETE: 1,234 faults lost"));
	assert_non_null(strstr(svg, "INCOMPLETE"));
	assert_non_null(strstr(svg, "Note: note number 2 of x.so"));
	assert_null(strstr(svg, "Note: note number 3"));
	assert_non_null(strstr(svg, "17 more notes"));
}

TEST(nothing_to_show_is_said)
{
	CLEANUP(model_closep) struct model *model = pictures_model(1);
	struct render_picture_options options = usual;
	size_t size;

	options.object = MODEL_NONE;
	model->shown_count = 0;
	CLEANUP(freep) char *svg = draw(model, &options, &size);

	assert_non_null(strstr(svg, "There is no fault to show."));
	expect_harmless(svg, size);
}

/** @count faults strewn over 1 GiB of a file and a second, with names and fault-around. */
static struct model *strewn(size_t count)
{
	static const char *const functions_name = "std::vector<std::pair<int, char>>::push_back()";
	struct model *model = pictures_model(count);
	struct model_function *functions = arena_alloc(&model->arena, sizeof(*functions));
	struct model_object *object = (struct model_object *)model->objects;
	uint32_t seed = 7;

	functions[0] = (struct model_function){ .name = functions_name };
	model->functions = functions;
	model->function_count = 1;
	object->layout = NULL;
	object->size = 1 << 30;
	static const struct model_ip named = { .name = 0 };
	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525 + 1013904223;
		struct model_fault fault =
			pictures_at(i * 1000, (uint64_t)(seed >> 8) << 6, seed % MODEL_INITIATORS);

		fault.has_around = true;
		pictures_add(model, pictures_around(fault, fault.at.offset & ~0xffffULL, 16));
		((struct model_fault *)model->faults)[i].by = &named;
	}
	return model;
}

static void expect_fitting(const struct model *model, unsigned width, unsigned height)
{
	const struct render_picture_options options = { .width = width, .height = height };
	unsigned outlined;
	size_t size;
	CLEANUP(freep) char *svg = draw(model, &options, &size);

	assert_in_range(size, 10000, RENDER_SVG_BYTES_MAX);
	assert_int_equal(count_told(svg, &outlined), model->fault_count);
	assert_string_equal(svg + size - strlen("</svg>\n"), "</svg>\n");
}

/** Give @model a record of time, in which each fault is another wait than the one before. */
static void add_time(struct model *model)
{
	static const struct model_moments no_moments = { 0 };
	static struct model_process_times process;
	static struct model_account account = { .processes = &process, .process_count = 1 };

	process.pid = model->threads[0].pid;
	process.end_ns = model->faults[model->fault_count - 1].time_ns + 1;
	account.subject.by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = process.end_ns;
	account.subject.times.ns[MODEL_STATE_CPU] = process.end_ns;
	for (size_t i = 0; i < model->fault_count; i++) {
		struct model_fault *fault = &((struct model_fault *)model->faults)[i];

		fault->kind = MODEL_MAJOR;
		fault->has_duration = true;
		fault->duration_ns = 900;
	}
	model->account = &account;
	model->moments = &no_moments;
}

LONG_TEST(a_million_faults_fit_in_two_mebibytes)
{
	CLEANUP(model_closep) struct model *model = strewn(1000000);

	expect_fitting(model, 1200, 800);
	add_time(model);
	expect_fitting(model, 1200, 800);
	expect_fitting(model, RENDER_SIZE_MAX, RENDER_SIZE_MAX);
}

TEST(so_do_pictures_of_any_size)
{
	CLEANUP(model_closep) struct model *model = strewn(100000);

	expect_fitting(model, RENDER_SIZE_MAX, RENDER_SIZE_MAX);
	expect_fitting(model, RENDER_WIDTH_MIN, RENDER_HEIGHT_MIN);
}

TEST(what_the_axis_leaves_out_is_written_where_it_has_room)
{
	const struct render_picture_options low = { .width = RENDER_WIDTH_MIN,
						    .height = RENDER_HEIGHT_MIN };
	CLEANUP(model_closep) struct model *model = pictures_model(20);
	size_t size;

	for (unsigned i = 0; i < 20; i++)
		pictures_add(model, pictures_at(1000 * i + (i < 10 ? 0 : 1000000000), 0x8000,
						MODEL_RELOCATION));
	CLEANUP(freep) char *high_svg = draw(model, &usual, &size);
	CLEANUP(freep) char *low_svg = draw(model, &low, &size);

	assert_non_null(strstr(high_svg, "rotate(-90)"));
	assert_null(strstr(low_svg, "rotate(-90)"));
	assert_non_null(strstr(low_svg, "left out: no faults"));
}
