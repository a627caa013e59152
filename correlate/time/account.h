// SPDX-License-Identifier: Apache-2.0
// Where the time of each thread went: its life cut into states by its faults and its pauses.
#pragma once

#include "correlate/time/lives.h"
#include "correlate/replay/rows.h"
#include "trace/trace.h"

/**
 * Fill in model.account, which stays NULL where the trace has no pauses. @faults: all of them, with
 * their initiators; their times are since the start of the recording. @moments: likewise.
 * *@ret_lives: what it is made of; to be released with lives_deinit().
 */
void account_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct all_moments *moments, struct lives *ret_lives);
