// SPDX-License-Identifier: Apache-2.0
// Faults counted by their words, and how the counts are written.
#include "base/cleanup.h"
#include "correlate/correlate.h"
#include "model/pivot.h"
#include "render/pivot.h"
#include "tests/support/answers.h"
#include "tests/support/models.h"

#include <string.h>
#include <unistd.h>

static struct pivot *count(const struct model *model, const char *words)
{
	struct pivot_fields fields;
	struct err err;

	if (!pivot_fields_parse(words, &fields, &err))
		fail_msg("%s", err.message);
	return pivot_create(model, &fields);
}

/** Rows as CSV, which tests read best; released by the caller. */
static char *rows_of(const struct model *model, const char *words)
{
	CLEANUP(pivot_destroyp) struct pivot *pivot = count(model, words);
	return text_written(render_pivot_csv(pivot, out));
}

static void expect_rows(const char *words, const char *expected)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	CLEANUP(freep) char *rows = rows_of(model, words);

	assert_string_equal(rows, expected);
}

TEST(one_word_counts_its_values)
{
	expect_rows("access", "access,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			      "write,3,1,3100,3100,0,3,0\n"
			      "exec,1,0,0,0,0,1,0\n"
			      "unknown,1,0,900,900,0,1,0\n");
	expect_rows("object", "object,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			      "/opt/app/sample,3,1,3000,3000,0,3,0\n"
			      "\"/lib/\"\"evil\"\",\\x1b[31m\\x0d\\x0a\\x09\\\xef\xbf\xbd\\u202e"
			      "</script>=1+1\",1,0,900,900,0,1,0\n"
			      "[heap],1,0,100,100,0,1,0\n");
}

TEST(what_was_read_is_counted_where_it_is_known)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	CLEANUP(freep) char *known = rows_of(model, "read");

	assert_string_equal(known, "read,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
				   "false,4,0,1500,1500,0,4,0\n"
				   "true,1,1,2500,2500,0,1,122880\n");
	model->trace.has_reads = false;
	((struct model_fault *)model->faults)[1].has_read = false;
	CLEANUP(freep) char *unknown = rows_of(model, "read");

	assert_string_equal(unknown,
			    "read,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			    ",5,1,4000,4000,0,5,\n");
}

TEST(two_words_count_their_pairs)
{
	expect_rows("access,section",
		    "access,section,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
		    "write,.data.rel.ro,2,1,3000,3000,0,2,0\n"
		    "exec,.text,1,0,0,0,0,1,0\n"
		    "unknown,\"\"\"evil\"\",\\x1b[31m\\x0d\\x0a\\x09\\\xef\xbf\xbd\\u202e"
		    "</script>=1+1\",1,0,900,900,0,1,0\n"
		    "write,[heap],1,0,100,100,0,1,0\n");
}

TEST(three_words_and_numbers_and_null)
{
	expect_rows("mode,tid,segment",
		    "mode,tid,segment,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
		    "kernel,7,,1,0,100,100,0,1,0\n"
		    "user,1,,1,0,900,900,0,1,0\n"
		    "user,7,1,1,0,0,0,0,1,0\n"
		    "user,7,3,1,1,2500,2500,0,1,0\n"
		    "user,8,3,1,0,500,500,0,1,0\n");
}

/** Null is behind every name; numbers are ordered as numbers. */
TEST(rows_are_in_one_order)
{
	expect_rows("symbol_kind",
		    "symbol_kind,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
		    ",3,0,1000,1000,0,3,0\n"
		    "pointee,1,1,2500,2500,0,1,0\n"
		    "symbol,1,0,500,500,0,1,0\n");
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct model_fault *faults = (struct model_fault *)model->faults;

	struct model_thread threads[5];
	model->threads = threads;
	for (uint32_t i = 0; i < model->fault_count; i++) {
		threads[i] = (struct model_thread){ .tid = 40 - 9 * i };
		faults[i].thread = i;
	}
	CLEANUP(freep) char *rows = rows_of(model, "tid");
	assert_string_equal(rows, "tid,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
				  "4,1,0,900,900,0,1,0\n"
				  "13,1,0,0,0,0,1,0\n"
				  "22,1,0,500,500,0,1,0\n"
				  "31,1,1,2500,2500,0,1,0\n"
				  "40,1,0,100,100,0,1,0\n");
}

/** A file's page is one page in all processes, anonymous memory is each one's own. */
TEST(pages_are_counted_once)
{
	CLEANUP(model_closep)
	struct model *model = correlate_text(
		"elfault-trace-text 1\n"
		"meta backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 start=1000\n"
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x4000 prot=r--p path=\"/no/a\"\n"
		"map pid=10 tid=10 time=2000 addr=0x20000 size=0x4000 prot=rw-p\n"
		"fork pid=11 tid=11 time=2100 parent_pid=10 parent_tid=10\n"
		"fault pid=10 tid=10 time=3000 addr=0x10010 ip=0x1 error=user\n"
		"fault pid=11 tid=11 time=3001 addr=0x10020 ip=0x1 error=user\n"
		"fault pid=11 tid=11 time=3002 addr=0x11020 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=3003 addr=0x20010 ip=0x1 error=write,user\n"
		"fault pid=11 tid=11 time=3004 addr=0x20020 ip=0x1 error=write,user\n"
		"fault pid=11 tid=11 time=3005 addr=0x20030 ip=0x1 error=present,write,user\n",
		NULL);
	CLEANUP(freep) char *by_object = rows_of(model, "object");
	CLEANUP(freep) char *by_process = rows_of(model, "pid");
	CLEANUP(pivot_destroyp) struct pivot *pivot = count(model, "pid");

	assert_string_equal(by_object,
			    "object,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			    "/no/a,3,0,0,0,0,2,\n"
			    "[anon],3,0,0,0,0,2,\n");
	assert_string_equal(by_process,
			    "pid,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			    "11,4,0,0,0,0,3,\n"
			    "10,2,0,0,0,0,2,\n");
	assert_int_equal(pivot->pages, 4);
	assert_int_equal(pivot->total.faults, 6);
}

/** Rows of the model with the same name, of different files, are one value. */
TEST(pages_are_left_out_where_nobody_wants_them)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct pivot_fields fields;
	struct err err;

	assert_true(pivot_fields_parse("access", &fields, &err));
	fields.without_pages = true;
	CLEANUP(pivot_destroyp) struct pivot *without = pivot_create(model, &fields);
	CLEANUP(pivot_destroyp) struct pivot *with = count(model, "access");
	assert_int_equal(without->pages, 0);
	assert_int_equal(without->row_count, with->row_count);
	for (size_t i = 0; i < with->row_count; i++) {
		assert_int_equal(without->rows[i].pages, 0);
		assert_true(with->rows[i].pages > 0);
		assert_int_equal(without->rows[i].count.faults, with->rows[i].count.faults);
		assert_int_equal(without->rows[i].count.own_ns, with->rows[i].count.own_ns);
	}
}

TEST(names_are_counted_not_rows)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	struct model_section sections[4];

	memcpy(sections, model->sections, sizeof(sections));
	sections[2].name = ".text";
	model->sections = sections;
	CLEANUP(freep) char *rows = rows_of(model, "section");
	assert_string_equal(rows,
			    "section,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
			    ".data.rel.ro,2,1,3000,3000,0,2,0\n"
			    ".text,2,0,900,900,0,2,0\n"
			    "[heap],1,0,100,100,0,1,0\n");
}

TEST(misspelled_words_are_refused)
{
	struct pivot_fields fields;
	struct err err;

	assert_false(pivot_fields_parse("initiator,sction", &fields, &err));
	assert_non_null(strstr(err.message, "did you mean section?"));
	assert_false(pivot_fields_parse("kind,kind", &fields, &err));
	assert_non_null(strstr(err.message, "duplicate field kind"));
	assert_false(pivot_fields_parse("kind,access,mode,pid", &fields, &err));
	assert_non_null(strstr(err.message, "at most 3 fields"));
	assert_false(pivot_fields_parse("", &fields, &err));
	assert_false(pivot_fields_parse("kind,", &fields, &err));
	assert_true(pivot_fields_parse("by.object,at.section", &fields, &err));
	assert_string_equal(fields.items[0]->name, "by_object");
	assert_string_equal(fields.items[1]->name, "section");
}

static char *text_by(const struct model *model, const char *words, size_t width, size_t top)
{
	const struct render_text_options options = { .terminal = { .width = width }, .top = top };
	CLEANUP(pivot_destroyp) struct pivot *pivot = count(model, words);
	return text_written(render_pivot_text(model, pivot, &options, out));
}

TEST(text_has_a_list_and_for_two_words_a_cross)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	notes_deinit(&model->notes);
	CLEANUP(freep) char *text = text_by(model, "object,access", 0, 2);
	assert_string_equal(
		text, "sample 'two words'\n"
		      "5 faults by object, access: 1 major, 5 distinct pages, fault time 4.0 us\n"
		      "\n"
		      "  faults      %  major    time  pages  object       access\n"
		      "       2  40.0%      1  3.0 us      2  sample       write\n"
		      "       1  20.0%      0  900 ns      1  script>=1+1  unknown\n"
		      "  ... 2 more rows with 2 faults (40.0%); --top 0 shows all\n"
		      "\n"
		      "  faults  write  exec  unknown  object\n"
		      "       3      2     1        -  sample\n"
		      "       1      -     -        1  script>=1+1\n"
		      "       5      3     1        1  (all)\n"
		      "  ... 1 more row with 1 fault (20.0%); --top 0 shows all\n");
}

TEST(what_does_not_fit_across_is_summed_or_left_out)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();
	CLEANUP(freep) char *narrow = text_by(model, "access,mechanism", 50, 0);
	CLEANUP(freep) char *tiny = text_by(model, "access,mechanism", 24, 0);
	CLEANUP(freep) char *three = text_by(model, "access,mechanism,kind", 0, 0);
	CLEANUP(freep) char *one = text_by(model, "access,certainty", 0, 0);

	assert_null(strstr(narrow, "(others)  access"));
	assert_non_null(strstr(narrow, "  faults  write  exec  unknown  mechanism\n"));
	assert_null(strstr(tiny, "(all)"));
	assert_null(strstr(three, "(all)"));
	assert_null(strstr(one, "(all)"));

	struct model_fault *faults = (struct model_fault *)model->faults;
	faults[3].mechanism = MODEL_PRIVATE_WRITE;
	faults[4].mechanism = MODEL_COW_BREAK;
	struct model_thread threads[5];
	model->threads = threads;
	for (uint32_t i = 0; i < model->fault_count; i++) {
		threads[i] = (struct model_thread){ .tid = 1000000000 + i };
		faults[i].thread = i;
	}
	CLEANUP(freep) char *others = text_by(model, "tid,mechanism", 56, 0);
	assert_non_null(strstr(others,
			       "  faults  cow-break  private-write  (others)  tid\n"
			       "       1          -              -         1  1000000000\n"));
}

TEST(text_says_what_is_not_there)
{
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	model->filter = "kind=major\x1b";
	model->trace.complete = false;
	model->counts.lost = 3;
	model->counts.recorded = 10;
	CLEANUP(freep) char *text = text_by(model, "kind", 0, 0);
	assert_non_null(strstr(text, "  filter     kind=major\\x1b: 5 of 10 faults (50.0%)\n"));
	assert_non_null(strstr(text, "INCOMPLETE"));
	assert_non_null(strstr(text, "  INCOMPLETE: 3 faults lost\n"));
	assert_non_null(strstr(text, "  - seen twice (2 times)\n"));
	model->fault_count = 0;
	CLEANUP(freep) char *none = text_by(model, "kind,mode", 0, 0);
	assert_non_null(strstr(none, "0 faults by kind, mode"));
}

/** Each file has a function _init. */
TEST(initializers_of_files_are_not_one)
{
	static const struct model_initializer initializers[] = {
		{ .object = 0, .array = ".init", .function = "_init" },
		{ .object = 1, .array = ".init", .function = "_init" },
		{ .object = 0, .array = ".init_array", .function = "alone" },
	};
	static const uint32_t ran[] = { 0, 1, 1, 2, MODEL_NONE };
	CLEANUP(model_closep) struct model *model = models_warm_sample();

	model->initializers = initializers;
	model->initializer_count = 3;
	for (size_t i = 0; i < model->fault_count; i++)
		((struct model_fault *)model->faults)[i].initializer = ran[i];
	((struct model_object *)model->objects)[1].path = "/lib/libother.so";

	CLEANUP(freep) char *rows = rows_of(model, "initializer");
	assert_string_equal(
		rows,
		"initializer,init_object,faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n"
		"_init,/lib/libother.so,2,1,3000,3000,0,2,0\n"
		"_init,/opt/app/sample,1,0,100,100,0,1,0\n"
		"alone,/opt/app/sample,1,0,0,0,0,1,0\n"
		",,1,0,900,900,0,1,0\n");
	CLEANUP(freep) char *both = rows_of(model, "init_object,initializer");
	assert_non_null(strstr(both, "init_object,initializer,faults"));
	CLEANUP(freep) char *text = text_by(model, "initializer", 0, 0);
	assert_non_null(strstr(text, "  _init (libother.so)\n"));
	assert_non_null(strstr(text, "  _init (sample)\n"));
	assert_non_null(strstr(text, "  alone\n"));
}
