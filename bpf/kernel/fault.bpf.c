// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The kernel side of recording: filters tracked tasks and copies. Entry and completion of a fault
// meet in the task's storage; the completion emits one record: with the stack into a ring for such,
// or without it into another, which must not overflow. x86-64 only.
#include "bpf/kernel/mapping.bpf.h"
#include "bpf/kernel/pagecache.bpf.h"
#include "bpf/kernel/sample.bpf.h"
#include "bpf/kernel/stack.bpf.h"
#include "bpf/kernel/state.bpf.h"
#include "bpf/kernel/storage.bpf.h"
#include "bpf/kernel/task.bpf.h"
#include "bpf/kernel/time.bpf.h"

char license_name[] SEC("license") = "Dual BSD/GPL";

static void begin_fault(struct task_state *state, __u64 addr, __u64 error_code, __u32 flags)
{
	state->entry_addr = addr;
	state->error_code = error_code;
	state->around_pages = 0;
	state->read_pages = 0;
	state->flags = FAULT_EVENT_HAS_ENTRY | flags;
	state->entry_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(enter_user, unsigned long addr, struct pt_regs *regs, unsigned long error_code)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	begin_fault(state, addr, error_code, 0);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(enter_kernel, unsigned long addr, struct pt_regs *regs, unsigned long error_code)
{
	if ((long)addr < 0)
		return 0; // the kernel's own half

	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	// Somebody who looks at memory without faulting it in, such as another profiler's copy of
	// the stack within a fault: it never completes, and must not replace the one that does.
	if (!state || task->pagefault_disabled)
		return 0;
	begin_fault(state, addr, error_code, FAULT_EVENT_KERNEL);
	return 0;
}

/** On both events; the cookie is what it says beside the rest: 0 or FAULT_EVENT_MAJOR. */
SEC("perf_event")
int complete(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	if (state->is_hidden || (is_limited && state->in_exec && !may_trace(task))) {
		state->hidden_count++;
		return 0;
	}
	state->seen++;

	__u64 now = bpf_ktime_get_ns();
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	if (!scratch) {
		__sync_fetch_and_add(&lost_faults, 1);
		return 0;
	}

	// A fault that the kernel resolved by itself had no entry; an older entry is not its own.
	// The lowest bits of the code segment are the privilege: 3 is the program's.
	if (!(state->flags & FAULT_EVENT_HAS_ENTRY) ||
	    (state->entry_addr ^ ctx->addr) / PAGE_BYTES != 0) {
		state->flags = (ctx->registers.cs & 3) == 3 ? 0 : FAULT_EVENT_KERNEL;
		state->entry_ns = now;
		state->error_code = 0;
		state->read_pages = 0;
	}
	// Writes mostly copy a page or fill one: to look at each would cost more than it tells.
	if (!state->around_pages && (state->flags & FAULT_EVENT_HAS_ENTRY) &&
	    !(state->error_code & (ERROR_PRESENT | ERROR_WRITE)))
		map_alone(state, task, ctx->addr);

	struct stack_event *event = &scratch->event;
	__u64 stack_used = stack_bytes > 0 ? bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) : 0;
	__u32 flags = state->flags | (__u32)bpf_get_attach_cookie(ctx);
	__u64 ip = 0, sp = 0;

	if (state->around_pages)
		flags |= FAULT_EVENT_HAS_AROUND;
	if (state->read_pages)
		flags |= FAULT_EVENT_HAS_READ;
	// A program faults on each of its mappings of code and data before it uses them, so these
	// are all that are needed. Once per fault: a second look would find the first under way.
	if (state->is_unmapped || (state->in_exec && is_setuid(task)))
		look_up_mapping(ctx->addr);
	if (!state->in_exec) { // the new program has no registers yet
		flags |= capture_registers(event, ctx, task, state->flags & FAULT_EVENT_KERNEL);
		ip = event->registers[16];
		sp = event->registers[7];
		if (stack_bytes > 0)
			flags |= capture_stack(scratch, state, task, stack_used);
	}

	event->fault = (struct fault_event){
		.kind = FAULT_EVENT_FAULT,
		.flags = flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = state->entry_ns,
		.duration_ns = now - state->entry_ns,
		.addr = ctx->addr,
		.ip = ip,
		.sp = sp,
		.around_index = state->around_pages ? state->around_index : 0,
		.read_index = state->read_pages ? state->read_index : 0,
		.around_pages = state->around_pages,
		.read_pages = state->read_pages,
		.read_span = state->read_pages ? state->read_end - state->read_index : 0,
		.error_code = state->error_code,
		.stack_size = event->fault.stack_size, // with HAS_STACK
		.program_ns = state->program_ns,
	};
	// Our own reading of the stack can look like the entry of a fault.
	state->flags = 0;
	state->around_pages = 0;
	emit(scratch, state, stack_used, &lost_faults);
	state->program_ns = bpf_ktime_get_ns() - now;
	return 0;
}
