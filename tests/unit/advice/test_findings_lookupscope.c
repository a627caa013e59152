// SPDX-License-Identifier: Apache-2.0
// When lookup-scope speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "model/binding.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

/** @objects libraries, each with one fault of the loader; the first takes @lookups of lookup. */
static struct sketch draw(size_t objects, size_t lookups, size_t total)
{
	static const struct model_relocation relocation = { .lookups_at_load = 1500 };
	struct sketch sketch = sketch_start();

	for (size_t i = 0; i < objects; i++) {
		uint32_t lib = sketch_object(&sketch, i == 0 ? "/lib/libfoo.so" : "/lib/libbar.so");
		uint32_t strings = sketch_section(&sketch, lib, ".dynstr", 1 << 20);

		sketch_fault(&sketch, strings, MODEL_LOADER);
	}
	sketch_faults(&sketch, 0, MODEL_SYMBOL_LOOKUP, lookups);
	sketch.objects.items[0].relocation = &relocation;
	sketch_fill(&sketch, total);
	return sketch;
}

TEST(it_tells_how_many_files_are_searched)
{
	struct sketch sketch = draw(10, 32, 3200);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "lookup-scope");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_string_equal(finding->evidence,
			    "A program has up to 10 ELF files, each of which may be searched for a "
			    "name. Loading the files of this run looks up 1,500 names, most for "
			    "libfoo.so 1,500.");
}

/** The answer for a program whose names take 2,000 searches, of which an order spares @spared. */
static struct model *draw_searched(uint64_t spared, const char *unknown)
{
	static const struct model_bound_file files[] = {
		{ .object = 1, .in = { .filtered = 500, .in_vain = 20, .found = 480 } },
		{ .object = 0, .in = { .filtered = 900, .in_vain = 80, .found = 20 } },
	};
	const struct model_loading loading = {
		.files = files,
		.file_count = 2,
		.sum = { .names = 600,
			 .searches = 2000,
			 .filtered = 1400,
			 .in_vain = 100,
			 .found = 500 },
		.best_order = spared,
		.unknown = unknown,
	};
	const struct model_bindings bindings = { .loadings = &loading, .count = 1 };
	struct sketch sketch = draw(10, 32, 3200);

	sketch.model->bindings = &bindings;
	return sketch_end(&sketch);
}

TEST(it_tells_which_files_are_searched_for_nothing)
{
	CLEANUP(model_closep) struct model *model = draw_searched(99, NULL);
	CLEANUP(model_closep) struct model *ordered = draw_searched(100, NULL);
	CLEANUP(model_closep) struct model *unknown = draw_searched(100, "musl");
	const struct model_finding *finding = sketch_finding(model, "lookup-scope");
	const struct model_finding *other = sketch_finding(ordered, "lookup-scope");

	assert_non_null(strstr(
		finding->evidence,
		" /lib/libbar.so has 600 names searched for 2,000 times: 70.0% end at a Bloom "
		"filter, 5.0% find nothing behind it, 25.0% find the name. Most find "
		"nothing in libfoo.so 980, /lib/libbar.so 520."));
	assert_int_equal(other->cure_count, finding->cure_count + 1);
	assert_non_null(strstr(other->advice, "saves at least 100 searches"));
	assert_null(
		strstr(sketch_finding(unknown, "lookup-scope")->evidence, "names searched for"));
}

TEST(advice_names_what_options_save)
{
	static const struct model_relink relinks[] = {
		{ .option = "-Bsymbolic", .applies = true, .lookups = -1200 },
		{ .option = "-Bsymbolic-functions", .applies = true, .lookups = -500 },
	};
	static const struct model_relocation relocation = { .lookups_at_load = 1500,
							    .relinks = relinks,
							    .relink_count = 2 };
	struct sketch none = draw(10, 32, 3200), both = draw(10, 32, 3200);

	both.objects.items[0].relocation = &relocation;
	CLEANUP(model_closep) struct model *linked_so = sketch_end(&none);
	CLEANUP(model_closep) struct model *model = sketch_end(&both);
	const struct model_finding *finding = sketch_finding(model, "lookup-scope");

	// What is linked so already is not told to be.
	assert_int_equal(sketch_finding(linked_so, "lookup-scope")->cure_count, 1);
	assert_null(strstr(sketch_finding(linked_so, "lookup-scope")->advice, "Bsymbolic"));
	assert_int_equal(finding->cure_count, 3);
	assert_non_null(strstr(finding->cures[0].text, "saves 500 of these names: libfoo.so 500."));
	assert_non_null(strstr(finding->cures[1].text, "saves 1,200: libfoo.so 1,200."));
	// Names of other files are looked up all the same.
	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->saves.faults, 26); // 32 * 1,200 / 1,500
	assert_int_equal(sketch_finding(linked_so, "lookup-scope")->saves.faults, 32);
}

/** The saving of a run whose account has 9 ms of looking names up. */
static struct model_saving saving_with(bool faults_in_cpu)
{
	struct model_account account = {
		.faults_in_cpu = faults_in_cpu,
		.samples = 100,
		.by_initiator[MODEL_SYMBOL_LOOKUP].ns[MODEL_STATE_CPU] = 9000000,
	};
	struct sketch sketch = draw(10, 32, 3200);

	sketch.model->account = &account;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "lookup-scope");

	assert_int_equal(finding->cpu_ns, 9000000);
	return finding->saves;
}

TEST(time_is_promised_only_where_that_of_faults_is_known)
{
	assert_int_equal(saving_with(false).duration_ns, 9000000);
	assert_int_equal(saving_with(true).duration_ns, 0);
	assert_int_equal(saving_with(true).faults, 32);
}

TEST(it_is_silent_below_each_threshold)
{
	struct sketch files = draw(9, 32, 3200), faults = draw(10, 31, 100);
	struct sketch share = draw(10, 32, 3201), part = draw(10, 32, 3200);

	part.model->is_narrowed = true;
	CLEANUP(model_closep) struct model *few_files = sketch_end(&files);
	CLEANUP(model_closep) struct model *few_faults = sketch_end(&faults);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&share);
	CLEANUP(model_closep) struct model *narrowed = sketch_end(&part);

	assert_null(sketch_finding(few_files, "lookup-scope"));
	assert_null(sketch_finding(few_faults, "lookup-scope"));
	assert_null(sketch_finding(small_share, "lookup-scope"));
	assert_null(sketch_finding(narrowed, "lookup-scope"));
}

/** The finding of @objects files and few faults, where looking names up took @cpu_ns of 100 ms. */
static struct model *draw_computing(struct model_account *account, size_t objects, uint64_t cpu_ns,
				    uint64_t error_ns)
{
	static const struct model_relink relinks[] = {
		{ .option = "-Bsymbolic", .applies = true, .lookups = -1200 },
	};
	static const struct model_relocation relocation = { .lookups_at_load = 1500,
							    .relinks = relinks,
							    .relink_count = 1 };
	struct sketch sketch = draw(objects, 2, 3200);

	*account = (struct model_account){
		.samples = 100,
		.all.ns[MODEL_STATE_CPU] = 100000000,
		.by_initiator[MODEL_SYMBOL_LOOKUP].ns[MODEL_STATE_CPU] = cpu_ns,
		.cpu_error_ns[MODEL_SYMBOL_LOOKUP] = error_ns,
	};
	sketch.model->account = account;
	sketch.objects.items[0].relocation = &relocation;
	return sketch_end(&sketch);
}

TEST(time_alone_is_worth_a_finding)
{
	struct model_account accounts[3];
	CLEANUP(model_closep) struct model *model = draw_computing(&accounts[0], 10, 1000000, 0);
	CLEANUP(model_closep) struct model *less = draw_computing(&accounts[1], 10, 999999, 0);
	CLEANUP(model_closep)
	struct model *vague = draw_computing(&accounts[2], 10, 1500000, 501000);
	const struct model_finding *finding = sketch_found(model, "lookup-scope");

	assert_int_equal(finding->faults, 2);
	// The share of the names, although so few faults cannot be divided by it.
	assert_int_equal(finding->saves.faults, 2);
	assert_int_equal(finding->saves.duration_ns, 800000);
	assert_null(sketch_finding(less, "lookup-scope"));
	assert_null(sketch_finding(vague, "lookup-scope"));
}

TEST(few_files_count_where_searching_them_takes_a_tenth)
{
	struct model_account accounts[3];
	CLEANUP(model_closep) struct model *model = draw_computing(&accounts[0], 2, 10000000, 0);
	CLEANUP(model_closep) struct model *less = draw_computing(&accounts[1], 2, 9999999, 0);
	CLEANUP(model_closep) struct model *one = draw_computing(&accounts[2], 1, 10000000, 0);

	assert_string_equal(sketch_finding(model, "lookup-scope")->title,
			    "Names are searched in up to 2 files");
	assert_null(sketch_finding(less, "lookup-scope"));
	assert_null(sketch_finding(one, "lookup-scope"));
}

TEST(files_of_one_program_and_the_next_do_not_add_up)
{
	struct sketch sketch = draw(10, 32, 3200);

	// After the first five the process runs another program.
	uint32_t next = sketch_exec(&sketch, SKETCH_PID, MODEL_NONE);
	for (size_t i = 5; i < sketch.faults.count; i++)
		sketch.faults.items[i].thread = next;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "lookup-scope"));
}
