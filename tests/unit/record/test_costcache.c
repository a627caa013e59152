// SPDX-License-Identifier: Apache-2.0
// The cache of what recording costs: who finds what, and how much it holds.
#include "record/recordingcost.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 64 };

static char folder[] = "/tmp/costcache-XXXXXX";
static char path[sizeof(folder) + sizeof("/recording-cost")];

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/recording-cost", folder);
	return 0;
}

static int remove_folder(void **state)
{
	return unlink(path) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void keep(const char *key, uint32_t first)
{
	const uint32_t costs[TRACE_COSTS] = { first, 7 };

	costcache_keep(folder, key, costs);
}

/** UINT32_MAX: nothing is kept for @key. */
static uint32_t kept(const char *key)
{
	uint32_t costs[TRACE_COSTS];

	if (!costcache_look_up(folder, key, costs))
		return UINT32_MAX;
	assert_int_equal(costs[1], 7);
	return costs[0];
}

const struct tests_around tests_around = { .before_all = make_folder, .after_all = remove_folder };

TEST(each_build_finds_its_own)
{
	assert_int_equal(kept("1.0 aa; linux"), UINT32_MAX);
	keep("1.0 aa; linux", 1);
	keep("1.0 bb; linux", 2);
	assert_int_equal(kept("1.0 aa; linux"), 1);
	assert_int_equal(kept("1.0 bb; linux"), 2);
	assert_int_equal(kept("1.0 b"), UINT32_MAX);
	keep("1.0 aa; linux", 3);
	assert_int_equal(kept("1.0 aa; linux"), 3);
	assert_int_equal(kept("1.0 bb; linux"), 2);
}

TEST(of_too_many_the_oldest_go)
{
	char key[16], line[128];
	size_t lines = 0;

	for (uint32_t i = 0; i < 2 * MOST; i++) {
		snprintf(key, sizeof(key), "build %u", i);
		keep(key, i);
		// The one kept before is not replaced, however full the cache is.
		snprintf(key, sizeof(key), "build %u", i > 0 ? i - 1 : 0);
		assert_int_equal(kept(key), i > 0 ? i - 1 : 0);
	}
	assert_int_equal(kept("build 0"), UINT32_MAX);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		lines++;
	assert_int_equal(lines, MOST);
}
