// SPDX-License-Identifier: Apache-2.0
// Answers for tests: from the text of a trace to its model.
#pragma once

#include "base/cleanup.h"
#include "correlate/correlate.h"
#include "tests/support/traces.h"

/** Correlate the trace that @text describes; @options: NULL for none. Released by the caller. */
static inline struct model *correlate_text(const char *text,
					   const struct correlate_options *options)
{
	CLEANUP(trace_closep) struct trace *trace = read_text(text);
	struct model *model = NULL;
	struct err err = { 0 };

	if (!correlate(trace,
		       options ? options
			       : &(struct correlate_options){ .needs = NEED_TABLES | NEED_SOURCES },
		       &model, &err))
		fail_msg("%s", err.message);
	return model;
}

/** The answer of a test that needs no more than one at a time. */
static struct model *model;

/** For after each test. */
static inline int answer_forget(void **state)
{
	model_close(TAKE(model));
	return 0;
}

/** Answer for the trace @text; see correlate_text(). */
static inline void answer_text(const char *text, const struct correlate_options *options)
{
	answer_forget(NULL);
	model = correlate_text(text, options);
}
