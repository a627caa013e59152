// SPDX-License-Identifier: Apache-2.0
// The y axis, and marks on it: every fault has one place, and none is lost where marks merge.
#include "base/cleanup.h"
#include "render/picture/bands.h"
#include "render/picture/marks.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

#include <string.h>

static void expect_band(const struct bands *bands, size_t i, const char *label, uint64_t start,
			uint64_t end, uint64_t faults)
{
	assert_true(i < bands->count);
	assert_string_equal(bands->items[i].label, label);
	assert_int_equal(bands->items[i].range.start, start);
	assert_int_equal(bands->items[i].range.end, end);
	assert_int_equal(bands->items[i].faults, faults);
}

static struct model *sample(void)
{
	struct model *model = pictures_model(10);

	pictures_add(model, pictures_at(10, 0x100, MODEL_LOADER));
	pictures_add(model, pictures_at(20, 0x8000, MODEL_RELOCATION));
	pictures_add(model, pictures_at(30, 0x9fff, MODEL_RELOCATION));
	pictures_add(model, pictures_at(40, 0x9ffe, MODEL_RELOCATION));
	pictures_add(model, (struct model_fault){ .time_ns = 50,
						  .at.vaddr = 0x11000,
						  .at.has_vaddr = true,
						  .kind = MODEL_MAJOR,
						  .initiator = MODEL_PROGRAM });
	pictures_add(model, (struct model_fault){ .time_ns = 60, .at.object = 1, .addr = 0x5000 });
	pictures_add(model, (struct model_fault){ .time_ns = 70, .at.object = MODEL_NONE });
	return model;
}

TEST(the_whole_file_is_covered_and_memory_follows)
{
	CLEANUP(model_closep) struct model *model = sample();
	CLEANUP(bands_deinit) struct bands bands;

	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	expect_band(&bands, 0, "headers", 0, 0x1000, 1);
	expect_band(&bands, 1, ".text, .rodata", 0x1000, 0x8000, 0); // the gap between with them
	expect_band(&bands, 2, ".data", 0x8000, 0xe000, 3);
	expect_band(&bands, 3, "not loaded", 0xe000, 0x10000, 0);
	expect_band(&bands, 4, ".bss", 0xf000, 0x13000, 1);
	expect_band(&bands, 5, "[heap]", 0, 0, 1);
	expect_band(&bands, 6, "no mapping known", 0, 0, 1);
	assert_int_equal(bands.count, 7);
	assert_int_equal(bands.file_count, 4);
	assert_int_equal(bands.own_count, 5);
	assert_int_equal(bands.items[2].pages, 2);
	assert_int_equal(bands.items[2].groups[MODEL_RELOCATION], 3);
	assert_int_equal(bands.items[4].major, 1);
	assert_int_equal(bands.point_count, 7);
	assert_float_equal(bands.points[1].at, 0, 0);
	assert_float_equal(bands.points[2].at, (double)0x1fff / 0x6000, 1e-6);
}

TEST(memory_beside_bss_is_shown_with_it)
{
	static const uint64_t vaddrs[] = { 0xeff8, 0xf000, 0x12fff, 0x13000, UINT64_MAX };
	CLEANUP(model_closep) struct model *model = pictures_model(5);
	CLEANUP(bands_deinit) struct bands bands;

	for (size_t i = 0; i < 5; i++)
		pictures_add(model, (struct model_fault){ .time_ns = i,
							  .at.vaddr = vaddrs[i],
							  .at.has_vaddr = true });
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	expect_band(&bands, bands.count - 1, ".bss", 0xf000, 0x13000, 5);
	assert_float_equal(bands.points[0].at, 0, 0);
	assert_float_equal(bands.points[1].at, 0, 0);
	for (size_t i = 2; i < 5; i++)
		assert_true(bands.points[i].at > 0.99F && bands.points[i].at < 1);
}

TEST(bands_of_few_faults_give_way)
{
	CLEANUP(model_closep) struct model *model = pictures_model(10);
	CLEANUP(bands_deinit) struct bands bands;

	pictures_add(model, pictures_at(1, 0, MODEL_LOADER));
	pictures_add(model, pictures_at(2, 0x1000, MODEL_LOADER));
	pictures_add(model, pictures_at(3, 0x6000, MODEL_LOADER));
	pictures_add(model, pictures_at(4, 0x8000, MODEL_LOADER));
	pictures_add(model, pictures_at(5, 0x9000, MODEL_LOADER));
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 1);
	expect_band(&bands, 0, ".text, .rodata", 0, 0x8000, 3);
	expect_band(&bands, 1, ".data", 0x8000, 0xe000, 2);
	expect_band(&bands, 2, "not loaded", 0xe000, 0x10000, 0);
	assert_int_equal(bands.items[0].section_count, 2);
	assert_int_equal(bands.items[0].pages, 3);
}

TEST(a_file_without_layout_or_size_is_one_band)
{
	CLEANUP(model_closep) struct model *model = pictures_model(4);
	struct model_object *object = (struct model_object *)model->objects;
	CLEANUP(bands_deinit) struct bands bands;

	object->layout = NULL;
	object->size = 0;
	pictures_add(model, pictures_at(1, 0x2345, MODEL_LOADER));
	pictures_add(model, (struct model_fault){ .at.vaddr = 3, .at.has_vaddr = true });
	pictures_add(model, pictures_at(1, UINT64_MAX, MODEL_LOADER));
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	expect_band(&bands, 0, "file", 0, 0x2346, 1);
	expect_band(&bands, 1, "not in the file", 0, 0, 2);
}

TEST(a_page_of_a_file_is_one_wherever_it_is_mapped)
{
	CLEANUP(model_closep) struct model *model = pictures_model(4);
	CLEANUP(bands_deinit) struct bands bands;

	for (unsigned process = 0; process < 3; process++) {
		struct model_fault fault = pictures_at(process, 0x2010, MODEL_LOADER);

		fault.addr = 0x700000000000 + process * 0x10000;
		pictures_add(model, fault);
	}
	pictures_add(model, (struct model_fault){ .time_ns = 9, .at.object = 1, .addr = 0x5000 });
	bands_init(&bands, model, 1, PALETTE_INITIATOR, 10);
	expect_band(&bands, 0, "[heap]", 0, 0, 1);
	expect_band(&bands, 1, "other files", 0, 0, 3);
	assert_int_equal(bands.items[1].pages, 1);
}

TEST(lanes_have_one_order_whatever_faulted_first)
{
	static const char *const labels[] = { "[heap]", "not in the file", "no mapping known" };
	CLEANUP(model_closep) struct model *model = pictures_model(3);
	CLEANUP(bands_deinit) struct bands bands;

	pictures_add(model, (struct model_fault){ .time_ns = 1, .at.object = MODEL_NONE });
	pictures_add(model, pictures_at(2, 0x10000, MODEL_LOADER));
	pictures_add(model, (struct model_fault){ .time_ns = 3, .at.object = 1 });
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	assert_int_equal(bands.count, bands.own_count + 3);
	for (size_t i = 0; i < 3; i++)
		expect_band(&bands, bands.own_count + i, labels[i], 0, 0, 1);
}

TEST(memory_that_is_not_loaded_is_no_band)
{
	static const struct model_layout_section sections[] = {
		{ ".text", true, 0, 0x10000, true, 0, 0x10000, false, true },
		{ ".debug", false, 0, 0, false, 0, 0x1000, false, false },
	};
	static const struct model_layout layout = { sections, 2 };
	CLEANUP(model_closep) struct model *model = pictures_model(1);
	CLEANUP(bands_deinit) struct bands bands;

	((struct model_object *)model->objects)->layout = &layout;
	pictures_add(model, pictures_at(1, 0, MODEL_LOADER));
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	expect_band(&bands, 0, ".text", 0, 0x10000, 1);
	assert_int_equal(bands.count, 1);
}

TEST(hostile_sections_never_overlap_or_leave_the_file)
{
	static const struct model_layout_section sections[] = {
		{ "a", true, 0, 0x3000, true, 0, 0x3000, false, false },
		{ "b", true, 0x1000, 0x1000, true, 0, 0x1000, false, false },
		{ "c", true, 0x2000, 0x4000, true, 0, 0x4000, false, false },
		{ "d", true, 0x5000, UINT64_MAX, true, 0, 1, false, false },
		{ "e", true, 0xffff0000, 0x1000, true, 0, 1, false, false },
		{ "f", false, 0, 0, true, UINT64_MAX - 1, 100, true, false },
		{ "g", false, 0, 0, true, UINT64_MAX - 1, 1, true, false },
	};
	static const struct model_layout layout = { sections, 7 };
	CLEANUP(model_closep) struct model *model = pictures_model(20);
	CLEANUP(bands_deinit) struct bands bands;
	uint64_t end = 0;

	((struct model_object *)model->objects)->layout = &layout;
	for (uint64_t page = 0; page < 16; page++)
		pictures_add(model, pictures_at(page, page * PICTURES_PAGE, MODEL_LOADER));
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 100);
	for (size_t i = 0; i < bands.file_count; i++) {
		assert_int_equal(bands.items[i].range.start, end);
		assert_true(bands.items[i].range.end > end);
		end = bands.items[i].range.end;
	}
	assert_int_equal(end, 16 * PICTURES_PAGE);
	expect_band(&bands, bands.own_count - 1, "g", UINT64_MAX - 1, UINT64_MAX, 0);
}

TEST(without_a_file_there_are_lanes)
{
	CLEANUP(model_closep) struct model *model = sample();
	CLEANUP(bands_deinit) struct bands bands;

	bands_init(&bands, model, MODEL_NONE, PALETTE_KIND, 10);
	assert_int_equal(bands.own_count, 0);
	expect_band(&bands, 0, "[heap]", 0, 0, 1);
	expect_band(&bands, 1, "other files", 0, 0, 5);
	expect_band(&bands, 2, "no mapping known", 0, 0, 1);
	bands_place(&bands, &(struct band_room){ .total = 90, .touched = 10, .beside = 5 });
	assert_int_equal(bands.items[0].height + bands.items[1].height + bands.items[2].height, 90);
}

TEST(room_goes_to_what_faulted)
{
	CLEANUP(model_closep) struct model *model = sample();
	CLEANUP(bands_deinit) struct bands bands;
	unsigned end = 0;

	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	bands_place(&bands,
		    &(struct band_room){
			    .total = 200, .touched = 12, .cold = 3, .beside = 10, .gap = 4 });
	for (size_t i = 0; i < bands.count; i++) {
		unsigned gap = i == 4 || i == 5 ? 4 : 0;

		assert_int_equal(bands.items[i].top, end + gap);
		end = bands.items[i].top + bands.items[i].height;
	}
	assert_int_equal(end, 200);
	assert_int_equal(bands.items[5].height, 10);
	assert_true(bands.items[2].height > bands.items[1].height);
	assert_true(bands.items[0].height >= 12);
}

TEST(marks_that_would_overlap_are_one)
{
	CLEANUP(model_closep) struct model *model = sample();
	const struct scale time = { .first = 10, .last = 70, .start = 100, .length = 12 };
	CLEANUP(bands_deinit) struct bands bands;
	CLEANUP(marks_deinit) struct marks marks;
	struct mark mark;

	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	bands_place(&bands, &(struct band_room){ .total = 60, .beside = 5 });
	marks_init(&marks, model, &bands, &time, 6);
	assert_true(marks_next(&marks, &mark));
	assert_int_equal(mark.band, 0);
	assert_int_equal(mark.x, 100);
	assert_int_equal(mark.y, 0);
	assert_int_equal(mark.faults, 1);
	assert_int_equal(mark.group, MODEL_LOADER);
	// .data: at 20 and 30 ns in the first column, at 40 in the second.
	assert_true(marks_next(&marks, &mark));
	assert_int_equal(mark.band, 2);
	assert_int_equal(mark.named, 1);
	assert_int_equal(mark.start, 0x8000);
	uint32_t in_data = mark.faults;

	while (marks_next(&marks, &mark) && mark.band == 2)
		in_data += mark.faults;
	assert_int_equal(in_data, 3);
	assert_int_equal(mark.band, 4);
	assert_int_equal(mark.major, 1);
}

TEST(a_mark_names_its_first_major_fault)
{
	CLEANUP(model_closep) struct model *model = pictures_model(4);
	const struct scale time = { .first = 10, .last = 70, .start = 100, .length = 12 };
	CLEANUP(bands_deinit) struct bands bands;
	CLEANUP(marks_deinit) struct marks marks;
	struct mark mark;

	for (unsigned i = 0; i < 4; i++) {
		struct model_fault fault = pictures_at(10 + i, 0x100, MODEL_LOADER);

		fault.kind = i >= 2 ? MODEL_MAJOR : MODEL_MINOR;
		pictures_add(model, fault);
	}
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	bands_place(&bands, &(struct band_room){ .total = 60, .beside = 5 });
	marks_init(&marks, model, &bands, &time, 6);
	assert_true(marks_next(&marks, &mark));
	assert_int_equal(mark.faults, 4);
	assert_int_equal(mark.first_ns, 10);
	assert_int_equal(mark.named, 2);
}

TEST(no_fault_is_lost_by_merging)
{
	enum { COUNT = 5000 };
	CLEANUP(model_closep) struct model *model = pictures_model(COUNT);
	uint32_t seed = 99;
	CLEANUP(bands_deinit) struct bands bands;

	for (unsigned i = 0; i < COUNT; i++) {
		seed = seed * 1664525 + 1013904223;
		struct model_fault fault = pictures_at(i * 100, seed >> 16 & 0xffff, seed >> 8 & 7);

		if (seed >> 30 == 0)
			fault = (struct model_fault){ .at.object = 1,
						      .time_ns = i * 100,
						      .addr = seed };
		pictures_add(model, fault);
	}
	bands_init(&bands, model, 0, PALETTE_INITIATOR, 10);
	bands_place(&bands, &(struct band_room){ .total = 300, .touched = 10, .beside = 17 });
	for (unsigned cell = 1; cell < 1000; cell = cell * 3 + 1) {
		const struct scale time = { .last = (COUNT - 1) * 100, .start = 7, .length = 500 };
		struct marks marks;
		struct mark mark;
		uint32_t faults = 0;
		uint64_t by_group = 0;

		marks_init(&marks, model, &bands, &time, cell);
		while (marks_next(&marks, &mark)) {
			const struct band *band = &bands.items[mark.band];

			faults += mark.faults;
			for (unsigned i = 0; i < PALETTE_GROUPS; i++)
				by_group += mark.groups[i];
			assert_in_range(mark.x, 7, cell > 500 ? 7 : 507 - cell);
			assert_in_range(mark.y, band->top, band->top + band->height - 1);
			assert_true(mark.first_ns <= mark.last_ns && mark.start <= mark.end);
		}
		assert_int_equal(faults, COUNT);
		assert_int_equal(by_group, COUNT);
		marks_deinit(&marks);
	}
}
