// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The program's registers and its stack, copied at a fault.
#pragma once

#include "bpf/kernel/state.bpf.h"

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

/** The part of a stack to be copied. */
struct wanted_stack {
	__u32 size;
	__u32 goes_on; // at least so far
	__u32 flags;
};

/** Whether a stack that is in use from @sp on ends at @end. */
static bool ends_at(__u64 sp, __u64 end)
{
	return sp < end && end - sp <= STACK_REACH;
}

/** The end of the stack that signal handlers of @task have of their own, if @sp is on it; else 0.
 */
static __u64 alternate_end(struct task_struct *task, __u64 sp)
{
	__u64 start = task->sas_ss_sp, size = task->sas_ss_size;

	// As on_sig_stack(): an empty one still has its end.
	return sp > start && sp - start <= size ? start + size : 0;
}

/**
 * The end of the stack in Go's heap that is in use from @sp on; 0: it is another's. Go keeps the
 * record of what runs in r14 (since 1.17), and that begins with the bounds of its stack. Stacks
 * that C has frames on are elsewhere.
 */
static __u64 goroutine_end(__u64 r14, __u64 sp)
{
	struct {
		__u64 start, end;
	} bounds;

	if (sp >> GO_HEAP_SHIFT != GO_HEAP ||
	    bpf_probe_read_user(&bounds, sizeof(bounds), (const void *)r14) || sp <= bounds.start ||
	    !ends_at(sp, bounds.end))
		return 0;
	return bounds.end;
}

/**
 * Return the part of the stack in use above @sp. A copy without the outermost frames says little,
 * so a deep stack is copied whole while the ring has room. @r14: beside @sp. @ring_used: of it.
 */
static __always_inline struct wanted_stack stack_in_use(struct task_struct *task, __u64 sp,
							__u64 r14, __u64 ring_used)
{
	__u64 most = ring_used + deep_bytes < stack_ring_bytes / 2 ? deep_bytes : stack_bytes;
	struct wanted_stack wanted = { .size = stack_bytes };
	struct mm_struct *mm = only_read(task)->mm;
	// The first thread's stack ends where exec put argc, argv[0] stands above it: frames end
	// there. Other threads of glibc and musl keep their thread block at the end of the stack;
	// those of Go have it anywhere.
	__u64 end = alternate_end(task, sp);

	if (!end)
		end = mm ? mm->start_stack + 16 : 0;
	if (!ends_at(sp, end))
		end = goroutine_end(r14, sp);
	if (!end)
		end = task->thread.fsbase;
	if (!ends_at(sp, end))
		return wanted;
	wanted.goes_on = 1;
	if (end - sp <= most) {
		wanted.size = end - sp;
		wanted.flags = FAULT_EVENT_STACK_WHOLE;
	}
	return wanted;
}

/** The content of a page that is not there: no return address and no frame pointer is 1. */
static const __u64 absent_page[PAGE_BYTES / sizeof(__u64)] = {
	[0 ... PAGE_BYTES / sizeof(__u64) - 1] = 1,
};

/** A stack that is copied page by page. */
struct page_copy {
	struct scratch *scratch;
	__u64 into; // where the copy begins in scratch->stack
	__u64 sp;
	__u64 first; // bytes before the first whole page
	__u64 wanted;
	__u64 size; // copied
	__u32 goes_on;
};

/** Copy one of its pages; returns 1 when that was the last. */
static long copy_page(__u32 page, struct page_copy *copy)
{
	__u64 at = copy->first + (__u64)page * PAGE_BYTES, into = copy->into;

	// Where the loop is unrolled, the compiler would not add up what was compared.
	asm volatile("" : "+r"(at), "+r"(into));
	if (at >= copy->wanted || at > FAULT_EVENT_STACK_MAX || into > FAULT_EVENT_ALTERNATE_MAX) {
		copy->size = copy->wanted;
		return 1;
	}

	__u8 *to = copy->scratch->stack + into + at;

	if (bpf_probe_read_user(to, PAGE_BYTES, (const void *)(copy->sp + at)) == 0)
		return 0;
	if (!copy->goes_on) {
		copy->size = at;
		return 1;
	}
	bpf_probe_read_kernel(to, PAGE_BYTES, absent_page);
	return 0;
}

/**
 * Copy up to @wanted bytes from @sp, to @into bytes into scratch->stack; returns how many.
 * @goes_on: the stack does so, past pages of large frames that were never touched. Not static: the
 * verifier looks at it by itself, with bounds that inlining would lose.
 */
__attribute__((noinline)) __u32 copy_stack(struct scratch *scratch, __u64 into, __u64 sp,
					   __u64 wanted, __u32 goes_on)
{
	if (!scratch || into > FAULT_EVENT_ALTERNATE_MAX)
		return 0;
	__u32 most = has_loop ? FAULT_EVENT_STACK_MAX : STACK_FEW_PAGES * PAGE_BYTES;

	if (wanted > most)
		wanted = most;
	if (bpf_probe_read_user(scratch->stack + into, wanted, (const void *)sp) == 0)
		return wanted;

	// A page of it is not there: the read failed whole.
	struct page_copy copy = {
		.scratch = scratch,
		.into = into,
		.sp = sp,
		.first = PAGE_BYTES - (sp & (PAGE_BYTES - 1)),
		.wanted = wanted,
		.size = wanted,
		.goes_on = goes_on,
	};

	if (copy.first >= wanted)
		return 0;
	if (bpf_probe_read_user(scratch->stack + into, copy.first, (const void *)sp)) {
		// A frame that was made and is not in use yet: those further out are.
		if (!goes_on)
			return 0;
		bpf_probe_read_kernel(scratch->stack + into, copy.first, absent_page);
	}
	// The verifier looks at each round of a loop: at 256 of them for half a second, at those of
	// bpf_loop() once. Without it (before Linux 5.17) stacks are copied less far.
	if (has_loop)
		bpf_loop(STACK_PAGES_MAX, copy_page, &copy, 0);
	else
		for (__u32 page = 0; page <= STACK_FEW_PAGES; page++)
			if (copy_page(page, &copy))
				break;
	return copy.size;
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

/** A stack that is compared with the one before of its task. */
struct comparison {
	struct scratch *scratch;
	struct task_state *state;
	__u64 size;
	__u32 equal; // blocks, from the end inwards
};

enum { LANES = 4 }; // multiplications that a processor has under way at once

/** Return a hash of a block. Each step keeps apart what differs in one word. */
static __always_inline __u64 hash_block(const __u64 *words)
{
	const __u64 factor = 0x9e3779b97f4a7c15;
	__u64 lanes[LANES] = { 1, 2, 3, 4 };

#pragma unroll
	for (__u32 i = 0; i < STACK_BLOCK / sizeof(__u64); i++) {
		__u64 *lane = &lanes[i % LANES];

		*lane = (*lane ^ words[i]) * factor;
		if (i % (4 * LANES) >= 3 * LANES) // the upper bits reach the lower ones
			*lane ^= *lane >> 32;
	}
	return ((lanes[0] * factor ^ lanes[1]) * factor ^ lanes[2]) * factor ^ lanes[3];
}

/** Compare the block at @index from the end; returns 1 when there are no more. */
static long compare_block(__u32 index, struct comparison *of)
{
	__u64 from_end = ((__u64)index + 1) * STACK_BLOCK, at = of->size - from_end;

	if (index >= STACK_BLOCKS || from_end > of->size)
		return 1;
	asm volatile("" : "+r"(at));
	if (at > FAULT_EVENT_STACK_MAX)
		return 1;

	__u64 hash = hash_block((const __u64 *)(of->scratch->stack + at));
	__u64 *known = &of->state->stack_hashes[index];

	if (of->equal == index && index < of->state->stack_blocks && *known == hash)
		of->equal++;
	*known = hash;
	return 0;
}

/**
 * Return how many of the @size bytes of a whole stack in @scratch, which ends at @end, are as in
 * the one that the recorder had last of this task: its outermost ones, in whole blocks. Those are
 * most, and to write them would cost more than this. Not static, as copy_stack().
 */
__attribute__((noinline)) __u32 equal_bytes(struct scratch *scratch, struct task_state *state,
					    __u64 end, __u64 size)
{
	if (!scratch || !state)
		return 0;
	if (state->stack_end != end)
		state->stack_blocks = 0;

	struct comparison of = { .scratch = scratch, .state = state, .size = size };
	__u64 blocks = size / STACK_BLOCK;

	bpf_loop(STACK_BLOCKS, compare_block, &of, 0);
	state->stack_end = end;
	state->stack_blocks = blocks < STACK_BLOCKS ? blocks : STACK_BLOCKS;
	return of.equal * STACK_BLOCK;
}

/** Take down the program's registers; returns the flags that go with them. */
static __u32 capture_registers(struct stack_event *event, struct bpf_perf_event_data *ctx,
			       struct task_struct *task, bool in_kernel)
{
	__u64 *to = event->registers;
	__u32 cs = in_kernel ? copy_task_registers(to, task) : copy_context_registers(to, ctx);

	return FAULT_EVENT_HAS_REGISTERS | (cs == USER32_CS ? FAULT_EVENT_32BIT : 0);
}

/**
 * Behind @size bytes of a signal handler's own stack, the stack that it interrupted. Returns the
 * flags that go with it.
 */
static __u32 capture_interrupted(struct scratch *scratch, struct task_state *state,
				 const struct wanted_stack *wanted, __u32 size)
{
	__u32 copied =
		copy_stack(scratch, size, state->interrupted_sp, wanted->size, wanted->goes_on);

	scratch->event.interrupted_sp = state->interrupted_sp;
	scratch->event.interrupted_size = copied;
	scratch->event.fault.stack_size = size + copied;
	return copied == wanted->size && wanted->flags ? FAULT_EVENT_INTERRUPTED_WHOLE : 0;
}

/** Copy the stack into @scratch, if it is kept. @used: of the ring. Returns the flags that go with
 * it. */
static __u32 capture_stack(struct scratch *scratch, struct task_state *state,
			   struct task_struct *task, __u64 used)
{
	__u64 sp = scratch->event.registers[7];
	struct wanted_stack wanted = stack_in_use(task, sp, scratch->event.registers[14], used);
	struct wanted_stack interrupted = { 0 };

	scratch->event.fault.stack_size = 0;
	scratch->event.interrupted_size = 0;
	scratch->event.equal_size = 0;
	if (state->interrupted_sp && wanted.size <= FAULT_EVENT_ALTERNATE_MAX &&
	    alternate_end(task, sp))
		interrupted = stack_in_use(task, state->interrupted_sp, 0, used);
	if (!keeps_stack(used, wanted.size + interrupted.size))
		return 0;

	__u32 size = copy_stack(scratch, 0, sp, wanted.size, wanted.goes_on);

	scratch->event.fault.stack_size = size;
	if (size < wanted.size)
		return FAULT_EVENT_HAS_STACK;
	__u32 flags = FAULT_EVENT_HAS_STACK | wanted.flags;

	if (!wanted.flags || state->is_ended)
		return flags;
	if (interrupted.size > 0)
		return flags | capture_interrupted(scratch, state, &interrupted, size);
	if (!has_loop)
		return flags;
	scratch->event.equal_size = equal_bytes(scratch, state, sp + size, size);
	scratch->event.fault.stack_size = size - scratch->event.equal_size;
	return flags | FAULT_EVENT_STACK_CONTINUED;
}

/**
 * A signal is about to be handled, maybe on a stack of its own: nothing else keeps where the
 * program's is. One that comes upon such a handler has its stack as well.
 */
SEC("tp_btf/signal_deliver")
int BPF_PROG(enter_signal, int number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;

	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	if (!alternate_end(task, regs->sp))
		state->interrupted_sp = regs->sp;
	return 0;
}

/** Into the one ring or the other; counts in @lost, or that its
 * stack is in lost_stacks. @stack_used: of the ring of stacks. */
static void emit(struct scratch *scratch, struct task_state *state, __u64 stack_used, __u64 *lost)
{
	struct fault_event *fault = &scratch->event.fault;

	if (fault->flags & FAULT_EVENT_HAS_STACK) {
		__u64 total = (sizeof(scratch->event) + fault->stack_size + 7) & ~7ull;

		if (total > sizeof(*scratch))
			total = sizeof(*scratch);
		if (bpf_ringbuf_output(&stacks, scratch, total,
				       wake_flag(stack_used, stack_wake_bytes)) == 0)
			return;
		// Another CPU has taken the room meanwhile.
		fault->flags &= ~FAULT_EVENT_HAS_STACK;
		state->stack_end = 0;
	}
	__u64 used = events_used();

	// The rest is for exits and remaps: without an exit, what a task lost cannot be counted.
	if (used >= event_fault_bytes ||
	    bpf_ringbuf_output(&events, fault, sizeof(*fault), wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(lost, 1);
	else if (lost == &lost_faults && stack_bytes > 0 &&
		 fault->flags & FAULT_EVENT_HAS_REGISTERS)
		__sync_fetch_and_add(&lost_stacks, 1);
}
