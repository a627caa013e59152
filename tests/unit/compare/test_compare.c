// SPDX-License-Identifier: Apache-2.0
// Two sides of models drawn by hand: what is paired, matched, added up and believed.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <math.h>

/** In every run, the rows of each table add up to the total. */
static void adds_up(const struct comparison *comparison)
{
	size_t runs = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];

	for (int table = 0; table < COMPARE_TABLES; table++)
		for (size_t i = 0; i < runs * COMPARE_METRICS; i++) {
			uint64_t sum = 0;

			// A page that faults for two reasons is in two rows.
			if (i % COMPARE_METRICS == COMPARE_PAGES)
				continue;
			for (size_t row = 0; row < comparison->row_count[table]; row++)
				sum += comparison->rows[table][row].runs[i];
			assert_int_equal(sum, comparison->total.runs[i]);
		}
}

/** Compare @before_count models, then @after_count others; the models are closed. */
static struct comparison *compare_models(struct model **models, size_t before_count,
					 size_t after_count, const struct compare_pair *pair)
{
	const size_t counts[] = { before_count, after_count };
	CLEANUP(compare_destroyp)
	struct compare *compare = compare_create(counts, pair, pair != NULL);

	for (size_t i = 0; i < before_count + after_count; i++) {
		models[i]->trace.path = "trace";
		compare_add(compare, i < before_count ? COMPARE_BEFORE : COMPARE_AFTER, models[i]);
		model_close(models[i]);
	}
	struct comparison *comparison = compare_finish(compare);

	adds_up(comparison);
	return comparison;
}

static const struct compare_row *row_named(const struct comparison *comparison,
					   enum compare_table table, const char *name)
{
	const struct compare_row *found = NULL;

	array_foreach (row, comparison->rows[table], comparison->row_count[table]) {
		if (row->name && strcmp(row->name, name) == 0) {
			assert_null(found);
			found = row;
		}
	}
	return found;
}

static const struct compare_figure *faults_of(const struct comparison *comparison,
					      enum compare_table table, const char *name)
{
	return &row_named(comparison, table, name)->figures[COMPARE_FAULTS];
}

static const struct compare_object *object_at(const struct comparison *comparison, const char *path)
{
	for (size_t i = 0; i < comparison->object_count; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			if (comparison->objects[i].path[side] &&
			    strcmp(comparison->objects[i].path[side], path) == 0)
				return &comparison->objects[i];
	return NULL;
}

/**
 * A library at @path, with faults on a symbol of each name and @elsewhere outside files; the
 * symbol's n-th name has n + 1 faults.
 */
static struct model *draw(const char *path, const char *const *names, size_t elsewhere)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, path);
	uint32_t text = sketch_section(&sketch, lib, ".text", 1 << 20);

	for (size_t i = 0; names[i]; i++) {
		uint32_t symbol = sketch_symbol(&sketch, text, names[i], 16);
		uint32_t function = sketch_function(&sketch, lib, names[i], 16);

		for (size_t n = 0; n <= i; n++) {
			struct model_fault *fault = sketch_fault(&sketch, text, MODEL_PROGRAM);

			fault->at.name = symbol;
			SKETCH_IP(fault)->object = lib;
			SKETCH_IP(fault)->name = function;
			fault->has_duration = true;
			fault->duration_ns = 10;
			fault->has_read = n % 2 == 1;
			SKETCH_EXTENT(fault)->read_pages = 3;
			SKETCH_EXTENT(fault)->read_span = 4;
		}
	}
	sketch_fill(&sketch, sketch.faults.count + elsewhere);
	struct model *model = sketch_end(&sketch);

	model->trace.has_reads = true;
	return model;
}

TEST(bytes_read_are_compared_where_every_run_tells_them)
{
	static const char *const old_names[] = { "foo", "bar", "baz", NULL };
	static const char *const new_names[] = { "foo", "bar", NULL };
	const double page = 4096;

	for (int is_known = 0; is_known < 2; is_known++) {
		struct model *models[] = { draw("/a/libx.so", old_names, 3),
					   draw("/a/libx.so", old_names, 3),
					   draw("/a/libx.so", new_names, 1) };

		models[1]->trace.has_reads = is_known;
		CLEANUP(comparison_closep)
		struct comparison *comparison = compare_models(models, 2, 1, NULL);

		assert_int_equal(comparison->has_reads, is_known);
		assert_int_equal(comparison->runs[1].has_reads, is_known);
		assert_int_equal(comparison->notes.list.count, is_known ? 0 : 1);
		if (!is_known) {
			assert_non_null(strstr(comparison->notes.list.items[0].text,
					       "bytes read are not compared: trace "));
			assert_true(comparison->total.figures[COMPARE_READ].difference == 0);
			continue;
		}
		const struct compare_row *bar = row_named(comparison, COMPARE_BY_SYMBOL, "bar");
		const struct compare_row *baz = row_named(comparison, COMPARE_BY_FUNCTION, "baz");

		assert_true(bar->figures[COMPARE_READ].median[COMPARE_BEFORE] == 3 * page);
		assert_true(bar->figures[COMPARE_READ].difference == 0);
		assert_true(baz->figures[COMPARE_READ].difference == -3 * page);
		assert_true(comparison->total.figures[COMPARE_READ].median[COMPARE_BEFORE] ==
			    6 * page);
	}
}

TEST(symbols_match_whatever_compilers_append)
{
	static const char *const old_names[] = { "foo", "foo.cold", "bar(int) [clone .isra.0]",
						 NULL };
	static const char *const new_names[] = { "bar(int)", "foo.constprop.0", NULL };
	struct model *models[] = { draw("/a/libx.so", old_names, 3),
				   draw("/b/libx.so", new_names, 1) };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_models(models, 1, 1, NULL);
	const struct compare_row *foo = row_named(comparison, COMPARE_BY_SYMBOL, "foo");
	const struct compare_row *bar = row_named(comparison, COMPARE_BY_FUNCTION, "bar(int)");

	assert_non_null(foo);
	assert_true(foo->figures[COMPARE_FAULTS].median[COMPARE_BEFORE] == 3);
	assert_true(foo->figures[COMPARE_FAULTS].difference == -1);
	assert_true(foo->figures[COMPARE_PAGES].median[COMPARE_BEFORE] == 3);
	assert_non_null(bar);
	assert_true(bar->figures[COMPARE_FAULTS].difference == -2);
	assert_true(bar->figures[COMPARE_DURATION].difference == -20);
	assert_int_equal(bar->figures[COMPARE_FAULTS].verdict, COMPARE_UNKNOWN);
	assert_true(comparison->total.figures[COMPARE_FAULTS].difference == -5);
	assert_false(comparison->can_tell);
}

TEST(objects_are_paired_by_soname_then_file_name)
{
	static const char *const names[] = { "foo", NULL };
	struct model *models[] = { draw("/a/libx.so", names, 0), draw("/b/libx.so", names, 0) };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_models(models, 1, 1, NULL);

	assert_int_equal(comparison->object_count, 1);
	assert_int_equal(comparison->objects[0].pairing, COMPARE_BY_SONAME);
	assert_string_equal(comparison->objects[0].label, "libx.so");
	assert_true(comparison->rows[COMPARE_BY_OBJECT][0].figures[COMPARE_FAULTS].difference == 0);
}

TEST(names_that_differ_are_paired_only_when_asked)
{
	static const char *const names[] = { "foo", NULL };
	static const struct compare_pair pair = { "libx.so.1", "/b/liby.so" };
	struct model *apart[] = { draw("/a/libx.so.1", names, 0), draw("/b/liby.so", names, 0) };
	struct model *asked[] = { draw("/a/libx.so.1", names, 0), draw("/b/liby.so", names, 0) };
	CLEANUP(comparison_closep) struct comparison *two = compare_models(apart, 1, 1, NULL);
	CLEANUP(comparison_closep) struct comparison *one = compare_models(asked, 1, 1, &pair);

	assert_int_equal(two->object_count, 2);
	assert_int_equal(object_at(two, "/a/libx.so.1")->pairing, COMPARE_UNPAIRED);
	assert_int_equal(one->object_count, 1);
	assert_int_equal(one->objects[0].pairing, COMPARE_AS_ASKED);
}

TEST(a_pair_that_names_nothing_is_told)
{
	static const char *const names[] = { "foo", NULL };
	static const struct compare_pair pairs[] = { { "libx.so", "libx.so" },
						     { "libx.so", "liby.so" } };
	static const size_t counts[] = { 1, 1 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, pairs, 2);
	CLEANUP(model_closep) struct model *before = draw("/a/libx.so", names, 0);
	CLEANUP(model_closep) struct model *after = draw("/a/libx.so", names, 0);
	enum compare_side side;

	before->trace.path = after->trace.path = "trace";
	compare_add(compare, COMPARE_BEFORE, before);
	compare_add(compare, COMPARE_AFTER, after);
	assert_ptr_equal(compare_unmatched(compare, &side), &pairs[1]);
	assert_int_equal(side, COMPARE_AFTER);
}

/** Objects of one path and no build-id, as a file that was replaced leaves them. */
static struct model *draw_twins(void)
{
	struct sketch sketch = sketch_start();
	uint32_t one = sketch_object(&sketch, "/a/libx.so");
	uint32_t two = sketch_object(&sketch, "/a/libx.so");

	sketch_faults(&sketch, sketch_section(&sketch, one, ".text", 100), MODEL_PROGRAM, 3);
	sketch_faults(&sketch, sketch_section(&sketch, two, ".text", 100), MODEL_PROGRAM, 8);
	return sketch_end(&sketch);
}

TEST(a_trace_does_not_differ_from_itself)
{
	struct model *models[] = { draw_twins(), draw_twins() };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_models(models, 1, 1, NULL);

	assert_int_equal(comparison->object_count, 2);
	for (int table = 0; table < COMPARE_TABLES; table++)
		for (size_t i = 0; i < comparison->row_count[table]; i++)
			for (int metric = 0; metric < COMPARE_METRICS; metric++)
				assert_int_equal(comparison->rows[table][i].figures[metric].verdict,
						 COMPARE_SAME);
}

TEST(addresses_stand_for_nothing_in_another_build)
{
	static const char *const names[] = { "fn@0x1200", NULL };
	struct model *other[] = { draw("/a/libx.so", names, 0), draw("/a/libx.so", names, 0) };
	struct model *same[] = { draw("/a/libx.so", names, 0), draw("/a/libx.so", names, 0) };

	((struct model_object *)other[0]->objects)[0].build_id = "aa";
	((struct model_object *)other[1]->objects)[0].build_id = "bb";
	((struct model_object *)same[0]->objects)[0].build_id = "aa";
	((struct model_object *)same[1]->objects)[0].build_id = "aa";
	CLEANUP(comparison_closep) struct comparison *two = compare_models(other, 1, 1, NULL);
	CLEANUP(comparison_closep) struct comparison *one = compare_models(same, 1, 1, NULL);

	assert_int_equal(two->row_count[COMPARE_BY_SYMBOL], 2);
	assert_int_equal(one->row_count[COMPARE_BY_SYMBOL], 1);
}

/** Initializers of functions and sources, each with one fault more than the one before it. */
static struct model *draw_initializers(const char *const (*rows)[2], size_t count)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/a/libx.so");
	uint32_t bss = sketch_section(&sketch, lib, ".bss", 100);

	for (size_t i = 0; i < count; i++) {
		uint32_t initializer = sketch_initializer(&sketch, lib, rows[i][0]);

		sketch.initializers.items[initializer].source = rows[i][1];
		for (size_t n = 0; n <= i; n++)
			sketch_fault(&sketch, bss, MODEL_STATIC_INIT)->initializer = initializer;
	}
	sketch_fill(&sketch, sketch.faults.count + 2);
	return sketch_end(&sketch);
}

TEST(renamed_initializers_match_by_source_file)
{
	static const char *const before[][2] = {
		{ "_GLOBAL__sub_I_a", "/src/a.cc" },
		{ "init_a_too", "/src/a.cc" },
		{ "stays", "/src/b.cc" },
		{ "goes", "/src/c.cc" },
	};
	static const char *const after[][2] = {
		{ "_sub_I_65535_0", "../a.cc" },
		{ "stays", "/src/b.cc" },
		{ "comes", "/src/d.cc" },
	};
	struct model *models[] = { draw_initializers(before, 4), draw_initializers(after, 3) };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_models(models, 1, 1, NULL);
	const struct compare_row *merged = NULL;

	array_foreach (row, comparison->rows[COMPARE_BY_INITIALIZER],
		       comparison->row_count[COMPARE_BY_INITIALIZER])
		if (row->source && !row->name)
			merged = row;
	assert_non_null(merged);
	assert_true(merged->figures[COMPARE_FAULTS].median[COMPARE_BEFORE] == 3);
	assert_true(merged->figures[COMPARE_FAULTS].median[COMPARE_AFTER] == 1);
	assert_null(row_named(comparison, COMPARE_BY_INITIALIZER, "_sub_I_65535_0"));
	assert_true(faults_of(comparison, COMPARE_BY_INITIALIZER, "stays")->difference == -1);
	assert_true(faults_of(comparison, COMPARE_BY_INITIALIZER, "goes")->difference == -4);
	assert_true(faults_of(comparison, COMPARE_BY_INITIALIZER, "comes")->difference == 3);
}

/** Runs whose program faults are as given; the loader's jump about by themselves. */
static struct comparison *repeat(const size_t *program, size_t before_count, size_t after_count)
{
	static const size_t noise[] = { 40, 44, 38, 43, 41, 42, 39, 45, 40, 41 };
	struct model *models[20];

	for (size_t i = 0; i < before_count + after_count; i++) {
		struct sketch sketch = sketch_start();
		uint32_t lib = sketch_object(&sketch, "/a/libx.so");
		uint32_t text = sketch_section(&sketch, lib, ".text", 100);

		sketch_faults(&sketch, text, MODEL_PROGRAM, program[i]);
		sketch_faults(&sketch, text, MODEL_LOADER, noise[i % 10]);
		models[i] = sketch_end(&sketch);
	}
	return compare_models(models, before_count, after_count, NULL);
}

TEST(repeats_tell_what_is_real)
{
	static const size_t program[] = { 100, 101, 100, 102, 100, 80, 81, 80, 82, 79 };
	CLEANUP(comparison_closep) struct comparison *comparison = repeat(program, 5, 5);
	const struct compare_figure *real = faults_of(comparison, COMPARE_BY_INITIATOR, "program");
	const struct compare_figure *noise = faults_of(comparison, COMPARE_BY_INITIATOR, "loader");

	assert_true(comparison->can_tell);
	assert_int_equal(real->verdict, COMPARE_REAL);
	assert_true(real->median[COMPARE_BEFORE] == 100 && real->median[COMPARE_AFTER] == 80);
	assert_true(real->spread[COMPARE_BEFORE] == 1 && real->spread[COMPARE_AFTER] == 1);
	assert_true(fabs(real->p - 2.0 / 252) < 1e-12);
	assert_int_equal(noise->verdict, COMPARE_NOISE);
	assert_int_equal(comparison->total.figures[COMPARE_FAULTS].verdict, COMPARE_REAL);
	// What is real comes first.
	assert_string_equal(comparison->rows[COMPARE_BY_INITIATOR][0].name, "program");
}

/** A library with @faults of the program, and one of the loader that @waits for storage. */
static struct model *draw_wait(size_t faults, bool waits)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/a/libx.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 100);

	sketch_faults(&sketch, text, MODEL_PROGRAM, faults);
	sketch_fault(&sketch, text, MODEL_LOADER)->kind = waits ? MODEL_MAJOR : MODEL_MINOR;
	return sketch_end(&sketch);
}

TEST(a_wait_for_storage_weighs_as_a_hundred_faults)
{
	static const struct {
		size_t more;
		const char *first;
	} cases[] = { { 98, "loader" }, { 100, "program" } };

	for (size_t i = 0; i < 2; i++) {
		struct model *models[] = { draw_wait(10, true),
					   draw_wait(10 + cases[i].more, false) };
		CLEANUP(comparison_closep)
		struct comparison *comparison = compare_models(models, 1, 1, NULL);

		assert_string_equal(comparison->rows[COMPARE_BY_INITIATOR][0].name, cases[i].first);
	}
}

static enum compare_verdict verdict_of_program(const size_t *program, size_t count)
{
	CLEANUP(comparison_closep) struct comparison *comparison = repeat(program, count, count);

	return faults_of(comparison, COMPARE_BY_INITIATOR, "program")->verdict;
}

/** docs/measured/noise.md says how often runs of one build come out so. */
TEST(few_runs_show_only_what_stands_clearly_apart)
{
	// Two faults, though no run of one side is like one of the other.
	static const size_t two[] = { 10, 10, 10, 10, 10, 12, 12, 12, 12, 12 };
	static const size_t three[] = { 10, 10, 10, 10, 10, 13, 13, 13, 13, 13 };
	// Ten apart, but one side scatters by ten, too.
	static const size_t scattered[] = { 20, 24, 30, 22, 25, 40, 41, 40, 40, 40 };
	static const size_t clear[] = { 20, 24, 30, 22, 25, 41, 41, 42, 41, 41 };

	assert_int_equal(verdict_of_program(two, 5), COMPARE_NOISE);
	assert_int_equal(verdict_of_program(three, 5), COMPARE_REAL);
	assert_int_equal(verdict_of_program(scattered, 5), COMPARE_NOISE);
	assert_int_equal(verdict_of_program(clear, 5), COMPARE_REAL);
}

/** Of four runs each p is 0.029 at least, too much for one row of two by the procedure alone. */
TEST(four_runs_show_one_row_that_lies_far_apart)
{
	static const size_t far[] = { 47, 46, 48, 45, 63, 62, 64, 62 };
	// Eleven apart, and scattered by six.
	static const size_t near[] = { 47, 42, 48, 46, 60, 59, 62, 60 };

	assert_int_equal(verdict_of_program(far, 4), COMPARE_REAL);
	assert_int_equal(verdict_of_program(near, 4), COMPARE_NOISE);
}

TEST(ten_runs_show_one_fault)
{
	static const size_t one[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
				      11, 11, 11, 11, 11, 11, 11, 11, 11, 11 };
	static const size_t mixed[] = { 10, 10, 11, 10, 10, 10, 10, 11, 10, 11,
					11, 11, 10, 11, 11, 10, 11, 11, 11, 11 };

	assert_int_equal(verdict_of_program(one, 10), COMPARE_REAL);
	assert_int_equal(verdict_of_program(mixed, 10), COMPARE_NOISE);
}

static enum compare_doubt doubt_of_program(const size_t *program, size_t count)
{
	CLEANUP(comparison_closep) struct comparison *comparison = repeat(program, count, count);
	const struct compare_figure *faults =
		faults_of(comparison, COMPARE_BY_INITIATOR, "program");

	assert_int_equal(faults->verdict, COMPARE_NOISE);
	return faults->doubt;
}

TEST(a_difference_within_noise_names_the_rule_that_fails)
{
	static const size_t mixed[] = { 100, 90, 95, 105, 99, 101, 92, 94, 104, 100 };
	static const size_t wide[] = { 10, 10, 10, 30, 30, 31, 32, 33, 60, 60 };
	static const size_t two[] = { 10, 10, 10, 10, 10, 12, 12, 12, 12, 12 };
	static const size_t scattered[] = { 20, 24, 30, 22, 25, 40, 41, 40, 40, 40 };

	assert_int_equal(doubt_of_program(mixed, 5), COMPARE_DOUBT_RANK);
	assert_int_equal(doubt_of_program(wide, 5), COMPARE_DOUBT_SPREAD);
	assert_int_equal(doubt_of_program(two, 5), COMPARE_DOUBT_NEAR);
	assert_int_equal(doubt_of_program(scattered, 5), COMPARE_DOUBT_SCATTER);
}

TEST(three_runs_each_tell_nothing)
{
	static const size_t program[] = { 100, 100, 100, 80, 80, 80 };
	CLEANUP(comparison_closep) struct comparison *comparison = repeat(program, 3, 3);

	assert_false(comparison->can_tell);
	assert_int_equal(faults_of(comparison, COMPARE_BY_INITIATOR, "program")->verdict,
			 COMPARE_UNKNOWN);
}

TEST(runs_that_vary_alike_are_noise)
{
	static const size_t program[] = { 100, 90, 95, 105, 99, 101, 92, 94, 104, 100 };
	CLEANUP(comparison_closep) struct comparison *comparison = repeat(program, 5, 5);

	for (int table = 0; table < COMPARE_TABLES; table++)
		for (size_t i = 0; i < comparison->row_count[table]; i++)
			assert_int_not_equal(
				comparison->rows[table][i].figures[COMPARE_FAULTS].verdict,
				COMPARE_REAL);
}

static const struct compare_row *cause(const struct comparison *comparison, const char *section)
{
	return row_named(comparison, COMPARE_BY_CAUSE, section);
}

static struct model *draw_relocated(size_t faults, bool is_relr)
{
	static const struct model_relocation rela = {
		.counts = { [MODEL_RELOCATION_RELATIVE] = 9800 },
		.uses_rela = true,
		.table_bytes = 235200,
	};
	static const struct model_relocation relr = {
		.counts = { [MODEL_RELOCATION_RELATIVE] = 9800 },
		.uses_relr = true,
		.table_bytes = 2400,
		.bind_now = true,
	};
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/a/libx.so");

	sketch.objects.items[lib].relocation = is_relr ? &relr : &rela;
	sketch_faults(&sketch, sketch_section(&sketch, lib, ".rela.dyn", 100), MODEL_RELOCATION,
		      faults);
	sketch_faults(&sketch, sketch_section(&sketch, lib, ".text", 100), MODEL_PROGRAM, faults);
	return sketch_end(&sketch);
}

TEST(a_change_in_layout_explains_the_cause_that_it_bears_on)
{
	struct model *models[] = { draw_relocated(57, false), draw_relocated(1, true) };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_models(models, 1, 1, NULL);
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(compare_explain(comparison, cause(comparison, ".rela.dyn"), &arena),
			    "encoding rela -> relr; relocation tables 229.7 KiB -> 2.3 KiB; bound "
			    "when loaded (-z now), lazily before");
	assert_null(compare_explain(comparison, cause(comparison, ".text"), &arena));
}
