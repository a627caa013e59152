// SPDX-License-Identifier: Apache-2.0
// The account of a trace that stands in a test as text.
#pragma once

#include "tests/support/answers.h"

#include "model/account.h"

/** The account of the test's answer. */
static const struct model_account *account;

/** Answer for the trace @text. Returns: account. */
static const struct model_account *answer(const char *text)
{
	answer_text(text, NULL);
	account = model->account;
	return account;
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
