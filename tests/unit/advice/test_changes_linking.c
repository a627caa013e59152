// SPDX-License-Identifier: Apache-2.0
// Findings about two builds drawn by hand that were linked differently, and what is no finding.
#include "base/cleanup.h"
#include "tests/support/builds.h"

const struct tests_around tests_around = { .after_each = builds_forget };

TEST(initializers_that_lto_merged_are_counted)
{
	const struct build before = {
		.initializers = 103, .in_initializers = 120, .on_relro = 50, .on_text = 100
	};
	const struct build after = { .initializers = 4,
				     .merged = 2,
				     .in_initializers = 59,
				     .on_relro = 50,
				     .on_text = 100 };
	const struct compare_finding *finding =
		builds_only(&before, &after, 1, "initializers-merged");

	assert_string_equal(finding->title,
			    "LTO merged 101 of 103 initializers into 2 and saved 61 "
			    "faults in static-init; relocation is unchanged");
	assert_string_equal(
		finding->evidence,
		"static-init faults on it: 120, then 59. By section: .text 120, then 59.");
	assert_string_equal(finding->where, "object=/a/program,initiator=static-init");
	assert_int_equal(finding->figure.verdict, COMPARE_UNKNOWN);
	assert_true(finding->is_cause);
	assert_null(finding->advice);
	builds_judged(before, after, "initializers-merged");
}

TEST(initializers_that_are_split_again_are_worth_advice)
{
	const struct build before = { .initializers = 1, .merged = 1, .in_initializers = 59 };
	const struct build after = { .initializers = 103, .in_initializers = 120 };
	const struct compare_finding *finding =
		builds_only(&before, &after, 1, "initializers-split");

	assert_string_equal(finding->title, "LTO no longer merges initializers: 103 instead of 1, "
					    "and 61 more faults in static-init");
	assert_true(finding->is_cause);
	assert_non_null(strstr(finding->advice, "-flto"));
	builds_judged(before, after, "initializers-split");
}

TEST(fewer_initializers_are_no_merged_ones)
{
	const struct build before = { .initializers = 103, .in_initializers = 120 };
	const struct build after = { .initializers = 4, .in_initializers = 59 };
	const struct compare_finding *finding =
		builds_only(&before, &after, 1, "fewer-initializers");

	assert_string_equal(finding->title,
			    "103 initializers -> 4, and 61 fewer faults in static-init");
	assert_false(finding->is_cause);
	assert_null(finding->advice);
	const struct compare_finding *reverse =
		builds_only(&after, &before, 1, "more-initializers");
	assert_non_null(strstr(reverse->advice, "constinit"));
}

TEST(initializers_without_a_difference_in_faults_say_nothing)
{
	const struct build before = { .initializers = 103, .in_initializers = 60 };
	struct build after = { .initializers = 4, .merged = 2, .in_initializers = 60 };

	builds_silent(&before, &after, 1);
	after.in_initializers = 57; // less than CHANGE_MIN_FAULTS
	builds_silent(&before, &after, 1);
	// As many initializers: whatever differs, their number does not explain it.
	after = (struct build){ .initializers = 103, .in_initializers = 10 };
	builds_silent(&before, &after, 1);
}

TEST(relr_speaks_of_tables_and_not_of_pages_written)
{
	const struct build before = { .links = builds_rela, .on_table = 59, .on_relro = 64 };
	const struct build after = { .links = builds_relr, .on_table = 1, .on_relro = 64 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "relr-introduced");

	assert_string_equal(finding->title,
			    "RELR shrank the relocation tables and saved 58 faults in reading "
			    "them; writing relocated pages is unchanged");
	assert_string_equal(finding->evidence,
			    "Relocation tables: 234.4 KiB -> 5.9 KiB, with 9,800 relative "
			    "relocations on both sides. Relocation faults on them: 59, then 1.");
	assert_true(finding->is_cause);
	assert_null(finding->advice);
	const struct compare_finding *lost = builds_only(&after, &before, 1, "relr-lost");
	assert_non_null(strstr(lost->advice, "-Wl,-z,pack-relative-relocs"));
	builds_judged(before, after, "relr-introduced");
}

TEST(relr_that_changes_nothing_says_nothing)
{
	const struct build before = { .links = builds_rela, .on_table = 59 };
	struct build after = { .links = builds_relr, .on_table = 59 };

	builds_silent(&before, &after, 1);
	after.on_table = 90; // faults rose though the tables shrank: it is not that
	builds_silent(&before, &after, 1);
	after = (struct build){ .links = builds_rela, .on_table = 1 }; // no RELR
	builds_silent(&before, &after, 1);
}

TEST(pages_that_are_relocated_no_more_are_told)
{
	struct model_relocation fewer = builds_rela;
	fewer.counts[MODEL_RELOCATION_RELATIVE] = 4000;
	fewer.pages_holding = 30;
	const struct build before = { .links = builds_rela, .on_relro = 64 };
	const struct build after = { .links = fewer, .on_relro = 30 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "relocated-pages");

	assert_string_equal(finding->title, "Its relocations lie on 30 pages instead of 64, which "
					    "saved 34 faults in relocation there");
	assert_string_equal(finding->evidence,
			    "Relocations: 10,000 -> 4,200 (relative 9,800 -> 4,000). Relocation "
			    "faults outside its tables: 64, then 30.");
	assert_null(finding->advice);
	const struct compare_finding *more = builds_only(&after, &before, 1, "relocated-pages");
	assert_non_null(strstr(more->advice, "number of pointers"));
	builds_judged(before, after, "relocated-pages");
	// The same relocations on other pages, or fewer with more faults: not of that.
	const struct build worse = { .links = fewer, .on_relro = 90 };
	builds_silent(&before, &worse, 1);
}

TEST(a_fixed_address_needs_no_relative_relocations)
{
	const struct model_relocation none = { .counts = { 0, 2 }, .pages_holding = 1 };
	const struct build before = { .links = builds_rela, .on_table = 59, .on_relro = 64 };
	const struct build after = {
		.links = none, .is_fixed = true, .on_table = 1, .on_relro = 1
	};
	const struct compare_finding *finding = builds_only(&before, &after, 1, "fixed-address");

	assert_true(finding->figure.difference == -121);
	assert_true(finding->is_cause);
	const struct compare_finding *any = builds_only(&after, &before, 1, "any-address");
	assert_non_null(strstr(any->advice, "-no-pie"));
	builds_judged(before, after, "fixed-address");
}

static const struct model_relocation many_lookups = { .counts = { 10, 1000 },
						      .lookups_at_load = 1000 };
static const struct model_relocation few_lookups = { .counts = { 1000, 10 },
						     .lookups_at_load = 10 };

TEST(names_bound_when_linking_are_not_looked_up)
{
	const struct build before = { .links = many_lookups, .on_names = 60, .dynsym = 24000 };
	const struct build after = {
		.links = few_lookups, .is_symbolic = true, .on_names = 20, .dynsym = 24000
	};
	const struct compare_finding *finding = builds_only(&before, &after, 1, "fewer-lookups");

	assert_string_equal(
		finding->title,
		"It looks up 990 fewer names at load, and symbol lookup has 40 fewer faults");
	assert_string_equal(finding->evidence,
			    "Names looked up at load: program: 1,000 -> 10 (linked with -Bsymbolic "
			    "now, symbolic relocations 1,000 -> 10, relative 10 -> 1,000). "
			    "Symbol-lookup faults in all files: 60, then 20.");
	assert_true(finding->is_cause);
	const struct compare_finding *more = builds_only(&after, &before, 1, "more-lookups");
	assert_non_null(strstr(more->advice, "-Bsymbolic-functions"));
	builds_judged(before, after, "fewer-lookups");
	// Fewer names, more faults: they are not of that.
	const struct build worse = { .links = few_lookups, .on_names = 90, .dynsym = 24000 };
	builds_silent(&before, &worse, 1);
}

TEST(time_decides_where_faults_are_as_many)
{
	const struct build before = { .links = many_lookups,
				      .on_names = 60,
				      .name_ns = 100000,
				      .dynsym = 24000,
				      .noise = builds_quiet };
	struct build after = {
		.links = few_lookups, .on_names = 59, .name_ns = 10000, .dynsym = 24000
	};
	after.noise = builds_quiet;
	const struct compare_finding *finding =
		builds_only(&before, &after, BUILDS_RUNS, "fewer-lookups");

	assert_int_equal(finding->figure.metric, COMPARE_OWN);
	assert_string_equal(finding->title, "It looks up 990 fewer names at load, and symbol "
					    "lookup has 5.4 ms less own time");
	assert_non_null(strstr(finding->evidence,
			       "Symbol-lookup own time in all files: 6.0 ms -> 0.6 ms."));
	// Below 0.5 ms, and of runs that are too few to tell noise.
	after.name_ns = 95000;
	builds_silent(&before, &after, BUILDS_RUNS);
	after.name_ns = 10000;
	builds_silent(&before, &after, 1);
}

TEST(binding_at_load_moves_the_faults)
{
	const struct model_relocation lazy = { .counts = { [MODEL_RELOCATION_JUMP_SLOT] = 300 },
					       .lookups_at_load = 5 };
	struct model_relocation now = lazy;
	now.bind_now = true;
	now.lookups_at_load = 305;
	const struct build before = { .links = lazy, .on_names = 10, .on_plt = 40 };
	const struct build after = { .links = now, .on_names = 70, .on_plt = 1 };
	const struct compare_finding *finding = builds_only(&before, &after, 1, "bound-at-load");

	assert_string_equal(finding->title,
			    "Names are bound at load (-z now) instead of at first calls: "
			    "lazy-binding 40, then 1 faults, symbol-lookup 10, then 70");
	assert_string_equal(finding->evidence, "Linked with -z now: program (300 PLT entries). "
					       "Both together: 50, then 71 faults.");
	assert_true(finding->figure.difference == 21);
	assert_non_null(strstr(finding->advice, "-z,lazy"));
	const struct compare_finding *lazily = builds_only(&after, &before, 1, "bound-lazily");
	assert_null(lazily->advice); // 21 faults less
	builds_judged(before, after, "bound-at-load");
}

TEST(another_hash_table_is_told)
{
	const struct build before = { .hash = 1000, .on_names = 40 };
	const struct build after = { .gnu_hash = 1200, .on_names = 10 };
	const struct compare_finding *finding =
		builds_only(&before, &after, 1, "gnu-hash-introduced");

	assert_string_equal(finding->title, "It has .gnu.hash instead of only .hash, which saved "
					    "30 faults in looking up names in it");
	const struct compare_finding *lost = builds_only(&after, &before, 1, "gnu-hash-lost");
	assert_non_null(strstr(lost->advice, "--hash-style=gnu"));
	builds_judged(before, after, "gnu-hash-introduced");
	// Both kinds on one side: .gnu.hash is used on both.
	const struct build both = { .gnu_hash = 1200, .hash = 1000, .on_names = 40 };
	builds_silent(&both, &after, 1);
}
