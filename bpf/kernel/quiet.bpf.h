// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Quiet of the recorded threads: none runs, could run or waits for storage. Counted only where that
// is asked for.
#pragma once

#include "bpf/kernel/state.bpf.h"

const volatile __u64 quiet_wanted_ns = 0; // set before loading; 0: nobody asks

// Shared with the recorder.
__u64 awake = 0;	  // threads that are not quiet
__u64 last_active_ns = 0; // when one last became so, or ceased to be
__u64 quiet_found_ns = 0; // when a quiet began that was long enough; 0: none was yet

/** The thread may run. */
static void be_awake(struct task_state *state)
{
	__u64 now;

	if (!quiet_wanted_ns || !state->is_in_program || state->is_awake)
		return;
	now = bpf_ktime_get_ns();
	if (awake == 0 && last_active_ns && !quiet_found_ns &&
	    now - last_active_ns >= quiet_wanted_ns)
		quiet_found_ns = last_active_ns;
	last_active_ns = now;
	state->is_awake = 1;
	__sync_fetch_and_add(&awake, 1);
}

/** The thread sleeps, not for storage, or ends. The time first: who sees none awake sees it. */
static void be_quiet(struct task_state *state, __u64 now)
{
	if (!quiet_wanted_ns || !state->is_awake)
		return;
	last_active_ns = now;
	state->is_awake = 0;
	__sync_fetch_and_add(&awake, -1);
}
