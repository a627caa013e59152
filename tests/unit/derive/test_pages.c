// SPDX-License-Identifier: Apache-2.0
// States of each page of a file, against a list that knows nothing of runs.
#include "base/cleanup.h"
#include "derive/pages.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

#include <string.h>

static struct model_fault with_access(struct model_fault fault, enum model_access access)
{
	fault.access = access & 3;
	return fault;
}

static struct model_fault with_around(struct model_fault fault, uint64_t first, uint32_t count)
{
	fault.has_around = true;
	return pictures_around(fault, first * PICTURES_PAGE, count);
}

/** "cmfw" by page, as letters: cold, mapped around, faulted, written. */
static void draw(const struct pages *pages, char *ret_drawing)
{
	size_t count = pages->size / pages->page_size;

	memset(ret_drawing, 'c', count);
	ret_drawing[count] = '\0';
	for (size_t i = 0; i < pages->count; i++) {
		assert_true(pages->runs[i].first < pages->runs[i].end);
		assert_true(i == 0 || pages->runs[i - 1].end <= pages->runs[i].first);
		for (uint64_t page = pages->runs[i].first; page < pages->runs[i].end; page++)
			ret_drawing[page] = "cmfw"[pages->runs[i].state];
	}
}

TEST(the_hottest_state_wins)
{
	CLEANUP(model_closep) struct model *model = pictures_model(8);
	CLEANUP(pages_deinit) struct pages pages;
	char drawing[64];

	pictures_add(model, with_around(with_access(pictures_at(1, 0x3010, MODEL_PROGRAM),
						    MODEL_ACCESS_READ),
					2, 4));
	pictures_add(model, with_access(pictures_at(2, 0x4000, MODEL_PROGRAM), MODEL_ACCESS_READ));
	pictures_add(model, with_access(pictures_at(3, 0x4fff, MODEL_PROGRAM), MODEL_ACCESS_WRITE));
	pictures_add(model, with_around(with_access(pictures_at(4, 0x9000, MODEL_PROGRAM),
						    MODEL_ACCESS_EXEC),
					5, 6));
	pages_init(&pages, model, 0);
	draw(&pages, drawing);
	assert_string_equal(drawing, "ccmfwmmmmfmccccc");
	assert_int_equal(pages.totals[PAGE_COLD], 7);
	assert_int_equal(pages.totals[PAGE_AROUND], 6);
	assert_int_equal(pages.totals[PAGE_FAULTED], 2);
	assert_int_equal(pages.totals[PAGE_WRITTEN], 1);
}

TEST(what_lies_past_the_end_is_left_out)
{
	CLEANUP(model_closep) struct model *model = pictures_model(8);
	CLEANUP(pages_deinit) struct pages pages;
	char drawing[64];

	pictures_add(model, pictures_at(1, UINT64_MAX, MODEL_PROGRAM));
	pictures_add(model, with_around(pictures_at(2, 0xf000, MODEL_PROGRAM), 14, UINT32_MAX));
	pictures_add(model, with_around(pictures_at(2, 0, MODEL_PROGRAM),
					UINT64_MAX / PICTURES_PAGE, UINT32_MAX));
	pages_init(&pages, model, 0);
	draw(&pages, drawing);
	assert_string_equal(drawing, "fcccccccccccccmf");
}

TEST(a_file_of_unknown_size_reaches_to_its_last_fault)
{
	CLEANUP(model_closep) struct model *model = pictures_model(2);
	CLEANUP(pages_deinit) struct pages pages;
	char drawing[64];

	((struct model_object *)model->objects)->size = 0;
	pictures_add(model, pictures_at(1, 0x3010, MODEL_PROGRAM));
	pictures_add(model, pictures_at(2, 0x1000, MODEL_PROGRAM));
	pages_init(&pages, model, 0);
	draw(&pages, drawing);
	assert_string_equal(drawing, "cfcf");
}

TEST(random_faults_give_what_page_by_page_gives)
{
	uint32_t seed = 12345;

	for (unsigned round = 0; round < 200; round++) {
		CLEANUP(model_closep) struct model *model = pictures_model(20);
		char expected[17] = "cccccccccccccccc", drawing[64];
		struct pages pages;

		for (unsigned i = 0; i < round % 20; i++) {
			seed = seed * 1664525 + 1013904223;
			unsigned page = seed >> 28, first = seed >> 20 & 15, count = seed >> 16 & 7;
			bool writes = seed & 1 << 12;

			pictures_add(model,
				     with_around(with_access(pictures_at(i, page * PICTURES_PAGE,
									 MODEL_PROGRAM),
							     writes ? MODEL_ACCESS_WRITE
								    : MODEL_ACCESS_READ),
						 first, count));
			if (expected[page] != 'w')
				expected[page] = writes ? 'w' : 'f';
			for (unsigned p = first; p < first + count && p < 16; p++)
				if (expected[p] == 'c')
					expected[p] = 'm';
		}
		pages_init(&pages, model, 0);
		draw(&pages, drawing);
		if (strcmp(drawing, expected) != 0)
			fail_msg("round %u: %s instead of %s", round, drawing, expected);
		pages_deinit(&pages);
	}
}

TEST(shares_are_of_parts_of_pages)
{
	CLEANUP(model_closep) struct model *model = pictures_model(2);
	double shares[PAGE_STATES];
	CLEANUP(pages_deinit) struct pages pages;

	pictures_add(model, with_access(pictures_at(1, 0x2000, MODEL_PROGRAM), MODEL_ACCESS_WRITE));
	pictures_add(model, with_access(pictures_at(1, 0x3000, MODEL_PROGRAM), MODEL_ACCESS_READ));
	pages_init(&pages, model, 0);
	pages_shares(&pages, 0x2800, 0x1000, shares);
	assert_float_equal(shares[PAGE_WRITTEN], 0.5, 1e-9);
	assert_float_equal(shares[PAGE_FAULTED], 0.5, 1e-9);
	assert_float_equal(shares[PAGE_COLD], 0, 1e-9);
	pages_shares(&pages, 0, 16 * PICTURES_PAGE, shares);
	assert_float_equal(shares[PAGE_WRITTEN], 1.0 / 16, 1e-9);
	assert_float_equal(shares[PAGE_COLD], 14.0 / 16, 1e-9);
	pages_shares(&pages, 0x2000, 0, shares);
	assert_float_equal(shares[PAGE_COLD], 1, 1e-9);
}

TEST(one_state_stands_for_several)
{
	assert_int_equal(pages_state((double[]){ 1, 0, 0, 0 }), PAGE_COLD);
	assert_int_equal(pages_state((double[]){ 0.99, 0.01, 0, 0 }), PAGE_AROUND);
	assert_int_equal(pages_state((double[]){ 0.5, 0.4, 0.1, 0 }), PAGE_FAULTED);
	assert_int_equal(pages_state((double[]){ 0.5, 0.49, 0, 0.01 }), PAGE_AROUND);
	assert_int_equal(pages_state((double[]){ 0.8, 0.1, 0, 0.1 }), PAGE_WRITTEN);
}
