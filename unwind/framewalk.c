// SPDX-License-Identifier: Apache-2.0
// Owns the libdwfl session of one set of modules: its callbacks answer from a stack that was
// copied, where libdwfl was written to ask a stopped process. libdwfl walks where unwinding data
// leads; it would go on by the frame pointer where there is none, whatever that register holds, so
// there handstep.c decides.
#include "unwind/framewalk.h"

#include "base/arena.h"
#include "base/u64map.h"
#include "machine/machine.h"
#include "unwind/handstep.h"

#include <elfutils/libdwfl.h>
#include <string.h>

/**
 * A read this close above the copy is a read of the stack. Further away it is of another stack or
 * of a register that holds no frame pointer, and a longer copy would not have helped.
 */
enum {
	STACK_REACH = 16 << 20,
	BOTTOM_REACH = 256, // beyond the end of a stack: rules of a frame that has no caller
	INNERMOST = FRAMEWALK_DEPTH_MAX / 2, // frames that are kept of a deep stack,
	DEEP_FRAMES = 100000,		     // and that are passed over, of all
};

/** Unwinding data's rule for an address. */
enum rule {
	RULE_UNKNOWN,
	RULE_CALLER,	// how to find the caller
	RULE_OUTERMOST, // that there is none
	RULE_NONE,	// nothing
};

struct framewalk {
	Dwfl *dwfl; // NULL: no module could be used
	const struct imagesets *sets;
	const struct imageset *set;
	bool is_32bit;
	const struct machine_unwinding *unwinding;
	unsigned int sp_number; // DWARF's
	uint32_t deep_left;	// frames that may be dropped
	struct u64map rules;	// address of code -> enum rule

	// Of the walk under way:
	struct handstep_frame frame; // where libdwfl begins, then where it was stopped
	struct framewalk_result *result;
	bool is_deep; // frames in the middle may be dropped:
	uint32_t dropped;
	const struct range *barriers; // none of these should be,
	size_t barrier_count;
	bool dropped_barrier; // but was
	bool is_first;	      // the next frame is the one that the registers are of
	bool stopped;	      // at a frame without unwinding data
	enum rule rule;	      // of the last frame
	// Reads since the last frame:
	bool missed;	// one above the copy
	bool left;	// one of another stack
	bool failed;	// one where no stack goes on
	bool read_zero; // the last one, which is that of the return address
};

static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **ret_path, Elf **ret_elf)
{
	const struct image *image = *userdata;

	*ret_path = xstrdup(image->path);
	// One more reference; libdwfl drops it with the module.
	*ret_elf = elf_begin(image->fd, ELF_C_READ_MMAP, image->elf);
	return -1;
}

/** Separate debug files would add nothing: .eh_frame is in the file itself. */
static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			     Dwarf_Addr base, const char *path, const char *debuglink,
			     GElf_Word crc, char **ret_path)
{
	return -1;
}

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/** There is one thread, the stack's. */
static pid_t next_thread(Dwfl *dwfl, void *dwfl_arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = dwfl_arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *dwfl_arg, void **thread_arg)
{
	*thread_arg = dwfl_arg;
	return true;
}

/** True if @addr is at most @reach beyond the @size bytes from @start on. */
static bool is_beyond(uint64_t addr, uint64_t start, uint32_t size, uint64_t reach)
{
	return addr >= start && addr - start < size + reach;
}

/** A read at @addr that found nothing: what that means for the frame that it was for. */
static void note_failure(struct framewalk *walk, uint64_t addr)
{
	const struct raw_stack *stack = &walk->frame.stack;
	bool is_outer = stack->interrupted_size && is_beyond(addr, stack->interrupted_sp,
							     stack->interrupted_size, STACK_REACH);
	bool reaches_bottom = is_outer ? stack->interrupted_reaches_bottom : stack->reaches_bottom;
	uint64_t start = is_outer ? stack->interrupted_sp : stack->registers[MACHINE_SP];
	uint32_t size = is_outer ? stack->interrupted_size : stack->size;

	if (!is_beyond(addr, start, size, reaches_bottom ? BOTTOM_REACH : STACK_REACH))
		walk->left = true;
	else if (reaches_bottom)
		walk->failed = true;
	else
		walk->missed = true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret_word, void *arg)
{
	struct framewalk *walk = arg;
	size_t word_size = walk->is_32bit ? 4 : 8;
	const uint8_t *bytes = raw_stack_at(&walk->frame.stack, addr, word_size);

	if (!bytes) {
		note_failure(walk, addr);
		return false;
	}
	*ret_word = 0;
	memcpy(ret_word, bytes, word_size);
	walk->read_zero = *ret_word == 0;
	return true;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *arg)
{
	const struct framewalk *walk = arg;
	const struct raw_stack *stack = &walk->frame.stack;
	Dwarf_Word registers[MACHINE_REGISTERS];
	unsigned int count = walk->unwinding->register_count, ip = count - 1;

	for (size_t i = 0; i < count; i++) {
		registers[i] = stack->registers[walk->unwinding->registers[i]];
		if (walk->is_32bit)
			registers[i] = (uint32_t)registers[i];
	}
	// libdwfl takes its first frame for one that is not within a call.
	registers[ip] -= walk->frame.is_call;
	return dwfl_thread_state_registers(thread, 0, count, registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_initial_registers,
};

struct framewalk *framewalk_create(const struct imagesets *sets, uint32_t set, bool is_32bit)
{
	struct framewalk *walk = xcalloc(1, sizeof(*walk));

	walk->sets = sets;
	walk->set = &sets->sets.items[set];
	walk->is_32bit = is_32bit;
	walk->unwinding = machine_own(is_32bit)->unwinding;
	walk->deep_left = DEEP_FRAMES;
	while (walk->unwinding->registers[walk->sp_number] != MACHINE_SP)
		walk->sp_number++;
	walk->dwfl = dwfl_begin(&dwfl_callbacks);
	if (!walk->dwfl)
		return walk;

	dwfl_report_begin(walk->dwfl);
	for (uint32_t i = 0; i < walk->set->module_count; i++) {
		const struct module *module = &sets->modules.items[walk->set->modules[i]];
		void **userdata;

		if (!module->image->elf || module->image->is_32bit != is_32bit)
			continue;

		Dwfl_Module *reported = dwfl_report_module(walk->dwfl, module->image->path,
							   module->start, module->end);

		if (reported &&
		    dwfl_module_info(reported, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
			*userdata = module->image;
	}
	if (dwfl_report_end(walk->dwfl, NULL, NULL) ||
	    !dwfl_attach_state(walk->dwfl, NULL, 1, &thread_callbacks, walk)) {
		dwfl_end(walk->dwfl);
		walk->dwfl = NULL;
	}
	return walk;
}

void framewalk_destroy(struct framewalk *walk)
{
	if (!walk)
		return;
	if (walk->dwfl)
		dwfl_end(walk->dwfl);
	u64map_deinit(&walk->rules);
	free(walk);
}

static enum rule read_rule(Dwarf_CFI *cfi, uint64_t vaddr)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op memory[3], *ops = NULL;
	size_t count = 1;
	bool is_signal;

	if (!cfi || dwarf_cfi_addrframe(cfi, vaddr, &frame))
		return RULE_NONE;

	int number = dwarf_frame_info(frame, NULL, NULL, &is_signal);
	bool is_undefined = number >= 0 &&
			    !dwarf_frame_register(frame, number, memory, &ops, &count) &&
			    count == 0 && ops == memory;

	free(frame);
	return is_undefined ? RULE_OUTERMOST : RULE_CALLER;
}

/** Go's own table knows more than its .debug_frame: where code changes to another stack. */
static bool is_of_go(const struct framewalk *walk, uint64_t addr)
{
	const struct module *module = imageset_module_at(walk->sets, walk->set, addr);
	struct gopclntab_function function;

	return module && module->image->go.bytes &&
	       gopclntab_find(&module->image->go, addr - module->bias, &function);
}

/** As libdwfl looks it up. */
static enum rule rule_at(struct framewalk *walk, uint64_t addr)
{
	uint32_t *known = u64map_put(&walk->rules, addr, NULL);
	Dwfl_Module *module = *known == RULE_UNKNOWN ? dwfl_addrmodule(walk->dwfl, addr) : NULL;

	if (module && !is_of_go(walk, addr)) {
		Dwarf_Addr bias = 0;
		Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);

		*known = read_rule(cfi, addr - bias);
		if (*known == RULE_NONE) {
			cfi = dwfl_module_dwarf_cfi(module, &bias);
			*known = read_rule(cfi, addr - bias);
		}
	}
	if (*known == RULE_UNKNOWN)
		*known = RULE_NONE;
	return (enum rule) * known;
}

/** Keep what the caller's caller may need of the registers of @frame, and its part of the stack. */
static void stop_at(struct framewalk *walk, Dwfl_Frame *frame, uint64_t ip, bool is_call)
{
	const struct machine_unwinding *unwinding = walk->unwinding;
	struct raw_stack *stack = &walk->frame.stack;
	uint64_t start = stack->registers[MACHINE_SP];

	for (size_t i = 0; i < unwinding->kept_count; i++) {
		unsigned int number = unwinding->kept[i];
		Dwarf_Word value = 0;

		// 0 is no frame pointer and no stack pointer.
		if (dwfl_frame_reg(frame, number, &value))
			value = 0;
		stack->registers[unwinding->registers[number]] = value;
	}
	stack->registers[MACHINE_IP] = ip;

	uint64_t sp = stack->registers[MACHINE_SP];

	stack->registers[MACHINE_SP] = start;
	raw_stack_move(stack, sp);
	walk->frame.is_call = is_call;
	walk->stopped = true;
}

/** The address of the word by which the frame that was walked to was returned to; 0: not known. */
static uint64_t slot_of(const struct framewalk *walk, Dwfl_Frame *frame, bool is_first)
{
	Dwarf_Word sp = 0;

	if (is_first)
		sp = walk->frame.stack.registers[MACHINE_SP];
	else if (dwfl_frame_reg(frame, walk->sp_number, &sp))
		return 0;
	return sp - (walk->is_32bit ? 4 : 8);
}

/** True if @frame may be of a barrier: where none are known, unless the innermost have it, too. */
static bool is_barrier(const struct framewalk *walk, const struct framewalk_result *result,
		       uint64_t frame)
{
	if (walk->barrier_count > 0 || frame == FRAMEWALK_GAP)
		return ranges_contain(walk->barriers, walk->barrier_count, frame);
	for (size_t i = 1; i < INNERMOST; i++)
		if (result->frames[i] == frame)
			return false;
	return true;
}

/** True if there is room for a frame, if need be in place of one in the middle. */
static bool make_room(struct framewalk *walk, struct framewalk_result *result)
{
	if (result->frame_count < FRAMEWALK_DEPTH_MAX)
		return true;
	if (!walk->is_deep || walk->deep_left == 0)
		return false;

	const size_t behind = INNERMOST + 2, count = result->frame_count - behind;

	walk->dropped_barrier = walk->dropped_barrier ||
				is_barrier(walk, result, result->frames[INNERMOST]) ||
				is_barrier(walk, result, result->frames[behind - 1]);
	result->frames[INNERMOST] = FRAMEWALK_GAP;
	result->slots[INNERMOST] = 0;
	memmove(&result->frames[behind - 1], &result->frames[behind],
		count * sizeof(*result->frames));
	memmove(&result->slots[behind - 1], &result->slots[behind], count * sizeof(*result->slots));
	result->frame_count--;
	walk->dropped++;
	walk->deep_left--;
	return true;
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct framewalk *walk = arg;
	struct framewalk_result *result = walk->result;
	bool is_activation = false, is_first = walk->is_first;
	Dwarf_Addr pc;

	// libdwfl takes the step outwards after this returns.
	walk->missed = walk->left = walk->failed = walk->read_zero = false;
	if (!dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	walk->is_first = false;
	if (!make_room(walk, result)) {
		result->end = FRAMEWALK_TOO_DEEP;
		return DWARF_CB_ABORT;
	}

	// Readers subtract 1 from a return address to come to its call. What a signal interrupted
	// is no call: 1 more makes them find the instruction itself.
	bool is_call = is_first ? walk->frame.is_call : !is_activation;
	uint64_t lookup = is_first || is_activation ? pc : pc - 1;
	bool is_innermost = result->frame_count == 0;

	walk->rule = rule_at(walk, lookup);
	// Nothing calls it: it begins where handlers of signals return to.
	if (walk->rule == RULE_NONE && !is_first &&
	    handstep_is_sigreturn(walk->sets, walk->set, pc)) {
		is_call = false;
		lookup = pc;
	}
	result->slots[result->frame_count] =
		is_innermost || !is_call ? 0 : slot_of(walk, frame, is_first);
	result->frames[result->frame_count++] = is_innermost ? pc : lookup + 1;
	if (walk->rule != RULE_NONE)
		return DWARF_CB_OK;
	if (is_first)
		walk->stopped = true; // walk->frame is this one
	else
		stop_at(walk, frame, pc, is_call);
	return DWARF_CB_ABORT;
}

/**
 * Walk from walk->frame outwards as far as unwinding data leads, and append to the frames that are
 * there. Leaves walk->frame at the frame that stopped it.
 */
static void walk_on(struct framewalk *walk, struct framewalk_result *result)
{
	uint32_t before = result->frame_count + walk->dropped;
	uint64_t ip = walk->frame.stack.registers[MACHINE_IP];

	walk->result = result;
	walk->is_first = true;
	walk->rule = RULE_NONE;
	walk->stopped = walk->missed = walk->left = walk->failed = walk->read_zero = false;
	result->end = FRAMEWALK_NO_RULE;
	result->image = NULL;

	// The thread's number means nothing to our callbacks, but must not be 0.
	bool is_complete = walk->dwfl && !dwfl_getthread_frames(walk->dwfl, 1, add_frame, walk);

	walk->result = NULL;
	if (result->end == FRAMEWALK_TOO_DEEP)
		return;
	if (result->frame_count + walk->dropped == before) {
		if (!make_room(walk, result)) {
			result->end = FRAMEWALK_TOO_DEEP;
			return;
		}
		result->slots[result->frame_count] = 0;
		result->frames[result->frame_count++] = ip + (before > 0 && !walk->frame.is_call);
		walk->stopped = true;
	}

	uint64_t last = result->frames[result->frame_count - 1];
	// A call may be the last instruction of its file's code.
	const struct module *module = imageset_module_at(walk->sets, walk->set,
							 result->frame_count > 1 ? last - 1 : last);

	if (module)
		result->image = module->image;
	// libdwfl takes a return address that cannot be found for one that the rules call
	// undefined, and reports success: so look at the rule. A return address of 0 is an end as
	// well.
	if (walk->missed)
		result->end = FRAMEWALK_COPY_ENDS;
	else if (walk->left && walk->rule == RULE_CALLER && result->frame_count > 1)
		result->end = FRAMEWALK_STACK_ENDS;
	else if (is_complete && (walk->rule == RULE_OUTERMOST ||
				 (walk->rule == RULE_CALLER && !walk->failed && walk->read_zero)))
		result->end = FRAMEWALK_OUTERMOST;
	else if (!module)
		result->end = FRAMEWALK_NO_IMAGE;
	else if (!module->image->elf || module->image->is_32bit != walk->is_32bit)
		result->end = FRAMEWALK_BAD_IMAGE;
}

/** @frame was interrupted, on a stack of which nothing was copied. */
static void end_at_interrupted(struct framewalk_result *result, const struct handstep_frame *frame)
{
	result->end = FRAMEWALK_STACK_ENDS;
	if (result->frame_count == FRAMEWALK_DEPTH_MAX)
		return;
	result->slots[result->frame_count] = 0;
	result->frames[result->frame_count++] = frame->stack.registers[MACHINE_IP] + 1;
}

/** True at a program's first instruction, where the rules of some crt1.o speak of a caller. */
static bool is_at_entry(const struct framewalk *walk, uint64_t ip)
{
	const struct module *module = imageset_module_at(walk->sets, walk->set, ip);

	return module && module->image->elf && ip - module->bias == module->image->entry_vaddr;
}

static void run(struct framewalk *walk, const struct raw_stack *stack,
		struct framewalk_result *ret_result)
{
	uint32_t checked_count = 1; // frames that are beyond doubt, those that were dropped as well
	bool is_checked = true;

	walk->dropped = 0;
	ret_result->frame_count = 0;
	if (is_at_entry(walk, stack->registers[MACHINE_IP])) {
		ret_result->frames[ret_result->frame_count++] = stack->registers[MACHINE_IP];
		ret_result->end = FRAMEWALK_OUTERMOST;
		return;
	}
	walk->frame = (struct handstep_frame){ .stack = *stack };
	for (;;) {
		struct handstep_frame caller;

		walk_on(walk, ret_result);
		if (is_checked)
			checked_count = ret_result->frame_count + walk->dropped;
		if (!walk->stopped || ret_result->end == FRAMEWALK_TOO_DEEP)
			break;

		enum handstep_end end =
			handstep_run(walk->sets, walk->set, &walk->frame, &caller, &is_checked);

		if (end == HANDSTEP_OUTERMOST)
			ret_result->end = FRAMEWALK_OUTERMOST;
		if (end == HANDSTEP_COPY_ENDS)
			ret_result->end = FRAMEWALK_COPY_ENDS;
		if (end == HANDSTEP_STACK_ENDS)
			end_at_interrupted(ret_result, &caller);
		if (end != HANDSTEP_CALLER)
			break;
		walk->frame = caller;
	}
	if (!is_checked)
		ret_result->frame_count =
			checked_count > walk->dropped ? checked_count - walk->dropped : 1;
	// Damaged unwinding data leads anywhere.
	if (ret_result->frame_count > 1 && ret_result->end == FRAMEWALK_NO_IMAGE &&
	    ret_result->frames[ret_result->frame_count - 1] < HANDSTEP_ADDRESS_MIN)
		ret_result->frame_count--;
}

void framewalk_run(struct framewalk *walk, const struct raw_stack *stack,
		   struct framewalk_result *ret_result)
{
	walk->is_deep = false;
	run(walk, stack, ret_result);
}

void framewalk_run_deep(struct framewalk *walk, const struct raw_stack *stack,
			const struct range *barriers, size_t barrier_count,
			struct framewalk_result *ret_result)
{
	walk->is_deep = true;
	walk->barriers = barriers;
	walk->barrier_count = barrier_count;
	walk->dropped_barrier = false;
	run(walk, stack, ret_result);
	if (walk->dropped > 0 && walk->dropped_barrier) {
		ret_result->frame_count = INNERMOST;
		ret_result->end = FRAMEWALK_TOO_DEEP;
	}
}
