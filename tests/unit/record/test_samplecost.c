// SPDX-License-Identifier: Apache-2.0
// Costs of samples: by the gaps that they are in, on a busy machine too.
#include "record/samplecost.h"
#include "tests/support/test.h"

enum { TID = 7, US = 1000 };

/** Return the gap that begins at @start_us and is @excess_us longer than a piece of the loop. */
static struct costchild_gap gap_of(uint64_t start_us, uint64_t excess_us)
{
	return (struct costchild_gap){
		.start_ns = start_us * US,
		.end_ns = (start_us + excess_us) * US + 200,
		.excess_ns = excess_us * US,
	};
}

static struct trace_sample sample_at(uint32_t tid, uint64_t time_us, uint32_t program_ns)
{
	return (struct trace_sample){ .time_ns = time_us * US,
				      .tid = tid,
				      .program_ns = program_ns };
}

/** More gaps are the timer's, which takes a quarter of a sample, than are samples'. */
TEST(gaps_of_samples_count)
{
	const struct costchild_gap gaps[] = {
		gap_of(100, 20), gap_of(150, 4), gap_of(200, 16), gap_of(240, 4),
		gap_of(280, 4),	 gap_of(320, 4), gap_of(360, 4),
	};
	struct trace_sample samples[] = {
		sample_at(TID, 90, 9000), // in no gap
		sample_at(TID, 103, 500),
		sample_at(TID + 1, 151, 9000), // of another thread
		sample_at(TID, 202, 700),
	};
	const struct trace trace = { .samples = { samples, 4, 4 } };
	const struct samplecost cost = samplecost_of(&trace, TID, gaps, 7);

	assert_int_equal(cost.ns, 18 * US);
	assert_int_equal(cost.program_ns, 600);
}

TEST(a_sample_that_others_interrupt_is_left_out)
{
	const struct costchild_gap gaps[] = { gap_of(100, 16), gap_of(200, 20), gap_of(300, 4000) };
	struct trace_sample samples[] = {
		sample_at(TID, 103, 500),
		sample_at(TID, 205, 700),
		sample_at(TID, 310, 9000),
	};
	const struct trace trace = { .samples = { samples, 3, 3 } };
	const struct samplecost cost = samplecost_of(&trace, TID, gaps, 3);

	assert_int_equal(cost.ns, 18 * US);
	assert_int_equal(cost.program_ns, 600);
}

TEST(without_samples_nothing_is_known)
{
	const struct costchild_gap gaps[] = { gap_of(100, 4) };
	const struct trace trace = { 0 };
	const struct samplecost cost = samplecost_of(&trace, TID, gaps, 1);

	assert_int_equal(cost.ns, 0);
	assert_int_equal(cost.program_ns, 0);
}
