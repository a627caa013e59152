// SPDX-License-Identifier: Apache-2.0
// Places of a run's items in the comparison that it is a part of, and the run that stands for its
// side.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** A library whose .text has so many faults for each of @names, then one in memory without a
 * mapping. */
static struct model *draw(const char *const *names, size_t count, size_t faults)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/a/libx.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 100);
	sketch_section(&sketch, lib, ".unused", 100);

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = sketch_symbol(&sketch, text, names[i], 8);
		uint32_t function = sketch_function(&sketch, lib, names[i], 8);
		uint32_t initializer = sketch_initializer(&sketch, lib, names[i]);

		sketch.initializers.items[initializer].source = i == 0 ? "/src/a.cc" : "/src/b.cc";
		for (size_t n = 0; n < faults; n++) {
			struct model_fault *fault = sketch_fault(&sketch, text, MODEL_STATIC_INIT);

			fault->at.name = symbol;
			SKETCH_IP(fault)->object = lib;
			SKETCH_IP(fault)->name = function;
			fault->initializer = initializer;
		}
	}
	sketch_fill(&sketch, sketch.faults.count + 1);
	struct model *model = sketch_end(&sketch);
	model->trace.path = "trace";
	return model;
}

/** Two models compared, still open. */
struct fixture {
	struct model *models[COMPARE_SIDES];
	struct compare *compare;
	struct comparison *comparison;
};

static struct fixture fixture_of(struct model *before, struct model *after)
{
	const size_t counts[] = { 1, 1 };
	struct fixture fixture = { .models = { before, after },
				   .compare = compare_create(counts, NULL, 0) };

	for (int side = 0; side < COMPARE_SIDES; side++)
		compare_add(fixture.compare, (enum compare_side)side, fixture.models[side]);
	fixture.comparison = compare_finish(fixture.compare);
	return fixture;
}

static void fixture_deinit(struct fixture *fixture)
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		model_close(fixture->models[side]);
	comparison_close(fixture->comparison);
	compare_destroy(fixture->compare);
}

static const char *linked_name(const struct fixture *fixture, const struct compare_links *links,
			       enum compare_table table, uint32_t index)
{
	uint32_t row = links->rows[table][index];

	return row == MODEL_NONE ? NULL : fixture->comparison->rows[table][row].name;
}

TEST(things_lead_to_rows_whatever_compilers_append)
{
	static const char *const old_names[] = { "foo.cold", "bar" };
	static const char *const new_names[] = { "bar", "foo.constprop.0" };
	CLEANUP(fixture_deinit)
	struct fixture fixture = fixture_of(draw(old_names, 2, 1), draw(new_names, 2, 2));
	struct compare_links links[COMPARE_SIDES];

	for (int side = 0; side < COMPARE_SIDES; side++)
		assert_true(compare_link(fixture.compare, fixture.comparison, (size_t)side,
					 fixture.models[side], &links[side]));
	for (int table = COMPARE_BY_FUNCTION; table <= COMPARE_BY_SYMBOL; table++) {
		assert_string_equal(linked_name(&fixture, &links[0], (enum compare_table)table, 0),
				    "foo");
		assert_string_equal(linked_name(&fixture, &links[1], (enum compare_table)table, 1),
				    "foo");
		assert_int_equal(links[0].rows[table][1], links[1].rows[table][0]);
	}
	assert_string_equal(linked_name(&fixture, &links[0], COMPARE_BY_SECTION, 0), ".text");
	assert_int_equal(links[0].objects[0], links[1].objects[0]);
	assert_int_equal(
		fixture.comparison->rows[COMPARE_BY_OBJECT][links[0].rows[COMPARE_BY_OBJECT][0]]
			.object,
		links[0].objects[0]);
	assert_int_equal(links[0].row_count[COMPARE_BY_INITIATOR], MODEL_INITIATORS);
	assert_int_equal(links[0].row_count[COMPARE_BY_CAUSE],
			 (fixture.models[0]->section_count + fixture.models[0]->object_count + 1) *
				 MODEL_INITIATORS);
	for (int side = 0; side < COMPARE_SIDES; side++)
		compare_links_deinit(&links[side]);
}

TEST(what_never_faulted_leads_nowhere)
{
	static const char *const names[] = { "foo" };
	CLEANUP(fixture_deinit)
	struct fixture fixture = fixture_of(draw(names, 1, 1), draw(names, 1, 1));
	CLEANUP(compare_links_deinit) struct compare_links links;

	assert_true(
		compare_link(fixture.compare, fixture.comparison, 0, fixture.models[0], &links));
	assert_int_equal(links.rows[COMPARE_BY_SECTION][1], MODEL_NONE); // .unused
}

TEST(initializers_merged_by_their_source_lead_to_one_row)
{
	static const char *const old_names[] = { "stays", "goes", "goes_too" },
				 *const new_names[] = { "stays", "comes" };
	CLEANUP(fixture_deinit)
	struct fixture fixture = fixture_of(draw(old_names, 3, 1), draw(new_names, 2, 1));
	struct compare_links before, after;

	assert_true(
		compare_link(fixture.compare, fixture.comparison, 0, fixture.models[0], &before));
	assert_true(
		compare_link(fixture.compare, fixture.comparison, 1, fixture.models[1], &after));
	const uint32_t *old_rows = before.rows[COMPARE_BY_INITIALIZER];
	const uint32_t *new_rows = after.rows[COMPARE_BY_INITIALIZER];
	assert_int_equal(old_rows[0], new_rows[0]);
	assert_int_equal(old_rows[1], old_rows[2]);
	assert_int_equal(old_rows[1], new_rows[1]);
	assert_int_not_equal(old_rows[0], old_rows[1]);
	compare_links_deinit(&before);
	compare_links_deinit(&after);
}

TEST(a_trace_that_changed_is_refused)
{
	static const char *const names[] = { "foo" };
	CLEANUP(fixture_deinit)
	struct fixture fixture = fixture_of(draw(names, 1, 1), draw(names, 1, 1));
	CLEANUP(model_closep) struct model *other = draw(names, 1, 2);
	struct compare_links links;

	assert_false(compare_link(fixture.compare, fixture.comparison, 0, other, &links));
}

TEST(the_first_run_nearest_to_the_median_stands_for_its_side)
{
	static const char *const names[] = { "foo" };
	// With the fault in no mapping 4, 2, 3, 6 faults: the median is 3.5, as far from 4 as
	// from 3.
	static const size_t faults[] = { 3, 1, 2, 5, 1, 9, 4 };
	const size_t counts[] = { 4, 3 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);

	for (size_t i = 0; i < 7; i++) {
		struct model *model = draw(names, 1, faults[i]);

		compare_add(compare, i < 4 ? COMPARE_BEFORE : COMPARE_AFTER, model);
		model_close(model);
	}
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	assert_int_equal(compare_median_run(comparison, COMPARE_BEFORE), 0);
	assert_int_equal(compare_median_run(comparison, COMPARE_AFTER), 6);
}
