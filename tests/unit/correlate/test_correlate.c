// SPDX-License-Identifier: Apache-2.0
// The whole replay on traces written as text: which mapping, which count, which row.
#include "base/cleanup.h"
#include "correlate/correlate.h"
#include "model/filter.h"
#include "tests/support/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                               \
	"elfault-trace-text 1\n"                                                           \
	"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 " \
	"start=1000\n"                                                                     \
	"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"

static const char *comm_of(const struct model *model, size_t i)
{
	assert_true(i < model->fault_count);
	return model->comms[model_thread(model, &model->faults[i])->comm];
}

static const struct model_program *program_of(const struct model *model, size_t i)
{
	assert_true(i < model->fault_count);
	uint32_t program = model_thread(model, &model->faults[i])->program;
	assert_true(program < model->program_count);
	return &model->programs[program];
}

/** Path of the object that fault number @i touched, "none" where none was mapped. */
static const char *object_of(const struct model *model, size_t i)
{
	assert_true(i < model->fault_count);
	uint32_t object = model->faults[i].at.object;
	return object == MODEL_NONE ? "none" : model->objects[object].path;
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(a_fault_meets_the_mappings_of_its_own_moment)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r--p path=\"/no/a\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x10010 ip=0x1 error=user\n"
		"map pid=10 tid=10 time=3000 addr=0x10000 size=0x1000 prot=r--p path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=3000 addr=0x10020 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=3500 addr=0x90000 ip=0x1 error=user\n",
		NULL);
	assert_string_equal(object_of(model, 0), "/no/a");
	assert_string_equal(object_of(model, 1), "/no/b");
	assert_string_equal(object_of(model, 2), "none");
	assert_int_equal(model->counts.recorded, 3);
	assert_int_equal(model->counts.attributed, 2);
	assert_int_equal(model->counts.unattributed, 1);
	assert_int_equal(model->faults[0].at.offset, 0x10);
	assert_int_equal(model->faults[0].time_ns, 1500);
}

TEST(a_step_is_taken_from_the_fault_before_it_in_the_file)
{
	static const enum model_step expected[] = { MODEL_STEP_NONE,	MODEL_STEP_NEXT,
						    MODEL_STEP_NONE,	MODEL_STEP_SAME,
						    MODEL_STEP_FORWARD, MODEL_STEP_BACKWARD };
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x100000 size=0x40000 prot=r--p path=\"/no/a\"\n"
		"map pid=10 tid=10 time=2000 addr=0x200000 size=0x40000 prot=r--p path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x101000 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=2501 addr=0x111fff ip=0x1 error=user\n" // 16 pages on
		"fault pid=10 tid=10 time=2502 addr=0x203000 ip=0x1 error=user\n" // another file
		"fault pid=10 tid=10 time=2503 addr=0x111000 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=2504 addr=0x122000 ip=0x1 error=user\n" // 17 pages on
		"fault pid=10 tid=10 time=2505 addr=0x121fff ip=0x1 error=user\n",
		NULL);

	assert_int_equal(model->fault_count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(model->faults[i].step, expected[i]);
}

TEST(what_a_fault_read_counts_for_what_it_touched)
{
	answer_text(
		"elfault-trace-text 1\n"
		"meta arg=\"prog\" backend=\"bpf\" page_size=4096 root_pid=10 start=1000 "
		"reads=yes\n"
		"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"
		"map pid=10 tid=10 time=2000 addr=0x100000 size=0x40000 prot=r--p path=\"/no/a\"\n"
		"map pid=10 tid=10 time=2000 addr=0x200000 size=0x40000 prot=r--p path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x103000 read_offset=0 read_pages=30 "
		"read_span=32\n"
		"fault pid=10 tid=10 time=2501 addr=0x203000\n"
		"fault pid=10 tid=10 time=2502 addr=0x120000 read_offset=0x20000 read_pages=1\n",
		NULL);
	assert_true(model->trace.has_reads);
	assert_true(model->counts.has_reads);
	assert_int_equal(model->counts.read_bytes, 31 * 4096);
	assert_true(model->faults[0].has_read);
	assert_int_equal(model_read_offset(&model->faults[0]), 0);
	assert_int_equal(model_read_pages(&model->faults[0]), 30);
	assert_int_equal(model_read_span(&model->faults[0]), 32);
	assert_false(model->faults[1].has_read);
	assert_int_equal(model_read_span(&model->faults[2]), 1);
	assert_int_equal(model->total.read_pages, 31);
	assert_int_equal(model->objects[model->faults[0].at.object].count.read_pages, 31);
	assert_int_equal(model->objects[model->faults[1].at.object].count.read_pages, 0);
}

TEST(exec_and_fork_change_the_address_space)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r--p path=\"/no/a\"\n"
		"fork pid=11 tid=11 time=3000 parent_pid=10 parent_tid=10\n"
		"fault pid=11 tid=11 time=3100 addr=0x10000 ip=0x1 error=user\n"
		"exec pid=11 tid=11 time=4000 comm=\"other\"\n"
		"fault pid=11 tid=11 time=4100 addr=0x10000 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=4200 addr=0x10000 ip=0x1 error=user\n"
		"exit pid=11 tid=11 time=5000\n"
		"fork pid=11 tid=11 time=6000 parent_pid=10 parent_tid=10\n"
		"fault pid=11 tid=11 time=6100 addr=0x10000 ip=0x1 error=user\n",
		NULL);
	assert_string_equal(object_of(model, 0), "/no/a");
	assert_string_equal(object_of(model, 1), "none");
	assert_string_equal(object_of(model, 2), "/no/a");
	assert_string_equal(object_of(model, 3), "/no/a");
	assert_string_equal(comm_of(model, 0), "prog");
	assert_string_equal(comm_of(model, 1), "other");
	assert_int_equal(model->counts.processes, 3);
	assert_int_equal(model->counts.programs, 2);
}

TEST(each_exec_and_fork_begins_a_program)
{
	// The second process 11 is another than the first.
	answer_text(HEAD "fault pid=10 tid=10 time=1100 addr=0x10000 ip=0x1 error=user\n"
			 "fork pid=11 tid=11 time=3000 parent_pid=10 parent_tid=10\n"
			 "fault pid=11 tid=11 time=3100 addr=0x10000 ip=0x1 error=user\n"
			 "exec pid=11 tid=11 time=4000 comm=\"other\"\n"
			 "fault pid=11 tid=11 time=4100 addr=0x10000 ip=0x1 error=user\n"
			 "fork pid=11 tid=12 time=4200 parent_pid=11 parent_tid=11\n"
			 "fault pid=11 tid=12 time=4300 addr=0x10000 ip=0x1 error=user\n"
			 "exit pid=11 tid=11 time=5000\n"
			 "fork pid=11 tid=11 time=6000 parent_pid=10 parent_tid=10\n"
			 "fault pid=11 tid=11 time=6100 addr=0x10000 ip=0x1 error=user\n",
		    NULL);
	static const struct model_program expected[] = {
		// The first is what process 10 was before its exec.
		{ 10, true, MODEL_NONE }, { 11, false, 1 }, { 11, true, 2 },
		{ 11, true, 2 },	  { 11, false, 1 },
	};

	assert_int_equal(model->fault_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(program_of(model, i)->pid, expected[i].pid);
		assert_int_equal(program_of(model, i)->has_exec, expected[i].has_exec);
		assert_int_equal(program_of(model, i)->parent, expected[i].parent);
		assert_int_equal(model_thread(model, &model->faults[i])->pid, expected[i].pid);
		for (size_t j = 0; j < i; j++)
			assert_int_equal(program_of(model, i) == program_of(model, j),
					 i == 3 && j == 2); // two threads of one program
	}
}

TEST(threads_that_were_there_before_are_counted)
{
	answer_text("elfault-trace-text 1\n"
		    "meta backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 start=1000 "
		    "attached=yes\n"
		    "comm pid=10 tid=10 time=1000 comm=\"first\"\n"
		    "comm pid=10 tid=11 time=1000 comm=\"second\"\n"
		    "comm pid=10 tid=11 time=1100 comm=\"renamed\"\n"
		    "fault pid=10 tid=11 time=2000 addr=0x10000 ip=0x1 error=user\n"
		    "fork pid=10 tid=12 time=3000 parent_pid=10 parent_tid=10\n",
		    NULL);
	assert_int_equal(model->counts.processes, 1);
	assert_int_equal(model->counts.threads, 3);
	assert_string_equal(comm_of(model, 0), "renamed");
	assert_false(program_of(model, 0)->has_exec);
}

TEST(anonymous_memory_has_rows_of_its_own)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x4000 prot=rw-p\n"
		"map pid=10 tid=10 time=2000 addr=0x20000 size=0x4000 prot=rw-p path=\"[heap]\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x10010 ip=0x1 error=write,user\n"
		"fault pid=10 tid=10 time=2600 addr=0x11010 ip=0x1 error=write,user\n"
		"fault pid=10 tid=10 time=2700 addr=0x11020 ip=0x1 error=present,write,user\n"
		"fault pid=10 tid=10 time=2800 addr=0x20000 ip=0x1 error=user kind=major\n",
		NULL);
	assert_int_equal(model->shown_count, 2);
	const struct model_object *anon = &model->objects[model->shown[0]];
	assert_string_equal(anon->path, "[anon]");
	assert_int_equal(anon->count.faults, 3);
	assert_int_equal(anon->by_mechanism[MODEL_ZERO_FILL], 2);
	assert_int_equal(anon->by_mechanism[MODEL_MECHANISM_OTHER], 1);
	assert_int_equal(anon->by_access[MODEL_ACCESS_WRITE], 3);
	assert_int_equal(anon->section_count, 1);
	assert_string_equal(model->sections[anon->sections[0]].name, "[anon]");
	assert_int_equal(model->sections[anon->sections[0]].pages, 2);
	assert_int_equal(model->objects[model->shown[1]].count.major, 1);
}

TEST(a_stack_is_named_where_its_frames_are_mapped)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x4000 prot=r-xp path=\"/no/a\"\n"
		"stack id=1 frames=0x10100,0x11000\n"
		"fault pid=10 tid=10 time=2500 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n"
		"fault pid=10 tid=10 time=2600 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n"
		"map pid=10 tid=10 time=3000 addr=0x10000 size=0x4000 prot=r-xp path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=3500 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n",
		NULL);
	assert_int_equal(model->stack_count, 2);
	assert_int_equal(model->faults[0].stack, model->faults[1].stack);
	const struct model_stack *first = &model->stacks[model->faults[0].stack];
	const struct model_stack *second = &model->stacks[model->faults[2].stack];
	assert_int_equal(first->frame_count, 2);
	assert_string_equal(model->objects[first->frames[1]->object].path, "/no/a");
	assert_int_equal(first->frames[1]->offset, 0xfff);
	assert_string_equal(model->objects[second->frames[0]->object].path, "/no/b");
	assert_int_equal(model->faults[0].access, MODEL_ACCESS_EXEC);
}

TEST(a_stack_is_named_anew_after_exec)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x4000 prot=r-xp path=\"/no/a\"\n"
		"stack id=1 frames=0x10100,0x11000\n"
		"fault pid=10 tid=10 time=2500 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n"
		"exec pid=10 tid=10 time=2600 comm=\"b\"\n"
		"map pid=10 tid=10 time=3000 addr=0x10000 size=0x4000 prot=r-xp path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=3500 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n",
		NULL);
	const struct model_stack *second = &model->stacks[model->faults[1].stack];
	assert_int_equal(model->stack_count, 2);
	assert_string_equal(model->objects[second->frames[1]->object].path, "/no/b");
}

/** Each recorded stack has an id of its own, and each process its own addresses. */
TEST(equal_stacks_are_one_with_shared_frames)
{
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x4000 prot=r-xp path=\"/no/a\"\n"
		"map pid=20 tid=20 time=2000 addr=0x50000 size=0x4000 prot=r-xp path=\"/no/a\"\n"
		"stack id=1 frames=0x10100,0x11000\n"
		"stack id=2 frames=0x10100,0x11000\n"
		"stack id=3 frames=0x50100,0x51000\n"
		"stack id=4 frames=0x50100,0x51000 truncated=yes\n"
		"stack id=5 frames=0x50200,0x51000\n"
		"fault pid=10 tid=10 time=2500 addr=0x10100 ip=0x10100 error=user,fetch stack=1\n"
		"map pid=10 tid=10 time=2550 addr=0x90000 size=0x4000 prot=rw-p path=\"//anon\"\n"
		"fault pid=10 tid=10 time=2600 addr=0x10100 ip=0x10100 error=user,fetch stack=2\n"
		"fault pid=20 tid=20 time=2700 addr=0x50100 ip=0x50100 error=user,fetch stack=3\n"
		"fault pid=20 tid=20 time=2800 addr=0x50100 ip=0x50100 error=user,fetch stack=4\n"
		"fault pid=20 tid=20 time=2900 addr=0x50200 ip=0x50200 error=user,fetch stack=5\n",
		NULL);
	assert_int_equal(model->stack_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(model->faults[i].stack, 0);
	assert_true(model->stacks[1].is_truncated);
	assert_ptr_equal(model->stacks[0].frames[0], model->stacks[1].frames[0]);
	assert_ptr_not_equal(model->stacks[0].frames[0], model->stacks[2].frames[0]);
	assert_ptr_equal(model->stacks[0].frames[1], model->stacks[2].frames[1]);
}

TEST(narrowing_shows_one_object_and_counts_all)
{
	const char *const objects[] = { "b" };
	const struct correlate_options options = { .objects = objects,
						   .object_count = 1,
						   .needs = NEED_TABLES | NEED_SOURCES };
	answer_text(
		HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r--p path=\"/no/a\"\n"
		"map pid=10 tid=10 time=2000 addr=0x20000 size=0x1000 prot=r--p path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x10010 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=2600 addr=0x20010 ip=0x1 error=user\n",
		&options);

	assert_true(model->is_narrowed);
	assert_int_equal(model->shown_count, 1);
	assert_string_equal(model->objects[model->shown[0]].path, "/no/b");
	assert_int_equal(model->fault_count, 1);
	assert_int_equal(model->total.faults, 1);
	assert_int_equal(model->counts.recorded, 2);
}

TEST(narrowing_is_a_view_on_what_all_faults_show)
{
	const char *const objects[] = { "b" };
	const struct correlate_options options = { .objects = objects,
						   .object_count = 1,
						   .needs = NEED_TABLES | NEED_SOURCES };
	struct trace trace = { .path = (char *)"t", .meta.page_size = 4096 };
	struct trace_fault faults[] = {
		{ .pid = 10, .tid = 10, .time_ns = 2, .addr = 0x10010 },
		{ .pid = 10, .tid = 10, .time_ns = 3, .addr = 0x20010 },
		{ .pid = 10, .tid = 10, .time_ns = 4, .addr = 0x20010 },
	};
	struct trace_mapping mappings[] = {
		{ .pid = 10, .time_ns = 1, .addr = 0x10000, .size = 0x1000, .path = "/no/a" },
		{ .pid = 10, .time_ns = 1, .addr = 0x20000, .size = 0x1000, .path = "/no/b" },
	};
	struct analysis *analysis = NULL;
	struct err err;

	for (size_t i = 0; i < 3; i++)
		vec_push(&trace.faults, faults[i]);
	for (size_t i = 0; i < 2; i++)
		vec_push(&trace.mappings, mappings[i]);
	assert_true(analysis_create(&trace, &options, &analysis, &err));
	vec_deinit(&trace.mappings);

	const struct model *whole = analysis_whole(analysis);
	assert_false(whole->is_narrowed);
	assert_null(whole->filter);
	assert_int_equal(whole->total.faults, 3);
	assert_int_equal(whole->shown_count, 2);

	const uint32_t b = whole->shown[0]; // most faults first
	CLEANUP(model_closep) struct model *model = analysis_take(analysis);
	analysis_destroy(analysis);
	assert_true(model->is_narrowed);
	assert_string_equal(model->filter, "object=b");
	assert_int_equal(model->total.faults, 2);
	assert_int_equal(model->fault_count, 2);
	assert_int_equal(model->shown_count, 1);
	assert_int_equal(model->shown[0], b);
	assert_string_equal(model->objects[b].path, "/no/b");
	assert_int_equal(model->objects[b].count.faults, 2);
	assert_int_equal(model->objects[!b].count.faults, 0);
}

TEST(an_analysis_that_nobody_takes_is_released)
{
	struct trace trace = { .path = (char *)"t", .meta.page_size = 4096 };
	const struct correlate_options options = { .needs = NEED_TABLES };
	CLEANUP(analysis_destroyp) struct analysis *analysis = NULL;
	struct err err;

	vec_push(&trace.faults, (struct trace_fault){ .pid = 10, .tid = 10, .addr = 0x10010 });
	assert_true(analysis_create(&trace, &options, &analysis, &err));
	assert_int_equal(analysis_whole(analysis)->fault_count, 1);
}

TEST(objects_and_conditions_hold_together)
{
	const char *const objects[] = { "b" };
	struct correlate_options options = { .objects = objects,
					     .object_count = 1,
					     .needs = NEED_TABLES | NEED_SOURCES };
	struct filter *filter = filter_create();
	struct err err;
	static const char trace[] = HEAD
		"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r--p path=\"/no/a\"\n"
		"map pid=10 tid=10 time=2000 addr=0x20000 size=0x4000 prot=r--p path=\"/no/b\"\n"
		"fault pid=10 tid=10 time=2500 addr=0x10010 ip=0x1 error=user kind=major\n"
		"fault pid=10 tid=10 time=2600 addr=0x20010 ip=0x1 error=user\n"
		"fault pid=10 tid=10 time=2700 addr=0x21010 ip=0x1 error=user kind=major\n";

	assert_true(filter_add(filter, "kind=major,tid=10", &err));
	options.filter = filter;
	CLEANUP(model_closep) struct model *both = correlate_text(trace, &options);
	options.object_count = 0;
	CLEANUP(model_closep) struct model *one = correlate_text(trace, &options);
	CLEANUP(model_closep) struct model *whole = correlate_text(trace, NULL);

	filter_destroy(filter);
	assert_true(both->is_narrowed);
	assert_string_equal(both->filter, "object=b,kind=major,tid=10");
	assert_int_equal(both->fault_count, 1);
	assert_int_equal(both->faults[0].addr, 0x21010);
	assert_int_equal(both->total.faults, 1);
	assert_int_equal(both->counts.recorded, 3);
	assert_int_equal(both->counts.attributed, 3);
	assert_int_equal(both->shown_count, 1);
	assert_false(one->is_narrowed);
	assert_string_equal(one->filter, "kind=major,tid=10");
	assert_int_equal(one->fault_count, 2);
	assert_int_equal(one->shown_count, 2);
	assert_null(whole->filter);
	assert_int_equal(whole->fault_count, 3);
}

TEST(an_object_that_was_not_mapped_is_refused_by_name)
{
	const char *const objects[] = { "libnone.so" };
	const struct correlate_options options = { .objects = objects,
						   .object_count = 1,
						   .needs = NEED_TABLES | NEED_SOURCES };
	struct trace trace = { .path = (char *)"t", .meta.page_size = 4096 };
	struct model *model = NULL;
	struct err err;

	assert_false(correlate(&trace, &options, &model, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.message, "libnone.so"));
	assert_null(model);
}

TEST(what_a_trace_takes_is_told_by_what_it_holds)
{
	const struct trace_size none = { 0 };
	const struct trace_size million = { .faults = 1000000 };
	const struct trace_size history = { .stacks = 10, .mappings = 10, .others = 10 };

	assert_int_equal(correlate_memory(&none), 0);
	assert_in_range(correlate_memory(&million), 80000000, 112000000);
	assert_in_range(correlate_memory(&history), 1000, 4000);
}
