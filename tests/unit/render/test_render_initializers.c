// SPDX-License-Identifier: Apache-2.0
// Initializers that caused IO: the table, its order, and the rows for programs.
#include "base/cleanup.h"
#include "model/account.h"
#include "model/storage.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <json-c/json.h>
#include <string.h>

typedef bool renderer(const struct model *, const struct render_initializers_options *, FILE *);

/** Return what @render writes of @model; free() it. */
static char *print(const struct model *model, renderer *render,
		   struct render_initializers_options options)
{
	return text_written(render(model, &options, out));
}

/**
 * The sample with more initializers: three of object 0 and two of object 1, whose second one ran
 * first of all. Names and counts are what the tests below expect.
 */
static struct model *larger_sample(void)
{
	static const struct model_initializer rows[] = {
		{ .object = 0,
		  .array = ".preinit_array",
		  .function = "early",
		  .source = "early.c" },
		{ .object = 0,
		  .array = ".init_array",
		  .function = "setup()",
		  .source = "setup.cc, b.cc and 3 more",
		  .count = { 12, 2, 1500, .own_ns = 1500 },
		  .lazy_binding = 4,
		  .pages = 9,
		  .code_pages = 5,
		  .code_pages_only = 3,
		  .first_ns = 2000000,
		  .last_ns = 3000000 },
		{ .object = 0,
		  .index = 1,
		  .array = ".init_array",
		  .vaddr = 0x5000,
		  .count = { 1, 0, 0 },
		  .pages = 1,
		  .first_ns = 4000000,
		  .last_ns = 4000000 },
		{ .object = 1, .array = ".init", .function = MODELS_HOSTILE },
		{ .object = 1,
		  .array = ".init_array",
		  .function = "first",
		  .count = { 2, 0, 500, .own_ns = 500 },
		  .pages = 2,
		  .code_pages = 1,
		  .first_ns = 1000000,
		  .last_ns = 1000000 },
	};
	struct model *model = models_sample();

	model->initializers = rows;
	model->initializer_count = MODELS_COUNT(rows);
	model->untold = (struct model_count){ 7, 0, 0 };
	return model;
}

TEST(totals_stand_first_then_one_table_in_the_order_they_ran)
{
	CLEANUP(model_closep) struct model *model = larger_sample();
	CLEANUP(freep)
	char *text = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	const char *expected =
		"  sample: 3 initializers, 2 faulted: 13 faults, 2 major, 4 of them lazy "
		"bindings, 1.5 us\n"
		"  script>=1+1: 2 initializers, 1 faulted: 2 faults, 0 major, 500 ns\n"
		"  unknown: 7 faults inside initializers that ended with a jump or are missing "
		"from the stack\n"
		"\n"
		"    time  faults  lazy  major  pages  code  only      at  object       entry"
		"           function  source\n"
		"  500 ns       2     -      0      2     1     0  1.0 ms  script>=1+1  "
		".init_array[0]  first     -\n"
		"  1.5 us      12     4      2      9     5     3  2.0 ms  sample       "
		".init_array[0]  setup()   setup.cc, b.cc and 3 more\n"
		"       -       1     -      0      1     0     0  4.0 ms  sample       "
		".init_array[1]  0x5000    -\n"
		"  2 others did not fault; --initializers=all lists them\n";

	if (!strstr(text, expected))
		fail_msg("%s", text);
	assert_non_null(strstr(text, "-z now moves them to the start"));
	assert_non_null(strstr(text, "seen twice (2 times)"));
}

/** The last column but one of the table's rows, which stand between the heading and an empty line.
 */
static void expect_order(const char *text, const char *const *entries, size_t count)
{
	const char *line = strstr(text, "  faults");

	assert_non_null(line);
	for (size_t i = 0; i < count; i++) {
		line = strchr(line, '\n') + 1;
		const char *end = strchr(line, '\n');
		const char *found = strstr(line, entries[i]);

		if (!found || found > end)
			fail_msg("no %s in row %zu of\n%s", entries[i], i, text);
	}
	line = strchr(line, '\n') + 1;
	if (strncmp(line, "       ", 7) == 0)
		fail_msg("more than %zu rows in\n%s", count, text);
}

TEST(all_are_listed_object_by_object)
{
	static const char *const order[] = { " .init[0] ", " first ", " early ", " setup() ",
					     " 0x5000 " };
	CLEANUP(model_closep) struct model *model = larger_sample();
	CLEANUP(freep)
	char *text = print(
		model, render_initializers_text,
		(struct render_initializers_options){ .all = true, .sort = RENDER_SORT_ORDER });

	expect_order(text, order, MODELS_COUNT(order));
	assert_null(strstr(text, "did not fault"));
}

TEST(most_faults_come_first_when_asked)
{
	static const char *const order[] = { " setup() ", " first ", " 0x5000 " };
	CLEANUP(model_closep) struct model *model = larger_sample();
	CLEANUP(freep)
	char *text = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_FAULTS });
	CLEANUP(freep)
	char *cut =
		print(model, render_initializers_text,
		      (struct render_initializers_options){ .sort = RENDER_SORT_FAULTS, .top = 1 });

	expect_order(text, order, MODELS_COUNT(order));
	assert_null(strstr(cut, " 0x5000 "));
	assert_non_null(strstr(cut, "... 2 more initializers with 3 faults (20.0%)"));
}

/** The same rows: what the first one computes, and what the others read. */
TEST(most_time_or_bytes_come_first_when_asked)
{
	static const char *const by_time[] = { " first ", " setup() ", " 0x5000 " };
	static const char *const by_read[] = { " 0x5000 ", " setup() ", " first " };
	CLEANUP(model_closep) struct model *model = larger_sample();
	static struct model_initializer rows[5];
	const struct model_account account = { .samples = 9 };

	memcpy(rows, model->initializers, sizeof(rows));
	rows[1].count.read_pages = 2;
	rows[2].count.read_pages = 3;
	rows[4].cpu_ns = 5000;
	rows[4].wait_ns = 2000;
	model->initializers = rows;
	model->account = &account;
	CLEANUP(freep)
	char *time = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_TIME });
	expect_order(time, by_time, MODELS_COUNT(by_time));
	assert_non_null(strstr(time, "    time  processor  waited      read  faults "));
	assert_non_null(strstr(time, "  7.5 us     5.0 us  2.0 us         -       2 "));
	assert_non_null(strstr(time, "  script>=1+1: 2 initializers, 1 faulted: 2 faults, 0 major, "
				     "500 ns, 5.0 us computing, 2.0 us waiting\n"));
	CLEANUP(freep)
	char *read = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_READ });
	expect_order(read, by_read, MODELS_COUNT(by_read));
	CLEANUP(freep)
	char *csv = print(model, render_initializers_csv,
			  (struct render_initializers_options){ .sort = RENDER_SORT_READ });
	assert_non_null(strstr(csv, ",4000000,4000000,12288,0,0,,\n"));
}

TEST(what_storage_delivered_is_what_was_read_where_it_is_known)
{
	static const char *const by_read[] = { " 0x5000 ", " setup() ", " first " };
	CLEANUP(model_closep) struct model *model = larger_sample();
	static struct model_initializer rows[5];
	static const struct model_storage storage;

	memcpy(rows, model->initializers, sizeof(rows));
	rows[1].storage_bytes = 1 << 20; // more than its faults brought in
	rows[2].storage_bytes = 3 << 20;
	rows[4].count.read_pages = 5;
	model->initializers = rows;
	model->storage = &storage;
	CLEANUP(freep)
	char *read = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_READ });
	expect_order(read, by_read, MODELS_COUNT(by_read));
	assert_non_null(strstr(read, " 3.0 MiB "));
	assert_null(strstr(read, " 20.0 KiB"));
}

TEST(what_constructs_globals_is_called_so)
{
	CLEANUP(model_closep) struct model *model = larger_sample();
	struct model_initializer rows[2] = { model->initializers[1], model->initializers[4] };

	rows[0].label = "globals of setup.cc";
	rows[0].source = "setup.cc";
	rows[1].label = "globals beside foo::bar";
	model->initializers = rows;
	model->initializer_count = 2;
	CLEANUP(freep)
	char *text = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	CLEANUP(freep)
	char *csv = print(model, render_initializers_csv,
			  (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	assert_non_null(strstr(text, "  globals of setup.cc      setup.cc\n"));
	assert_non_null(strstr(text, "  globals beside foo::bar  -\n"));
	assert_non_null(strstr(csv, ",setup(),"));
	model->initializer_count = 1;
	CLEANUP(freep)
	char *alone = print(model, render_initializers_text,
			    (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	// The name tells the source.
	assert_non_null(strstr(alone, "  function\n"));
	assert_non_null(strstr(alone, "  globals of setup.cc\n"));
}

TEST(an_object_asked_for_stands_alone)
{
	static const uint32_t shown[] = { 1 };
	static const char *const order[] = { " first" };
	CLEANUP(model_closep) struct model *model = larger_sample();

	model->is_narrowed = true;
	model->shown = shown;
	model->shown_count = 1;
	CLEANUP(freep)
	char *text = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	expect_order(text, order, 1);
	assert_null(strstr(text, " object "));
	assert_null(strstr(text, "sample: 3"));
	assert_null(strstr(text, "unknown:"));
	assert_null(strstr(text, " lazy "));
	assert_non_null(strstr(text, "  1 other did not fault"));
}

TEST(an_empty_answer_says_why)
{
	CLEANUP(model_closep) struct model *model = larger_sample();

	model->initializer_count = 1; // which did not fault
	CLEANUP(freep)
	char *silent = print(model, render_initializers_text,
			     (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	assert_non_null(strstr(silent, "  1 initializer; none faulted.\n"));
	model->initializer_count = 0;
	CLEANUP(freep)
	char *none = print(model, render_initializers_text,
			   (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	assert_non_null(strstr(none, "  No initializers in any file that could be read.\n"));
	model->trace.has_stacks = false;
	CLEANUP(freep)
	char *blind = print(model, render_initializers_text,
			    (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	assert_non_null(strstr(blind, "no call stacks, so faults cannot be attributed"));
}

TEST(rows_are_the_same_for_programs)
{
	CLEANUP(model_closep) struct model *model = larger_sample();
	CLEANUP(freep)
	char *csv = print(model, render_initializers_csv,
			  (struct render_initializers_options){ .sort = RENDER_SORT_ORDER });
	CLEANUP(freep)
	char *json = print(
		model, render_initializers_json,
		(struct render_initializers_options){ .all = true, .sort = RENDER_SORT_ORDER });
	struct json_object *document = json_tokener_parse(json), *rows, *row, *value;

	assert_non_null(strstr(csv,
			       "\n/opt/app/sample,.init_array,0,setup(),,"
			       "\"setup.cc, b.cc and 3 more\",12,4,2,1500,1500,0,9,5,3,2000000,"
			       "3000000,0,,,,\n/opt/app/sample,.init_array,1,,,,1,0,0,0,0,0,1,0,0,"
			       "4000000,4000000,0,,,,\n"));
	assert_non_null(document);
	assert_true(json_object_object_get_ex(document, "initializers", &rows));
	assert_int_equal(json_object_array_length(rows), 5);
	row = json_object_array_get_idx(rows, 3);
	assert_true(json_object_object_get_ex(row, "object", &value));
	assert_string_equal(json_object_get_string(value), "/opt/app/sample");
	assert_true(json_object_object_get_ex(row, "lazy_binding", &value));
	assert_int_equal(json_object_get_int(value), 4);
	json_object_put(document);
}

TEST(hostile_names_stay_on_their_line)
{
	CLEANUP(model_closep) struct model *model = larger_sample();
	CLEANUP(freep)
	char *text = print(
		model, render_initializers_text,
		(struct render_initializers_options){ .all = true, .sort = RENDER_SORT_ORDER });
	CLEANUP(freep)
	char *csv = print(model, render_initializers_csv,
			  (struct render_initializers_options){
				  .all = true, .terminal = { .is_terminal = true } });

	assert_null(strchr(text, '\x1b'));
	assert_null(strchr(text, '\r'));
	assert_null(strchr(csv, '\x1b'));
	assert_null(strchr(csv, '\r'));
}
