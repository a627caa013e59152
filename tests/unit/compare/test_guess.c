// SPDX-License-Identifier: Apache-2.0
// Files of different names that are compared as builds of one.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "model/layout.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** A file of one run. */
struct file {
	const char *path;
	bool is_program;
};

/** A run of @files, the last of which has no path: each faults once. */
static struct model *draw(const struct file *files)
{
	struct sketch sketch = sketch_start();

	for (; files->path; files++) {
		uint32_t object = sketch_object(&sketch, files->path);
		struct model_layout *layout = arena_alloc(&sketch.model->arena, sizeof(*layout));

		layout->is_library = !files->is_program;
		sketch.objects.items[object].layout = layout;
		sketch_faults(&sketch, sketch_section(&sketch, object, ".text", 100), MODEL_PROGRAM,
			      1);
	}
	struct model *model = sketch_end(&sketch);

	model->trace.path = "trace";
	model->trace.has_reads = true;
	return model;
}

/** Compare a run of each list; with guesses, unless @is_strict. */
static struct comparison *guess(const struct file *before, const struct file *after, bool is_strict)
{
	static const size_t counts[] = { 1, 1 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);
	CLEANUP(model_closep) struct model *old = draw(before);
	CLEANUP(model_closep) struct model *new = draw(after);

	if (!is_strict)
		compare_allow_guesses(compare);
	compare_add(compare, COMPARE_BEFORE, old);
	compare_add(compare, COMPARE_AFTER, new);
	return compare_finish(compare);
}

/** The path after of the file that is at @path before; NULL: it is on one side only. */
static const char *pair_of(const struct comparison *comparison, const char *path,
			   enum compare_pairing how)
{
	array_foreach (object, comparison->objects, comparison->object_count)
		if (object->path[COMPARE_BEFORE] &&
		    strcmp(object->path[COMPARE_BEFORE], path) == 0) {
			assert_int_equal(object->pairing, how);
			return object->path[COMPARE_AFTER];
		}
	fail();
	return NULL;
}

static const struct file debug[] = {
	{ "/bin/python3.11d", true },
	{ "/lib/libold.so.1", false },
	{ "/lib/_json.cpython-311d.so", false },
	{ "/lib/libc.so.6", false },
	{ "/lib/libLLVM-9.so.1", false },
	{ NULL, false },
};
static const struct file release[] = {
	{ "/bin/python3.11", true },
	{ "/lib/libLLVM-14.so.1", false },
	{ "/lib/libc.so.6", false },
	{ "/lib/_json.cpython-311.so", false },
	{ NULL, false },
};

TEST(builds_with_similar_names_are_paired)
{
	CLEANUP(comparison_closep) struct comparison *found = guess(debug, release, false);

	assert_string_equal(pair_of(found, "/lib/_json.cpython-311d.so", COMPARE_BY_GUESS),
			    "/lib/_json.cpython-311.so");
	assert_string_equal(pair_of(found, "/lib/libLLVM-9.so.1", COMPARE_BY_GUESS),
			    "/lib/libLLVM-14.so.1");
	assert_string_equal(pair_of(found, "/bin/python3.11d", COMPARE_AS_PROGRAM),
			    "/bin/python3.11");
	assert_null(pair_of(found, "/lib/libold.so.1", COMPARE_UNPAIRED));
	assert_string_equal(pair_of(found, "/lib/libc.so.6", COMPARE_BY_PATH), "/lib/libc.so.6");
}

TEST(a_note_says_what_was_guessed_and_how_to_undo_it)
{
	CLEANUP(comparison_closep) struct comparison *found = guess(debug, release, false);

	assert_int_equal(found->notes.list.count, 1);
	assert_string_equal(found->notes.list.items[0].text,
			    "compared by guess: python3.11d with python3.11, "
			    "_json.cpython-311d.so with _json.cpython-311.so, "
			    "libLLVM-9.so.1 with libLLVM-14.so.1; --no-guess leaves them apart");
}

TEST(without_guesses_they_stay_apart)
{
	CLEANUP(comparison_closep) struct comparison *found = guess(debug, release, true);

	assert_null(pair_of(found, "/bin/python3.11d", COMPARE_UNPAIRED));
	assert_null(pair_of(found, "/lib/_json.cpython-311d.so", COMPARE_UNPAIRED));
	assert_int_equal(found->notes.list.count, 0);
}

TEST(programs_are_paired_whatever_their_names)
{
	static const struct file before[] = { { "/bin/mawk", true }, { NULL, false } };
	static const struct file after[] = { { "/bin/gawk", true }, { NULL, false } };
	CLEANUP(comparison_closep) struct comparison *found = guess(before, after, false);

	assert_string_equal(pair_of(found, "/bin/mawk", COMPARE_AS_PROGRAM), "/bin/gawk");
}

TEST(a_program_that_the_other_side_has_is_not_paired_with_another)
{
	static const struct file before[] = { { "/bin/sh", true },
					      { "/bin/mawk", true },
					      { NULL, false } };
	static const struct file after[] = { { "/bin/gawk", true },
					     { "/bin/sh", true },
					     { NULL, false } };
	CLEANUP(comparison_closep) struct comparison *found = guess(before, after, false);

	assert_string_equal(pair_of(found, "/bin/sh", COMPARE_BY_PATH), "/bin/sh");
	assert_null(pair_of(found, "/bin/mawk", COMPARE_UNPAIRED));
}

TEST(unrelated_files_are_not)
{
	static const struct file before[] = { { "/bin/bash", true },
					      { "/lib/libboost_filesystem.so.1", false },
					      { "/lib/libssl.so.3", false },
					      { NULL, false } };
	static const struct file after[] = { { "/bin/bash", true },
					     { "/lib/libboost_system.so.1", false },
					     { "/lib/libexpat.so.1.8.10", false },
					     { "/lib/libsss.so.3", false },
					     { "/lib/libz.so.1", false },
					     { NULL, false } };
	CLEANUP(comparison_closep) struct comparison *found = guess(before, after, false);

	assert_null(pair_of(found, "/lib/libboost_filesystem.so.1", COMPARE_UNPAIRED));
	assert_null(pair_of(found, "/lib/libssl.so.3", COMPARE_UNPAIRED));
	assert_int_equal(found->notes.list.count, 0);
}
