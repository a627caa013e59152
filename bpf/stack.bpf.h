// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The program's registers and its stack, copied at a fault.
#pragma once

#include "bpf/state.bpf.h"

// Both sources of registers name them alike.
#define COPY_REGISTERS(to, regs)        \
	do {                            \
		(to)[0] = (regs)->ax;   \
		(to)[1] = (regs)->dx;   \
		(to)[2] = (regs)->cx;   \
		(to)[3] = (regs)->bx;   \
		(to)[4] = (regs)->si;   \
		(to)[5] = (regs)->di;   \
		(to)[6] = (regs)->bp;   \
		(to)[7] = (regs)->sp;   \
		(to)[8] = (regs)->r8;   \
		(to)[9] = (regs)->r9;   \
		(to)[10] = (regs)->r10; \
		(to)[11] = (regs)->r11; \
		(to)[12] = (regs)->r12; \
		(to)[13] = (regs)->r13; \
		(to)[14] = (regs)->r14; \
		(to)[15] = (regs)->r15; \
		(to)[16] = (regs)->ip;  \
	} while (0)

// Two functions that are not inlined, so that the compiler does not share code between them: it
// would read the context through a computed pointer then, which the verifier refuses.
static __attribute__((noinline)) __u32 copy_task_registers(__u64 *to, struct task_struct *task)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	COPY_REGISTERS(to, regs);
	return (__u16)regs->cs;
}

/** The context is cheaper to read, and a fault taken in user mode has no other registers. */
static __attribute__((noinline)) __u32 copy_context_registers(__u64 *to,
							      struct bpf_perf_event_data *ctx)
{
	COPY_REGISTERS(to, &ctx->registers);
	return (__u16)ctx->registers.cs;
}

/** How many bytes of stack above @sp are in use, and whether that is all of it. */
static __u32 stack_in_use(struct task_struct *task, __u64 sp, __u32 *flags)
{
	struct mm_struct *mm = task->mm;

	// The first thread's stack ends where exec put argc, argv[0] stands above it: frames end
	// there.
	if (mm) {
		__u64 end = mm->start_stack + 16;

		if (sp < end && end - sp <= stack_bytes) {
			*flags |= FAULT_EVENT_STACK_WHOLE;
			return end - sp;
		}
	}
	// Other threads of glibc and musl keep their thread block at the end of the stack.
	__u64 block = task->thread.fsbase;

	if (sp < block && block - sp <= stack_bytes) {
		*flags |= FAULT_EVENT_STACK_WHOLE;
		return block - sp;
	}
	return stack_bytes;
}

/**
 * Copy up to @wanted bytes from @sp; returns how many. Not static: the verifier looks at it by
 * itself, with bounds that inlining would lose.
 */
__attribute__((noinline)) __u32 copy_stack(struct scratch *scratch, __u64 sp, __u64 wanted)
{
	if (!scratch)
		return 0;
	if (wanted > FAULT_EVENT_STACK_MAX)
		wanted = FAULT_EVENT_STACK_MAX;
	if (bpf_probe_read_user(scratch->stack, wanted, (const void *)sp) == 0)
		return wanted;

	// A page of it is not there: the read failed whole. Take what stands before that page. The
	// loop carries nothing from round to round, which keeps the verifier's work small.
	__u64 first = PAGE_BYTES - (sp & (PAGE_BYTES - 1));

	if (first >= wanted || bpf_probe_read_user(scratch->stack, first, (const void *)sp))
		return 0;
	for (__u32 page = 0; page < STACK_PAGES_MAX; page++) {
		__u64 at = first + page * PAGE_BYTES;

		if (at >= wanted || at > FAULT_EVENT_STACK_MAX ||
		    bpf_probe_read_user(scratch->stack + at, PAGE_BYTES, (const void *)(sp + at)))
			return at < wanted ? at : wanted;
	}
	return wanted;
}

/**
 * Whether a stack of @size bytes is to be kept. The fuller the ring, the smaller the share that is:
 * when the reader falls behind, what remains still comes from all of the run.
 */
static bool keeps_stack(__u64 used, __u32 size)
{
	if (used + sizeof(struct stack_event) + size + 16 > stack_ring_bytes)
		return false;
	if (used < stack_ring_bytes / 2)
		return true;

	// The square of what is free of the upper half, as a part of 2^32.
	__u64 part = (stack_ring_bytes - used) * 65536 / (stack_ring_bytes / 2);

	return bpf_get_prandom_u32() < part * part;
}

/** Take down the program's registers; returns the flags that go with them. */
static __u32 capture_registers(struct stack_event *event, struct bpf_perf_event_data *ctx,
			       struct task_struct *task, bool in_kernel)
{
	__u64 *to = event->registers;
	__u32 cs = in_kernel ? copy_task_registers(to, task) : copy_context_registers(to, ctx);

	return FAULT_EVENT_HAS_REGISTERS | (cs == USER32_CS ? FAULT_EVENT_32BIT : 0);
}

/** Copy the stack into @scratch, if it is kept. @used: of the ring. Returns the flags that go with
 * it. */
static __u32 capture_stack(struct scratch *scratch, struct task_struct *task, __u64 used)
{
	__u64 sp = scratch->event.registers[7];
	__u32 flags = FAULT_EVENT_HAS_STACK;
	__u32 wanted = stack_in_use(task, sp, &flags);

	scratch->event.fault.stack_size = 0;
	if (!keeps_stack(used, wanted))
		return 0;

	__u32 size = copy_stack(scratch, sp, wanted);

	scratch->event.fault.stack_size = size;
	return size < wanted ? FAULT_EVENT_HAS_STACK : flags;
}
