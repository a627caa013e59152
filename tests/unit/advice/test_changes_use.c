// SPDX-License-Identifier: Apache-2.0
// Findings about two builds drawn by hand whose code, data or runs differ, and what is no finding.
#include "base/cleanup.h"
#include "tests/support/builds.h"

const struct tests_around tests_around = { .after_each = builds_forget };

TEST(a_library_comes_with_all_its_faults)
{
	const struct build before = { .on_text = 10 };
	const struct build after = { .on_text = 10,
				     .library = "/lib/libextra.so.1",
				     .on_library = 12 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "libraries-added");

	assert_string_equal(finding->title,
			    "One additional library is loaded, with 12 faults on it");
	assert_string_equal(
		finding->evidence,
		"Faults on each: libextra.so.1 12 (program needs it now). Mapping them, and "
		"looking up names for them in other files, is not counted here.");
	assert_non_null(strstr(finding->advice, "--as-needed"));
	const struct compare_finding *gone = builds_only(&after, &before, 1, "libraries-gone");
	assert_null(gone->advice);
	builds_shown(before, after, "libraries-added");
	const struct build hardly = { .on_text = 10,
				      .library = "/lib/libextra.so.1",
				      .on_library = 3 };
	builds_silent(&before, &hardly, 1);
}

TEST(a_library_of_another_version_is_not_a_new_one)
{
	const struct build before = { .on_text = 10,
				      .library = "/lib/libextra.so.1",
				      .on_library = 12 };
	struct build after = { .on_text = 10, .library = "/lib/libextra.so.2", .on_library = 12 };

	builds_silent(&before, &after, 1);
	after.on_library = 30;
	const struct compare_finding *finding =
		builds_only(&before, &after, 1, "libraries-renamed");
	assert_string_equal(finding->title,
			    "Libraries have other names, and 30 faults on them instead of 12");
	assert_string_equal(finding->evidence,
			    "Faults on each: libextra.so.2 30 (only after), libextra.so.1 12 (only "
			    "before). If they are builds of one library, --pair compares them.");
	assert_false(finding->is_cause);
	builds_judged(before, after, "libraries-renamed");
}

TEST(a_section_that_grew_goes_with_its_faults)
{
	const struct build before = { .text = 500000, .on_text = 100 };
	struct build after = { .text = 600000, .on_text = 115 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "section-grew");

	assert_string_equal(finding->title, ".text grew by 20 %, and its faults by 15 %");
	assert_false(finding->is_cause);
	assert_non_null(strstr(finding->advice, "--gc-sections"));
	const struct compare_finding *shrank = builds_only(&after, &before, 1, "section-shrank");
	assert_null(shrank->advice);
	builds_judged(before, after, "section-grew");
	struct build gcc = before, clang = after;
	gcc.toolchain = "GCC: 12.2.0";
	clang.toolchain = "clang 14";
	const struct compare_finding *built = builds_only(&gcc, &clang, 1, "section-grew");
	assert_string_equal(
		built->evidence,
		".text: 488.3 KiB -> 585.9 KiB. Faults of the program and its initializers on it: "
		"100, then 115. Built by GCC: 12.2.0 before, by clang 14 after.");
	after.on_text = 85; // it grew, its faults did not
	builds_silent(&before, &after, 1);
	after = (struct build){ .text = 520000, .on_text = 115 }; // hardly grew
	builds_silent(&before, &after, 1);
	after = (struct build){ .text = 530000, .on_text = 200 }; // far more than it grew
	builds_silent(&before, &after, 1);
	// Percentages of hundreds say less than the numbers.
	const struct build none = { .text = 250, .on_text = 1 };
	const struct compare_finding *huge = builds_only(&none, &before, 1, "section-grew");
	assert_string_equal(huge->title,
			    ".text grew, 250 B -> 488.3 KiB, and so did its faults: 1, then 100");
}

TEST(data_of_the_same_size_is_used_or_placed_otherwise)
{
	const struct build before = { .bss = 500000, .on_bss = 20, .on_text = 100 };
	struct build after = { .bss = 501000, .on_bss = 50, .on_text = 100 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "more-data");

	assert_string_equal(finding->title, ".bss has 30 more faults at nearly the same size: "
					    "other data is used, or the same data lies elsewhere");
	assert_false(finding->is_cause);
	assert_non_null(strstr(finding->advice, "--symbol-ordering-file"));
	const struct compare_finding *less = builds_only(&after, &before, 1, "less-data");
	assert_null(less->advice);
	builds_judged(before, after, "more-data");
	after.on_bss = 24; // hardly more
	builds_silent(&before, &after, 1);
}

enum { FUNCTIONS = 40 };

/** Functions that both sides ran, on so many pages of each. */
static struct compare_locality locality_of(struct compare_move *moves, uint64_t before,
					   uint64_t after)
{
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		moves[i] = (struct compare_move){ .page = { i % before, i % after } };
	return (struct compare_locality){ .moves = moves,
					  .move_count = FUNCTIONS,
					  .only = { 30, 2 } };
}

TEST(functions_that_moved_together_save_faults)
{
	struct compare_move moves[4][FUNCTIONS];
	const struct compare_locality closer = locality_of(moves[0], 40, 10);
	const struct compare_locality farther = locality_of(moves[1], 10, 40);
	const struct compare_locality unmoved = locality_of(moves[2], 40, 37);
	struct compare_locality others = locality_of(moves[3], 40, 10);
	const struct build before = { .text = 500000, .on_text = 60 };
	struct build after = { .text = 500000, .on_text = 20, .locality = &closer };
	const struct build back = { .text = 500000, .on_text = 60, .locality = &farther };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "functions-closer");

	assert_string_equal(finding->title, "The same 40 functions begin on 10 code pages instead "
					    "of 40, and its code has 40 fewer faults");
	assert_string_equal(
		finding->evidence,
		"Functions seen to run: 40 on both sides, 30 only before, 2 only after. Faults on "
		".text, except those of the dynamic linker: 60, then 20.");
	assert_true(finding->is_cause);
	const struct compare_finding *worse = builds_only(&after, &back, 1, "functions-farther");
	assert_non_null(strstr(worse->advice, "--symbol-ordering-file"));
	builds_judged(before, after, "functions-closer");
	// Those of initializers that LTO merged are told by another rule.
	const struct build apart = {
		.text = 500000, .initializers = 30, .in_initializers = 60, .on_text = 5
	};
	const struct build merged = { .text = 500000,
				      .initializers = 3,
				      .merged = 1,
				      .in_initializers = 20,
				      .on_text = 5,
				      .locality = &closer };
	builds_only(&apart, &merged, 1, "initializers-merged");
	others.only[COMPARE_AFTER] = 20; // that it runs others may be the reason
	after.locality = &others;
	const struct compare_finding *unsure = builds_only(&before, &after, 1, "functions-closer");
	assert_false(unsure->is_cause);
	after.locality = &unmoved;
	builds_silent(&before, &after, 1);
	after.locality = &farther; // and yet fewer faults: not of that
	builds_silent(&before, &after, 1);
}

TEST(memory_outside_files_is_told_from_layout)
{
	const struct build before = { .on_text = 100, .on_heap = 400 };
	struct build after = { .on_text = 110, .on_heap = 430 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "more-memory");

	assert_true(finding->figure.difference == 30);
	assert_non_null(strstr(finding->advice, "--by blame"));
	const struct compare_finding *less = builds_only(&after, &before, 1, "less-memory");
	assert_null(less->advice);
	builds_judged(before, after, "more-memory");
	after.on_heap = 404; // a few pages
	after.on_text = 100;
	builds_silent(&before, &after, 1);
	after.on_heap = 430;
	after.on_text = 400; // most of the difference is elsewhere
	builds_silent(&before, &after, 1);
}

TEST(the_same_files_differ_by_the_page_cache)
{
	const struct build cold = { .build_id = "aa", .on_text = 100, .on_text_major = 20 };
	const struct build warm = { .build_id = "aa", .on_text = 100 };
	const struct compare_finding *finding = builds_only(&cold, &warm, 1, "same-files");

	assert_string_equal(finding->title,
			    "The page cache differs, not the build: 20, then 0 major faults");
	assert_int_equal(finding->figure.metric, COMPARE_MAJOR);
	assert_null(finding->advice);
	const struct build other = { .build_id = "bb", .on_text = 100 };
	builds_silent(&cold, &other, 1);
	const struct build unknown = { .on_text = 100 };
	builds_silent(&cold, &unknown, 1);
}

TEST(the_same_files_in_other_conditions_are_told)
{
	const struct build before = { .build_id = "aa", .on_text = 100 };
	struct build after = { .build_id = "aa", .on_text = 150 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "same-files");

	assert_string_equal(
		finding->title,
		"Both sides run the same files: the build does not explain 50 more faults");
	assert_false(finding->is_cause);
	builds_judged(before, after, "same-files");
	after.on_text = 104; // one run may differ by that
	builds_silent(&before, &after, 1);
}

TEST(a_build_that_is_the_same_says_nothing)
{
	const struct build build = { .build_id = "aa",
				     .links = builds_rela,
				     .initializers = 5,
				     .in_initializers = 20,
				     .on_text = 100,
				     .on_table = 50,
				     .library = "/lib/libextra.so.1",
				     .on_library = 9 };

	builds_silent(&build, &build, 1);
	builds_silent(&build, &build, BUILDS_RUNS);
}

TEST(the_largest_difference_comes_first)
{
	const struct build before = {
		.links = builds_rela, .on_table = 59, .text = 500000, .on_text = 100
	};
	const struct build after = {
		.links = builds_relr, .on_table = 1, .text = 600000, .on_text = 115
	};
	CLEANUP(comparison_closep)
	struct comparison *comparison = builds_compare(&before, &after, 1);

	assert_int_equal(comparison->finding_count, 2);
	assert_string_equal(comparison->findings[0].id, "relr-introduced");
	assert_string_equal(comparison->findings[1].id, "section-grew");
}
