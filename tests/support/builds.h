// SPDX-License-Identifier: Apache-2.0
// Two builds of one program drawn by hand, and what advice/change/ says of them.
#pragma once

#include "base/cleanup.h"
#include "advice/findings.h"
#include "compare/compare.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

enum { BUILDS_RUNS = 5 };

/** A build of /a/program and what faults in a run of it. All zero: it has nothing. */
struct build {
	const char *build_id;
	const char *toolchain;
	bool is_fixed, is_symbolic;
	uint64_t text, bss, dynsym;		 // bytes
	uint64_t gnu_hash, hash;		 // bytes, 0: not there
	size_t initializers, merged;		 // merged: of these, the last ones
	struct model_relocation links;		 // how it is relocated
	const char *library;			 // path of one that it needs and loads; NULL: none
	const struct compare_locality *locality; // of both sides, set by the side after

	size_t on_text, on_text_major, on_bss, on_table, on_relro, on_names, on_plt;
	size_t in_initializers, on_library, on_heap;
	uint64_t name_ns;    // own time of each fault on names; 0: as of any fault
	const size_t *noise; // [run]: added to each of these numbers that is not 0; NULL: none
};

SKETCH_USED static uint32_t builds_section(struct sketch *sketch, uint32_t object,
					   struct model_layout_section *rows, size_t *count,
					   const char *name, uint64_t size)
{
	if (size > 0)
		rows[(*count)++] = (struct model_layout_section){ .name = name,
								  .is_loaded = true,
								  .memory_size = size };
	return sketch_section(sketch, object, name, size);
}

SKETCH_USED static size_t builds_number(const struct build *build, size_t number, size_t run)
{
	return number > 0 && build->noise ? number + build->noise[run] : number;
}

SKETCH_USED static struct model *builds_draw(const struct build *build, size_t run)
{
	struct sketch sketch = sketch_start();
	struct arena *arena = &sketch.model->arena;
	struct model_layout_section *rows = arena_array(arena, 16, sizeof(*rows));
	struct model_layout *layout = arena_alloc(arena, sizeof(*layout));
	struct model_relocation *links = arena_alloc(arena, sizeof(*links));
	uint32_t program = sketch_object(&sketch, "/a/program");
	uint32_t libc = sketch_object(&sketch, "/lib/libc.so.6");
	const char **needed = arena_array(arena, 1, sizeof(*needed));
	size_t count = 0, number;

	needed[0] = build->library ? strrchr(build->library, '/') + 1 : NULL;
	uint32_t text = builds_section(&sketch, program, rows, &count, ".text", build->text);
	uint32_t bss = builds_section(&sketch, program, rows, &count, ".bss", build->bss);
	uint32_t rela = builds_section(&sketch, program, rows, &count, ".rela.dyn", 0);
	uint32_t relro = builds_section(&sketch, program, rows, &count, ".data.rel.ro", 0);
	uint32_t names = builds_section(&sketch, program, rows, &count, ".dynsym", build->dynsym);
	builds_section(&sketch, program, rows, &count, ".gnu.hash", build->gnu_hash);
	builds_section(&sketch, program, rows, &count, ".hash", build->hash);
	*layout = (struct model_layout){ .sections = rows,
					 .section_count = count,
					 .is_fixed = build->is_fixed,
					 .is_symbolic = build->is_symbolic,
					 .needed = needed,
					 .needed_count = build->library != NULL,
					 .toolchain = build->toolchain };
	*links = build->links;
	sketch.objects.items[program].layout = layout;
	sketch.objects.items[program].relocation = links;
	sketch.objects.items[program].build_id = build->build_id;
	sketch.objects.items[program].soname = NULL;
	sketch.objects.items[libc].layout = arena_alloc(arena, sizeof(*layout));
	sketch.objects.items[libc].build_id = "c0";

	for (size_t i = 0; i < build->initializers; i++) {
		bool is_merged = i + build->merged >= build->initializers;
		uint32_t row = sketch_initializer(
			&sketch, program,
			is_merged ? "_sub_I_65535_0.0"
				  : arena_printf(arena, "_GLOBAL__sub_I_part%zu", i));

		number = builds_number(build, i == 0 ? build->in_initializers : 0, run);
		for (size_t n = 0; n < number; n++)
			sketch_fault(&sketch, text, MODEL_STATIC_INIT)->initializer = row;
	}
	number = builds_number(build, build->on_text, run);
	for (size_t n = 0; n < number; n++)
		sketch_fault(&sketch, text, MODEL_PROGRAM)->kind =
			n < build->on_text_major ? MODEL_MAJOR : MODEL_MINOR;
	sketch_faults(&sketch, bss, MODEL_PROGRAM, builds_number(build, build->on_bss, run));
	sketch_faults(&sketch, rela, MODEL_RELOCATION, builds_number(build, build->on_table, run));
	sketch_faults(&sketch, relro, MODEL_RELOCATION, builds_number(build, build->on_relro, run));
	for (size_t n = 0; n < builds_number(build, build->on_names, run); n++) {
		struct model_fault *fault = sketch_fault(&sketch, names, MODEL_SYMBOL_LOOKUP);

		fault->duration_ns = build->name_ns ?: fault->duration_ns;
		fault->has_duration |= build->name_ns != 0;
	}
	sketch_faults(&sketch, names, MODEL_LAZY_BINDING, builds_number(build, build->on_plt, run));
	sketch_faults(&sketch, sketch_section(&sketch, libc, ".text", 1 << 20), MODEL_PROGRAM, 3);
	if (build->on_heap > 0) {
		uint32_t heap = sketch_object(&sketch, "[heap]");

		sketch.objects.items[heap].is_file = sketch.objects.items[heap].is_elf = false;
		sketch_faults(&sketch, sketch_section(&sketch, heap, "[heap]", 0), MODEL_PROGRAM,
			      builds_number(build, build->on_heap, run));
	}
	if (build->library) {
		uint32_t library = sketch_object(&sketch, build->library);
		struct model_layout *own = arena_alloc(arena, sizeof(*own));

		own->is_library = true;
		sketch.objects.items[library].layout = own;
		sketch_faults(&sketch, sketch_section(&sketch, library, ".text", 1 << 20),
			      MODEL_PROGRAM, builds_number(build, build->on_library, run));
	}
	return sketch_end(&sketch);
}

/** Compare @runs runs of each and look for what changed; comparison_close() it. */
SKETCH_USED static struct comparison *builds_compare(const struct build *before,
						     const struct build *after, size_t runs)
{
	const size_t counts[] = { runs, runs };
	struct compare *compare = compare_create(counts, NULL, 0);

	for (size_t i = 0; i < 2 * runs; i++) {
		struct model *model = builds_draw(i < runs ? before : after, i % runs);

		model->trace.path = "trace";
		compare_add(compare, i < runs ? COMPARE_BEFORE : COMPARE_AFTER, model);
		model_close(model);
	}
	struct comparison *comparison = compare_finish(compare);
	compare_destroy(compare);
	for (size_t i = 0; after->locality && i < comparison->object_count; i++)
		if (strcmp(comparison->objects[i].label, "program") == 0)
			((struct compare_object *)comparison->objects)[i].locality =
				after->locality;
	changes_find(comparison);
	return comparison;
}

SKETCH_USED static const struct model_relocation builds_rela = {
	.counts = { 9800, 200 }, .uses_rela = true, .table_bytes = 240000, .pages_holding = 64
};
SKETCH_USED static const struct model_relocation builds_relr = { .counts = { 9800, 200 },
								 .uses_rela = true,
								 .uses_relr = true,
								 .table_bytes = 6000,
								 .pages_holding = 64 };

/** The finding with this id, NULL if there is none. */
SKETCH_USED static const struct compare_finding *builds_finding(const struct comparison *comparison,
								const char *id)
{
	for (size_t i = 0; i < comparison->finding_count; i++)
		if (strcmp(comparison->findings[i].id, id) == 0)
			return &comparison->findings[i];
	return NULL;
}

static const size_t builds_quiet[] = { 0, 1, 0, 0, 1 }; // by run: every difference of ten is real
static const size_t builds_loud[] = { 0, 90, 20, 70, 40 }; // none is

/** The comparison whose one finding builds_only() returned last. */
static struct comparison *builds_last;

/** For after each test. */
SKETCH_USED static int builds_forget(void **state)
{
	comparison_close(TAKE(builds_last));
	return 0;
}

/** Return the one finding of these builds, which has this id; until the next one is asked for. */
SKETCH_USED static const struct compare_finding *
builds_only(const struct build *before, const struct build *after, size_t runs, const char *id)
{
	builds_forget(NULL);
	builds_last = builds_compare(before, after, runs);
	assert_int_equal(builds_last->finding_count, 1);
	assert_string_equal(builds_last->findings[0].id, id);
	return builds_last->findings;
}

SKETCH_USED static void builds_silent(const struct build *before, const struct build *after,
				      size_t runs)
{
	CLEANUP(comparison_closep)
	struct comparison *comparison = builds_compare(before, after, runs);

	assert_int_equal(comparison->finding_count, 0);
}

/** Repeats with little noise show the difference. */
SKETCH_USED static void builds_shown(struct build before, struct build after, const char *id)
{
	before.noise = after.noise = builds_quiet;
	CLEANUP(comparison_closep)
	struct comparison *comparison = builds_compare(&before, &after, BUILDS_RUNS);
	const struct compare_finding *finding = builds_finding(comparison, id);

	assert_non_null(finding);
	assert_int_equal(finding->figure.verdict, COMPARE_REAL);
}

/** Repeats show it, but not where noise is as large. No number of either build may be 0. */
SKETCH_USED static void builds_judged(struct build before, struct build after, const char *id)
{
	builds_shown(before, after, id);
	before.noise = after.noise = builds_loud;
	builds_silent(&before, &after, BUILDS_RUNS);
}
