// SPDX-License-Identifier: Apache-2.0
// The account of a trace that stands in a test as text.
#pragma once

#include "tests/support/answers.h"

#include "model/account.h"

static struct model *model; // of the last account_of(), for whoever reads more of it

static const struct model_account *account_of(const char *text)
{
	model = correlate_text(text, NULL);
	return model->account;
}

/** For the teardown of each test. */
static int end(void **state)
{
	model_close(model);
	model = NULL;
	return 0;
}

/** cpu, fault, fault-io, file-io, wait, runnable, recording */
static void assert_times(const struct model_times *times, const uint64_t (*expected)[MODEL_STATES])
{
	for (size_t i = 0; i < MODEL_STATES; i++)
		if (times->ns[i] != (*expected)[i])
			fail_msg("%s is %llu, not %llu", model_state_name((enum model_state)i),
				 (unsigned long long)times->ns[i],
				 (unsigned long long)(*expected)[i]);
}
#define assert_states(times, ...) \
	assert_times(times, &(const uint64_t[MODEL_STATES]){ __VA_ARGS__ })
