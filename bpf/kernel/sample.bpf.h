// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Samples of the processor: what a tracked task runs each time that its clock has gone on so far.
#pragma once

#include "bpf/kernel/stack.bpf.h"
#include "bpf/kernel/time.bpf.h"

__u64 lost_samples = 0;

SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	if (!state || !scratch || !state->is_in_program || state->is_hidden)
		return 0;

	__u64 now = bpf_ktime_get_ns();
	struct stack_event *event = &scratch->event;
	__u64 stack_used = stack_bytes > 0 ? bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) : 0;
	__u32 flags = (ctx->registers.cs & 3) == 3 ? 0 : FAULT_EVENT_KERNEL;
	__u64 ip = 0, sp = 0;

	if (!state->in_exec) {
		flags |= capture_registers(event, ctx, task, flags & FAULT_EVENT_KERNEL);
		ip = event->registers[16];
		sp = event->registers[7];
		// One that ends has given up its memory already.
		if (stack_bytes > 0 && only_read(task)->mm)
			flags |= capture_stack(scratch, state, task, stack_used);
	}
	event->fault = (struct fault_event){
		.kind = FAULT_EVENT_SAMPLE,
		.flags = flags | (state->flags & FAULT_EVENT_HAS_ENTRY),
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = now,
		.duration_ns = ctx->sample_period,
		.ip = ip,
		.sp = sp,
		.stack_size = event->fault.stack_size, // with HAS_STACK
		.program_ns = state->sample_program_ns,
	};
	emit(scratch, state, stack_used, &lost_samples);
	state->sample_program_ns = bpf_ktime_get_ns() - now;
	return 0;
}
