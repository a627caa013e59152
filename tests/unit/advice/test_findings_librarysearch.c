// SPDX-License-Identifier: Apache-2.0
// When library-search speaks.
#include "base/cleanup.h"
#include "model/search.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

enum { MISSED = 100, OPENED = 3 };

static struct model_search list[MISSED + OPENED];

/** A run whose linker looked @missed times in vain, for @origin. */
static struct model *draw(struct model_searches *searches, uint64_t missed,
			  enum model_origin origin)
{
	struct sketch sketch = sketch_start();

	for (size_t i = 0; i < MISSED + OPENED; i++) {
		const bool is_there = i >= missed;

		list[i] = (struct model_search){
			.path = i % 2 ? "/a/lib.so" : "/b/lib.so",
			.library = "lib.so",
			.folder = i % 2 ? "/a" : "/b",
			.error = is_there ? 0 : 2,
			.duration_ns = 1000,
			.origin = is_there ? MODEL_ORIGIN_CACHE : origin,
			.owner = MODEL_NONE,
		};
	}
	*searches = (struct model_searches){ .list = list,
					     .count = MISSED + OPENED,
					     .missed = missed,
					     .opened = MISSED + OPENED - missed,
					     .has_times = true };
	sketch.model->searches = searches;
	sketch_fill(&sketch, 100);
	return sketch_end(&sketch);
}

TEST(it_says_where_it_looked_in_vain_and_what_that_took)
{
	struct model_searches searches;
	CLEANUP(model_closep)
	struct model *model = draw(&searches, MISSED, MODEL_ORIGIN_LIBRARY_PATH);
	const struct model_finding *finding = sketch_found(model, "library-search");

	assert_string_equal(finding->evidence,
			    "The dynamic linker looked in vain 100 times and opened 3 files, "
			    "100.0 us in these calls: 100 by LD_LIBRARY_PATH. Most in vain: /a 50, "
			    "/b 50.");
	assert_int_equal(finding->saves.duration_ns, 100000);
	assert_int_equal(finding->saves.faults, 0);
	assert_int_equal(finding->cure_count, 3);
	assert_non_null(strstr(finding->cures[0].text, "LD_LIBRARY_PATH"));
	assert_non_null(strstr(finding->cures[1].text, "ldconfig"));
	assert_non_null(strstr(finding->cures[2].text, "--replace-needed"));
}

TEST(a_search_path_in_a_file_is_told_to_be_changed_there)
{
	struct model_searches searches;
	CLEANUP(model_closep)
	struct model *model = draw(&searches, MISSED, MODEL_ORIGIN_RUNPATH);
	const struct model_finding *finding = sketch_finding(model, "library-search");

	assert_int_equal(finding->cure_count, 2);
	assert_non_null(strstr(finding->cures[0].text, "-rpath"));
}

TEST(it_is_silent_below_the_threshold)
{
	struct model_searches searches;
	CLEANUP(model_closep)
	struct model *model = draw(&searches, MISSED - 1, MODEL_ORIGIN_LIBRARY_PATH);

	assert_null(sketch_finding(model, "library-search"));
}
