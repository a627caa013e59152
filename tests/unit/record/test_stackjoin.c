// SPDX-License-Identifier: Apache-2.0
// Faults and stacks of one CPU, each in order, some of either missing: what is delivered with what.
#include "record/perf/private.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <sys/mman.h>

/** A sink into a trace in memory. */
struct fixture {
	int fd;
	struct sink sink;
	struct stackjoin join;
};

static void begin(struct fixture *fixture, uint64_t slack)
{
	const struct trace_meta meta = { .page_size = 4096 };
	struct err err = { 0 };

	*fixture = (struct fixture){
		.fd = memfd_create("trace", MFD_CLOEXEC),
		.sink = { .exec_known = true },
		.join = { .slack = slack },
	};
	assert_true(trace_writer_open(fixture->fd, &meta, &fixture->sink.writer, &err));
}

static void end(struct fixture *fixture)
{
	trace_writer_close(fixture->sink.writer);
	sink_deinit(&fixture->sink);
	stackjoin_deinit(&fixture->join);
	close(fixture->fd);
}

static struct stackjoin_key key(uint64_t order, uint64_t identity)
{
	return (struct stackjoin_key){ .order = order, .identity = identity };
}

static void add(struct fixture *fixture, uint64_t order, uint64_t identity)
{
	const struct trace_fault fault = { .time_ns = order, .addr = identity };

	stackjoin_add(&fixture->join, key(order, identity), &fault);
}

/** The addr of the fault that a stack with this key is given to; 0: to none. */
static uint64_t take(struct fixture *fixture, uint64_t order, uint64_t identity)
{
	const struct trace_fault *fault =
		stackjoin_take(&fixture->join, key(order, identity), &fixture->sink);

	return fault ? fault->addr : 0;
}

static uint64_t delivered(const struct fixture *fixture)
{
	return trace_writer_fault_count(fixture->sink.writer);
}

TEST(each_stack_finds_its_fault)
{
	struct fixture fixture;

	begin(&fixture, 0);
	for (uint64_t i = 1; i <= 100; i++)
		add(&fixture, i, i);
	for (uint64_t i = 1; i <= 100; i++)
		assert_int_equal(take(&fixture, i, i), i);
	assert_int_equal(delivered(&fixture), 0);
	assert_int_equal(fixture.join.without, 0);
	end(&fixture);
}

TEST(a_fault_whose_stack_was_lost_goes_on_without_it)
{
	struct fixture fixture;

	begin(&fixture, 0);
	for (uint64_t i = 1; i <= 5; i++)
		add(&fixture, i, i);
	assert_int_equal(take(&fixture, 3, 3), 3);
	assert_int_equal(delivered(&fixture), 2);
	assert_int_equal(take(&fixture, 4, 4), 4);
	stackjoin_settle(&fixture.join, 5, &fixture.sink);
	assert_int_equal(delivered(&fixture), 2);
	stackjoin_settle(&fixture.join, 6, &fixture.sink);
	assert_int_equal(delivered(&fixture), 3);
	assert_int_equal(fixture.join.without, 3);
	end(&fixture);
}

TEST(a_stack_whose_fault_was_lost_takes_no_other)
{
	struct fixture fixture;

	begin(&fixture, 0);
	assert_int_equal(take(&fixture, 1, 1), 0);
	add(&fixture, 2, 2);
	add(&fixture, 4, 4);
	assert_int_equal(take(&fixture, 3, 3), 0);
	assert_int_equal(take(&fixture, 9, 9), 0);
	assert_int_equal(delivered(&fixture), 0); // both still wait
	assert_int_equal(take(&fixture, 4, 4), 4);
	assert_int_equal(delivered(&fixture), 1);
	end(&fixture);
}

TEST(clocks_may_differ_by_the_slack_and_no_more)
{
	struct fixture fixture;

	begin(&fixture, 10);
	add(&fixture, 100, 7);
	assert_int_equal(take(&fixture, 89, 7), 0);
	assert_int_equal(take(&fixture, 90, 7), 7);
	// The same place again, the stack's clock behind: the one that has waited longest.
	add(&fixture, 200, 7);
	add(&fixture, 205, 7);
	assert_int_equal(take(&fixture, 203, 7), 7);
	assert_int_equal(delivered(&fixture), 0);
	assert_int_equal(take(&fixture, 208, 7), 7);
	end(&fixture);
}

TEST(random_losses_of_either_are_survived)
{
	enum { COUNT = 100000 };
	struct fixture fixture;
	unsigned int seed = 11;
	uint64_t faults = 0, with = 0, expected = 0, read = 0;
	static bool has_fault[COUNT + 1], has_stack[COUNT + 1];

	print_message("# seed %u\n", seed);
	for (size_t i = 1; i <= COUNT; i++) {
		has_fault[i] = rand_r(&seed) % 10 > 0;
		has_stack[i] = rand_r(&seed) % 3 > 0;
		faults += has_fault[i];
		expected += has_fault[i] && has_stack[i];
	}
	begin(&fixture, 0);
	for (uint64_t i = 1; i <= COUNT; i++) {
		// The ring of faults is read now and then, some way ahead.
		if (i > read)
			for (uint64_t to = i + (uint64_t)rand_r(&seed) % 500;
			     read < to && read < COUNT;)
				if (has_fault[++read])
					add(&fixture, read, read);
		if (has_stack[i] && take(&fixture, i, i) == i)
			with++;
	}
	stackjoin_settle(&fixture.join, UINT64_MAX, &fixture.sink);
	assert_int_equal(with, expected);
	assert_int_equal(delivered(&fixture), faults - expected);
	assert_int_equal(fixture.join.without, faults - expected);
	end(&fixture);
}
