// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// When the recorder is on which processor: what a task that may run waits for there, it waits for
// the recording.
#pragma once

#include "bpf/kernel/state.bpf.h"

enum {
	HELD_STAYS = 16, // remembered of each processor; a power of 2
	HELD_NOWHERE = ~0u,
};

/** The recorder, a process of one thread; only to be compared. 0: not known yet. */
__u64 recorder = 0;

struct held_stay {
	__u64 start_ns, end_ns;
};

/** One per processor: when the recorder was there. */
struct held {
	__u64 since_ns; // 0: it is not there
	__u64 count;	// of stays so far: the newest are in the array
	struct held_stay stays[HELD_STAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); // as of scratches
	__type(key, __u32);
	__type(value, struct held);
} held SEC(".maps");

static struct held *held_at(__u32 cpu)
{
	return bpf_map_lookup_elem(&held, &cpu);
}

/** The recorder leaves this processor. */
static void end_holding(void)
{
	struct held *here = held_at(bpf_get_smp_processor_id());

	if (!here || !here->since_ns)
		return;
	here->stays[here->count % HELD_STAYS] = (struct held_stay){
		.start_ns = here->since_ns,
		.end_ns = bpf_ktime_get_ns(),
	};
	here->count++;
	here->since_ns = 0;
}

static void begin_holding(void)
{
	struct held *here = held_at(bpf_get_smp_processor_id());

	if (here)
		here->since_ns = bpf_ktime_get_ns();
}

/** Return how long the recorder had @of from @from_ns to @to_ns, as far as that is remembered. */
static __u64 held_between(const struct held *of, __u64 from_ns, __u64 to_ns)
{
	const __u64 count = of->count;
	__u64 since_ns = of->since_ns, ns = 0;

	if (since_ns && since_ns < to_ns)
		ns = to_ns - (since_ns > from_ns ? since_ns : from_ns);
	for (__u32 i = 1; i <= HELD_STAYS && i <= count; i++) {
		const struct held_stay *stay = &of->stays[(count - i) % HELD_STAYS];
		const __u64 start_ns = stay->start_ns > from_ns ? stay->start_ns : from_ns;
		const __u64 end_ns = stay->end_ns < to_ns ? stay->end_ns : to_ns;

		if (stay->end_ns <= from_ns)
			break;
		if (start_ns < end_ns)
			ns += end_ns - start_ns;
	}
	return ns;
}

/** The task of @state may run since @from_ns: add what the recorder had of @of until @to_ns. */
static void add_held(struct task_state *state, const struct held *of, __u64 from_ns, __u64 to_ns)
{
	if (state->queued_ns > from_ns)
		from_ns = state->queued_ns;
	if (of && from_ns < to_ns)
		state->held_ns += held_between(of, from_ns, to_ns);
}

/** Likewise, of this processor, where it runs now. */
static void add_held_here(struct task_state *state, __u64 from_ns, __u64 to_ns)
{
	struct held *here = held_at(bpf_get_smp_processor_id());

	if (here)
		here->since_ns = 0; // else the recorder left without an event: see unseen_return()
	add_held(state, here, from_ns, to_ns);
}
