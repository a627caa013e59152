// SPDX-License-Identifier: Apache-2.0
// The file that a picture of a whole run is about.
#include "base/cleanup.h"
#include "derive/mainobject.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

enum { PROGRAM, LIBRARY, INPUT, HEAP, OBJECTS };

/** Faults of an object: their number, and the time of each, 0: unknown. */
struct part {
	uint32_t object;
	unsigned count;
	uint64_t ns;
};

/** A program, its library, an ELF file that it reads, and memory, most faults first. */
static struct model *model_of(const struct part *parts, size_t count)
{
	static uint32_t shown[OBJECTS];
	struct model *model = pictures_model(1000);
	struct model_object *objects = arena_array(&model->arena, OBJECTS, sizeof(*objects));

	for (size_t i = 0; i < OBJECTS; i++)
		objects[i] = (struct model_object){
			.path = i == HEAP ? "[heap]" : "/file",
			.is_file = i != HEAP,
			.is_elf = i != HEAP,
			.was_read = i != HEAP,
		};
	model->objects = objects;
	model->object_count = OBJECTS;
	model->shown = shown;
	model->shown_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct part *part = &parts[i];

		shown[i] = part->object;
		for (unsigned n = 0; n < part->count; n++) {
			struct model_fault fault = pictures_at(n, 0, MODEL_PROGRAM);

			fault.at.object = part->object;
			fault.at.has_vaddr = part->object < INPUT;
			fault.has_duration = part->ns > 0;
			fault.duration_ns = part->ns;
			pictures_add(model, fault);
			objects[part->object].count.own_ns += part->ns;
			model->total.own_ns += part->ns;
		}
	}
	return model;
}

static void expect(const struct part *parts, size_t count, uint32_t object)
{
	CLEANUP(model_closep) struct model *model = model_of(parts, count);

	assert_int_equal(mainobject_find(model), object);
}

#define EXPECT(object, ...)                                               \
	do {                                                              \
		static const struct part parts_[] = { __VA_ARGS__ };      \
		expect(parts_, sizeof(parts_) / sizeof(*parts_), object); \
	} while (0)

TEST(it_is_the_file_with_most_of_its_own_time)
{
	EXPECT(PROGRAM, { LIBRARY, 100, 10 }, { PROGRAM, 20, 900 });
	EXPECT(LIBRARY, { LIBRARY, 100, 10 }, { PROGRAM, 20, 20 });
}

TEST(without_times_it_is_the_one_with_most_faults)
{
	EXPECT(LIBRARY, { LIBRARY, 100, 0 }, { PROGRAM, 20, 0 });
}

TEST(what_a_program_only_reads_is_not)
{
	// A linker's input: it waits for storage, and has most of the time.
	EXPECT(LIBRARY, { LIBRARY, 50, 10 }, { INPUT, 6, 1000 });
	EXPECT(INPUT, { INPUT, 6, 1000 });
}

TEST(memory_is_where_files_hardly_matter)
{
	EXPECT(PROGRAM, { HEAP, 190, 10 }, { PROGRAM, 10, 10 });
	EXPECT(HEAP, { HEAP, 191, 10 }, { PROGRAM, 9, 10 });
}

TEST(without_a_fault_there_is_none)
{
	expect(NULL, 0, MODEL_NONE);
}
