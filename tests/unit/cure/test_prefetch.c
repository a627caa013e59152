// SPDX-License-Identifier: Apache-2.0
// From what runs used to a list: order, gaps, several runs, files that changed.

#include "base/strbuf.h"
#include "cure/prefetch.h"
#include "cure/requestcost.h"
#include "model/fileuses.h"
#include "tests/support/test.h"

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 100 * PAGE - 1000 };

static const struct model_used_file two_files[] = {
	{ .path = "/a", .size = SIZE, .has_mtime = true, .mtime_ns = 5 },
	{ .path = "/b", .build_id = "00ff", .size = SIZE, .has_mtime = true, .mtime_ns = 6 },
};

/** A use of pages, the @time-th of its run. */
static struct model_file_use use_of(uint64_t time, uint32_t file, uint64_t page, uint64_t count,
				    enum model_use use)
{
	return (struct model_file_use){ time, page * PAGE, count * PAGE, file, use };
}

static void add(struct prefetch_maker *maker, const struct model_used_file *files,
		const struct model_file_use *uses, size_t count, uint64_t start_ns)
{
	const struct model_file_uses table = {
		.files = files,
		.file_count = 2,
		.uses = uses,
		.use_count = count,
		.start_unix_ns = start_ns,
	};
	const struct model model = { .trace.page_size = PAGE, .file_uses = &table };

	prefetch_maker_add(maker, &model);
}

/** The ranges as text: "/a 0+3 fault", pages. */
static void expect(struct prefetch_maker *maker, uint64_t gap, const char *expected)
{
	struct arena arena = { 0 };
	struct notes notes = { 0 };
	struct strbuf text = { 0 };
	struct prefetch_list list = prefetch_maker_finish(maker, gap, &arena, &notes);

	for (size_t i = 0; i < list.range_count; i++) {
		const struct prefetch_range *range = &list.ranges[i];

		assert_int_equal(range->offset % PAGE, 0);
		strbuf_printf(&text, "%s%s %d+%d %s", i > 0 ? ", " : "",
			      list.files[range->file].path, (int)(range->offset / PAGE),
			      (int)((range->length + PAGE - 1) / PAGE),
			      prefetch_why_name(range->why));
	}
	assert_string_equal(strbuf_text(&text), expected);
	strbuf_deinit(&text);
	notes_deinit(&notes);
	arena_deinit(&arena);
	prefetch_maker_destroy(maker);
}

TEST(ranges_come_in_the_order_of_first_use)
{
	const struct model_file_use uses[] = {
		use_of(1, 1, 0, 1, MODEL_USE_EXEC),	use_of(2, 0, 50, 1, MODEL_USE_FAULT),
		use_of(2, 0, 48, 16, MODEL_USE_AROUND), use_of(3, 0, 0, 2, MODEL_USE_READ),
		use_of(4, 1, 90, 1, MODEL_USE_FAULT),	use_of(5, 1, 0, 1, MODEL_USE_FAULT),
	};
	struct prefetch_maker *maker = prefetch_maker_create(true);

	add(maker, two_files, uses, 6, 0);
	expect(maker, 0, "/b 0+1 exec, /a 48+16 window, /a 0+2 read, /b 90+1 fault");
}

TEST(gaps_are_closed_up_to_their_size)
{
	const struct model_file_use uses[] = {
		use_of(1, 0, 10, 1, MODEL_USE_FAULT),
		use_of(2, 0, 14, 1, MODEL_USE_FAULT), // 3 pages lie between
		use_of(3, 0, 19, 1, MODEL_USE_FAULT), // 4
	};
	struct prefetch_maker *maker;

	for (int gap = 0; gap <= 4; gap++) {
		maker = prefetch_maker_create(true);
		add(maker, two_files, uses, 3, 0);
		expect(maker, (uint64_t)gap * PAGE,
		       gap < 3	 ? "/a 10+1 fault, /a 14+1 fault, /a 19+1 fault"
		       : gap < 4 ? "/a 10+5 fault, /a 19+1 fault"
				 : "/a 10+10 fault");
	}
}

TEST(a_range_is_not_longer_than_what_is_asked_for_at_once)
{
	const struct model_file_use uses[] = { use_of(1, 0, 0, 100, MODEL_USE_READ) };
	struct prefetch_maker *maker = prefetch_maker_create(true);

	add(maker, two_files, uses, 1, 0);
	expect(maker, 0, "/a 0+32 read, /a 32+32 read, /a 64+32 read, /a 96+4 read");
}

TEST(the_last_page_ends_with_its_file)
{
	const struct model_file_use uses[] = { use_of(1, 0, 99, 4, MODEL_USE_READ) };
	CLEANUP(prefetch_maker_destroyp) struct prefetch_maker *maker = prefetch_maker_create(true);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	add(maker, two_files, uses, 1, 0);
	struct prefetch_list list = prefetch_maker_finish(maker, 0, &arena, &notes);

	assert_int_equal(list.range_count, 1);
	assert_int_equal(list.ranges[0].offset + list.ranges[0].length, SIZE);
	assert_string_equal(prefetch_maker_largest(maker), "/a");
}

TEST(several_runs_are_laid_over_each_other)
{
	const struct model_file_use first[] = { use_of(100, 0, 1, 1, MODEL_USE_FAULT),
						use_of(900, 0, 3, 1, MODEL_USE_FAULT),
						use_of(901, 0, 9, 1, MODEL_USE_FAULT) };
	const struct model_file_use second[] = { use_of(7, 1, 5, 1, MODEL_USE_READ),
						 use_of(8, 0, 9, 1, MODEL_USE_FAULT) };
	struct prefetch_maker *maker = prefetch_maker_create(true);

	add(maker, two_files, first, 3, 0);
	add(maker, two_files, second, 2, 0);
	// Halfway through the second run page 9 is used: before the end of the first.
	expect(maker, 0, "/a 1+1 fault, /b 5+1 read, /a 3+1 fault, /a 9+1 fault");
}

TEST(of_a_file_that_changed_between_runs_the_newest_counts)
{
	const struct model_used_file changed[] = {
		{ .path = "/a", .size = SIZE, .has_mtime = true, .mtime_ns = 7 },
		{ .path = "/b",
		  .build_id = "00ff",
		  .size = SIZE,
		  .has_mtime = true,
		  .mtime_ns = 8 },
	};
	const struct model_file_use old[] = { use_of(1, 0, 1, 1, MODEL_USE_FAULT),
					      use_of(2, 1, 2, 1, MODEL_USE_FAULT) };
	const struct model_file_use new[] = { use_of(1, 0, 3, 1, MODEL_USE_FAULT),
					      use_of(2, 1, 4, 1, MODEL_USE_FAULT) };

	for (int turn = 0; turn < 2; turn++) {
		struct prefetch_maker *maker = prefetch_maker_create(true);

		if (turn == 0)
			add(maker, two_files, old, 2, 10);
		add(maker, changed, new, 2, 20);
		if (turn == 1)
			add(maker, two_files, old, 2, 10);
		// By its build-id /b is the same.
		expect(maker, 0, "/a 3+1 fault, /b 2+1 fault, /b 4+1 fault");
	}
}

TEST(files_are_looked_at)
{
	char path[] = "/var/tmp/elfault-prefetch-XXXXXX";
	int fd = mkstemp(path);
	struct stat status;
	struct statfs system;

	if (fd < 0 || fstatfs(fd, &system) != 0 || system.f_type == TMPFS_MAGIC) {
		unlink(path);
		skip(); // what lives in memory is not listed
	}
	assert_true(ftruncate(fd, SIZE) == 0 && fstat(fd, &status) == 0);
	uint64_t mtime_ns =
		(uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
	const struct model_file_use uses[] = { use_of(1, 0, 1, 1, MODEL_USE_FAULT),
					       use_of(2, 1, 1, 1, MODEL_USE_FAULT) };
	const struct {
		struct model_used_file file;
		uint64_t start_ns;
		bool is_listed;
	} cases[] = {
		{ { .path = path, .size = SIZE, .has_mtime = true, .mtime_ns = mtime_ns },
		  mtime_ns + 1,
		  true },
		{ { .path = path }, mtime_ns + 1, true }, // the file tells what the trace does not
		{ { .path = path }, mtime_ns, false },	  // written by the run, or since
		{ { .path = path, .size = SIZE - 1 }, mtime_ns + 1, false },
		{ { .path = path, .size = SIZE, .has_mtime = true, .mtime_ns = mtime_ns - 1 },
		  mtime_ns + 1,
		  false },
		{ { .path = "/var/tmp" }, mtime_ns + 1, false },
		{ { .path = "/dev/null" }, mtime_ns + 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct model_used_file files[] = { cases[i].file, { .path = "/nowhere" } };
		struct prefetch_maker *maker = prefetch_maker_create(false);
		struct arena arena = { 0 };
		struct notes notes = { 0 };

		add(maker, files, uses, 2, cases[i].start_ns);
		struct prefetch_list list = prefetch_maker_finish(maker, 0, &arena, &notes);

		assert_int_equal(list.file_count, cases[i].is_listed ? 1 : 0);
		if (cases[i].is_listed) {
			assert_int_equal(list.files[0].size, SIZE);
			assert_int_equal(list.files[0].mtime_s, status.st_mtim.tv_sec);
			assert_int_equal(list.files[0].mtime_ns, status.st_mtim.tv_nsec);
		}
		assert_int_equal(notes.list.count, cases[i].is_listed ? 1 : 2);
		notes_deinit(&notes);
		arena_deinit(&arena);
		prefetch_maker_destroy(maker);
	}
	close(fd);
	unlink(path);
}

TEST(a_file_that_was_only_opened_is_read_behind_all_else)
{
	const struct model_file_use uses[] = { use_of(0, 0, 3, 1, MODEL_USE_FAULT) };
	char path[] = "./test_prefetch_XXXXXX", other[] = "./test_prefetch_XXXXXX";
	const int fds[] = { mkstemp(path), mkstemp(other) };
	struct arena arena = { 0 };
	struct notes notes = { 0 };
	const struct model_used_file files[] = {
		{ .path = path, .size = SIZE },
		{ .path = "/nowhere", .size = SIZE },
	};
	const char *const opened[] = { path, other, "/nowhere either", "/dev/null" };
	struct prefetch_maker *maker = prefetch_maker_create(false);

	assert_int_equal(ftruncate(fds[0], SIZE), 0);
	assert_int_equal(ftruncate(fds[1], 1 << 20), 0);
	add(maker, files, uses, 1, 0);
	prefetch_maker_add_opened(maker, opened, 4);
	struct prefetch_list list = prefetch_maker_finish(maker, 0, &arena, &notes);

	// Of what a recording tells of no more than that; of a large one the beginning.
	assert_int_equal(list.range_count, 3);
	assert_string_equal(list.files[0].path, path);
	assert_int_equal(list.ranges[0].offset, 3 * PAGE);
	assert_int_equal(list.ranges[0].length, PAGE);
	assert_string_equal(list.files[1].path, other);
	assert_int_equal(list.ranges[1].length + list.ranges[2].length, 256 << 10);
	assert_int_equal(list.ranges[2].why, PREFETCH_READ);
	notes_deinit(&notes);
	arena_deinit(&arena);
	prefetch_maker_destroy(maker);
	for (size_t i = 0; i < 2; i++)
		close(fds[i]);
	unlink(path);
	unlink(other);
}

TEST(a_run_may_tell_of_some_files_alone)
{
	const struct model_file_use exact[] = { use_of(0, 0, 3, 1, MODEL_USE_FAULT),
						use_of(1, 1, 5, 1, MODEL_USE_FAULT) };
	const struct model_file_use warm[] = { use_of(0, 0, 0, 16, MODEL_USE_AROUND),
					       use_of(1, 1, 0, 16, MODEL_USE_AROUND) };
	static const char *const held[] = { "/b" };
	struct prefetch_maker *maker = prefetch_maker_create(true);

	add(maker, two_files, exact, 2, 0);
	prefetch_maker_limit(maker, held, 1);
	add(maker, two_files, warm, 2, 0);
	expect(maker, 0, "/a 3+1 fault, /b 0+16 window");
}

TEST(a_gap_is_what_is_read_in_the_time_of_a_request)
{
	// 3,000 requests and 125 MiB a second: 42.7 KiB, less the page that a request is for.
	assert_int_equal(requestcost_gap(1e9 / 3000, 125 * 1048576.0), 36 << 10);
	// 150 a second: 853 KiB.
	assert_int_equal(requestcost_gap(1e9 / 150, 125 * 1048576.0), 848 << 10);
	assert_int_equal(requestcost_gap(1e9 / 10, 125 * 1048576.0), REQUESTCOST_GAP_MOST);
	assert_int_equal(requestcost_gap(1000, 1e9), 0);
	assert_int_equal(requestcost_gap(0, 0), 0);
}
