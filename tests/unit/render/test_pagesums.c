// SPDX-License-Identifier: Apache-2.0
// Times of a report page add up: cells, processes, moments, as its columns and its header have
// them.
#include "tests/support/answers.h"

#include "model/io.h"
#include "model/moments.h"
#include "model/waits.h"
#include "render/page/data.h"

#include <json-c/json.h>

enum { NEEDS = NEED_TABLES | NEED_MOMENTS | NEED_IO, CELL_STATE = 0, CELL_INITIATOR, CELL_NS };

/** A page with its header. */
struct page {
	struct model *model;
	struct pagefaults columns;
	struct json_object *header;
};

static struct page page_of(struct model *model)
{
	struct page page = { .model = model };

	pagefaults_init(&page.columns, model, PAGEFAULTS_MERGE_ABOVE, NULL, 0);
	page.header = pageheader_new(model, &page.columns);
	return page;
}

static void page_deinit(struct page *page)
{
	json_object_put(page->header);
	pagefaults_deinit(&page->columns);
	model_close(page->model);
}

static struct page page_of_file(const char *name)
{
	CLEANUP(trace_closep) struct trace *trace = NULL;
	const struct correlate_options options = { .needs = NEEDS };
	struct model *model = NULL;
	struct err err = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/traces/%s.txt", FIXTURES, name);
	trace = read_trace(path);
	if (!correlate(trace, &options, &model, &err))
		fail_msg("%s: %s", name, err.message);
	return page_of(model);
}

static struct json_object *at(struct json_object *object, const char *key)
{
	struct json_object *found = NULL;

	if (!json_object_object_get_ex(object, key, &found))
		fail_msg("no %s", key);
	return found;
}

static uint64_t number(struct json_object *object, const char *key)
{
	return (uint64_t)json_object_get_int64(at(object, key));
}

static void add_cells(struct json_object *cells, struct model_times *times)
{
	for (size_t i = 0; i < json_object_array_length(cells); i++) {
		struct json_object *cell = json_object_array_get_idx(cells, i);
		const int64_t state =
			json_object_get_int64(json_object_array_get_idx(cell, CELL_STATE));
		const int64_t initiator =
			json_object_get_int64(json_object_array_get_idx(cell, CELL_INITIATOR));
		const int64_t ns = json_object_get_int64(json_object_array_get_idx(cell, CELL_NS));

		assert_in_range(state, 0, MODEL_STATES - 1);
		assert_in_range(initiator, 0, MODEL_INITIATORS - 1);
		assert_true(ns > 0);
		times[initiator].ns[state] += (uint64_t)ns;
	}
}

static void assert_same(const struct model_times *left, const struct model_times *right)
{
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		for (size_t state = 0; state < MODEL_STATES; state++)
			assert_int_equal(left[i].ns[state], right[i].ns[state]);
}

static const struct column *column(const struct page *page, const char *name)
{
	for (size_t i = 0; i < page->columns.column_count; i++)
		if (strcmp(page->columns.columns[i].name, name) == 0)
			return &page->columns.columns[i];
	fail_msg("no column %s", name);
	return NULL;
}

static void assert_cells(const struct page *page)
{
	const struct model_account *account = page->model->account;
	struct json_object *object = at(page->header, "account");
	struct json_object *processes = at(page->header, "processes");
	struct model_times own[MODEL_INITIATORS] = { 0 }, sum[MODEL_INITIATORS] = { 0 };
	uint64_t wall_ns = 0, before_ns = UINT64_MAX;

	add_cells(at(object, "cells"), own);
	assert_same(own, account->subject.by_initiator);
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		wall_ns += model_times_sum(&own[i]);
	assert_int_equal(wall_ns, account->subject.wall_ns);
	assert_true(number(object, "process") < account->process_count);
	assert_int_equal(json_object_array_length(processes), account->process_count);
	for (size_t i = 0; i < account->process_count; i++) {
		struct json_object *row = json_object_array_get_idx(processes, i);

		assert_true(number(row, "own_ns") <= before_ns);
		before_ns = number(row, "own_ns");
		add_cells(at(row, "cells"), sum);
	}
	assert_same(sum, account->by_initiator);
}

/** Samples and pauses are what the account has, where recording took nothing away. */
static void assert_moments(const struct page *page)
{
	const struct column *own = column(page, "moment_own"),
			    *states = column(page, "moment_state"),
			    *lengths = column(page, "moment_length"),
			    *flags = column(page, "moment_flags");
	const struct model_times *all = &page->model->account->all;
	struct model_times sum = { 0 };

	sum.ns[MODEL_STATE_CPU] = page->model->moments->unsampled_ns;
	for (size_t i = 0; i < own->values.count; i++) {
		const bool is_sample = flags->values.items[i] & 1;

		sum.ns[states->values.items[i]] += own->values.items[i];
		if (!is_sample)
			sum.ns[MODEL_STATE_RUNNABLE] +=
				lengths->values.items[i] - own->values.items[i];
	}
	assert_int_equal(page->columns.time_unit_ns, 1);
	for (size_t state = 0; state < MODEL_STATES; state++)
		if (state != MODEL_STATE_FAULT && state != MODEL_STATE_RECORDING)
			assert_int_equal(sum.ns[state], all->ns[state]);
}

/** All lives together are what all threads did. */
static void assert_lives(const struct page *page)
{
	const struct column *lengths = column(page, "life_length"),
			    *threads = column(page, "life_thread");
	uint64_t ns = 0;

	for (size_t i = 0; i < lengths->values.count; i++) {
		ns += lengths->values.items[i];
		assert_true(page->columns.threads.items[threads->values.items[i]].process <
			    page->columns.processes.count);
	}
	assert_int_equal(ns, model_times_sum(&page->model->account->all));
}

/** The steps of the critical path follow each other from the start to the end of the command. */
static void assert_critical(const struct page *page)
{
	struct json_object *critical = at(page->header, "critical"), *steps;
	uint64_t ns = 0;

	if (!page->model->account->critical)
		return;
	steps = at(critical, "steps");
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		struct json_object *step = json_object_array_get_idx(steps, i);

		assert_non_null(at(step, "process"));
		ns += number(step, "end_ns") - number(step, "start_ns");
	}
	assert_int_equal(ns, page->model->account->wall_ns);
}

/** Operations have what calls waited for, and what storage delivered for that. */
static void assert_operations(const struct page *page)
{
	const struct column *bytes = column(page, "operation_bytes"),
			    *waits = column(page, "operation_wait"),
			    *combinations = column(page, "operation_combination"),
			    *objects = column(page, "combination_object"),
			    *sections = column(page, "combination_section");
	struct json_object *operations = at(page->header, "operations");
	const struct model *model = page->model;
	size_t next = 0;

	array_foreach (io, model->ios->items, model->ios->count) {
		if (io->has_fault || io->wait_ns == 0)
			continue;
		const uint32_t row = combinations->values.items[next];

		assert_int_equal(waits->values.items[next], io->wait_ns);
		assert_int_equal(bytes->values.items[next++], io->bytes);
		assert_true(objects->values.items[row] <
				    model->object_count +
					    json_object_array_length(at(operations, "files")) ||
			    objects->values.items[row] == UINT16_MAX - 1);
		assert_true(sections->values.items[row] <=
			    model->section_count +
				    json_object_array_length(at(operations, "sections")));
	}
	assert_int_equal(bytes->values.count, next);
}

TEST(operations_are_all_that_calls_waited_for)
{
	static const char *const names[] = { "storage", "storage-more" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CLEANUP(page_deinit) struct page page = page_of_file(names[i]);

		assert_operations(&page);
	}
}

TEST(those_of_the_fixtures_add_up)
{
	static const char *const names[] = { "time", "time-slower", "busy", "until" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CLEANUP(page_deinit) struct page page = page_of_file(names[i]);

		assert_cells(&page);
		assert_moments(&page);
		assert_lives(&page);
		assert_critical(&page);
	}
}

TEST(threads_without_a_fault_have_a_row)
{
	CLEANUP(page_deinit)
	struct page page = page_of(
		correlate_text("elfault-trace-text 1\n"
			       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n"
			       "exec time=2000 pid=10 comm=cmd\n"
			       "fork time=2500 pid=10 tid=11 parent_pid=10 parent_tid=10\n"
			       "fault time=2600 pid=10 tid=10 addr=0x1000 duration=100\n"
			       "pause pid=10 tid=11 time=3500 woken=5000 back=5200 call=202\n"
			       "pause pid=10 tid=11 time=6000 ends=thread\n"
			       "pause pid=10 tid=10 time=9000 ends=thread\n"
			       "summary end=9999\n",
			       &(struct correlate_options){ .needs = NEEDS }));
	const struct column *rows = column(&page, "moment_combination");

	assert_cells(&page);
	assert_moments(&page);
	assert_lives(&page);
	assert_int_equal(rows->values.count, 1);
	assert_int_equal(page.columns.threads.count, 2);
	const uint32_t thread =
		column(&page, "combination_thread")->values.items[rows->values.items[0]];
	assert_int_equal(page.columns.threads.items[thread].tid, 11);
}

TEST(without_an_account_there_is_none)
{
	static const char *const names[] = { "waits", "storage" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CLEANUP(page_deinit) struct page page = page_of_file(names[i]);

		assert_null(at(page.header, "account"));
		assert_null(at(page.header, "critical"));
		assert_int_equal(json_object_array_length(at(page.header, "processes")), 0);
		assert_int_equal(column(&page, "moment_time")->values.count, 0);
	}
}
