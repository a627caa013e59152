// SPDX-License-Identifier: Apache-2.0
// Changes of the files of two builds drawn by hand, in words.
#include "base/cleanup.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "render/diff/files.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** A build of /a/program. */
struct build {
	const char *build_id;
	uint64_t text, rela, relr; // bytes of sections; 0: not there
	size_t initializers;
	uint64_t functions, names;
	const char *symbols;
	bool is_gone, is_fixed;
};

static struct model *draw(const struct build *build)
{
	struct sketch sketch = sketch_start();
	struct arena *arena = &sketch.model->arena;
	uint32_t id = sketch_object(&sketch, "/a/program");
	struct model_object *object = &sketch.objects.items[id];
	struct model_layout *layout = arena_alloc(arena, sizeof(*layout));
	struct model_layout_section *rows = arena_array(arena, 3, sizeof(*rows));
	struct model_relocation *links = arena_alloc(arena, sizeof(*links));
	const struct {
		const char *name;
		uint64_t size;
	} sections[] = { { ".text", build->text },
			 { ".rela.dyn", build->rela },
			 { ".relr.dyn", build->relr } };

	for (size_t i = 0; i < 3; i++)
		if (sections[i].size > 0)
			rows[layout->section_count++] =
				(struct model_layout_section){ .name = sections[i].name,
							       .is_loaded = true,
							       .memory_size = sections[i].size };
	layout->sections = rows;
	layout->is_fixed = build->is_fixed;
	layout->functions = layout->named_functions = build->functions;
	layout->function_names = build->names;
	links->uses_rela = build->rela > 0;
	links->uses_relr = build->relr > 0;
	object->build_id = build->build_id;
	object->symbols = build->symbols ? build->symbols : "symtab";
	object->layout = build->is_gone ? NULL : layout;
	object->relocation = build->is_gone ? NULL : links;
	object->was_read = !build->is_gone;
	for (size_t i = 0; i < build->initializers; i++)
		sketch_initializer(&sketch, id, "start");
	sketch_faults(&sketch, sketch_section(&sketch, id, ".text", build->text), MODEL_PROGRAM, 1);
	struct model *model = sketch_end(&sketch);

	model->trace.path = "trace";
	return model;
}

/** Assert that the lines on two builds are @expected, or that there are none. */
static void assert_line(struct build before, struct build after, const char *expected)
{
	static const size_t counts[] = { 1, 1 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);
	CLEANUP(model_closep) struct model *old = draw(&before);
	CLEANUP(model_closep) struct model *new = draw(&after);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	compare_add(compare, COMPARE_BEFORE, old);
	compare_add(compare, COMPARE_AFTER, new);
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	const char *const *lines = difffiles(&arena, comparison, 10, &count);

	assert_int_equal(count, expected != NULL);
	if (expected)
		assert_string_equal(lines[0], expected);
}

TEST(sections_initializers_and_functions_are_told)
{
	assert_line((struct build){ "a1", 1200000, 82844, 0, 16, .functions = 5210, .names = 5300 },
		    (struct build){ "b2", 540000, 4608, 700, 1, .functions = 2403, .names = 4800 },
		    "program: .text 1.1 MiB -> 527.3 KiB (-55.0%), .rela.dyn 80.9 KiB -> 4.5 KiB "
		    "(-94.4%), .relr.dyn is new (700 B), encoded as mixed, rela before, "
		    "initializers 16 -> 1, functions 5,210 -> 2,403 (2,307 more share an address)");
}

TEST(functions_of_another_table_are_not_compared)
{
	assert_line((struct build){ "a1", 4096, .functions = 500, .names = 500 },
		    (struct build){ "b2", 4097, .functions = 9, .names = 9, .symbols = "dynsym" },
		    "program: .text 4.0 KiB (+1 B)");
}

TEST(builds_of_one_layout_say_nothing)
{
	assert_line((struct build){ "a1", 4096 }, (struct build){ "b2", 4096 }, NULL);
	assert_line((struct build){ "a1", 4096 }, (struct build){ "a1", 4096 }, NULL);
}

TEST(a_file_that_cannot_be_read_is_named)
{
	assert_line((struct build){ "a1", .is_gone = true }, (struct build){ "b2", 4096 },
		    "What changed in these files is unknown, as they cannot be read: "
		    "program (before)");
	// It is the same one.
	assert_line((struct build){ "a1", .is_gone = true }, (struct build){ "a1", 4096 }, NULL);
}
