// SPDX-License-Identifier: Apache-2.0
// One step out of code without unwinding data: to the return address that its instructions, its
// frame pointer or Go's tables show.
#include "unwind/handstep.h"

#include "base/checked.h"
#include "machine/machine.h"
#include "unwind/codestarts.h"
#include "unwind/framecode.h"
#include "unwind/functionstarts.h"
#include "unwind/ipcode.h"
#include "unwind/spdepth.h"

#include <string.h>

enum {
	REACH = 16 << 20,	// see STACK_REACH of framewalk.c
	FRAME_SIZE_MAX = 16384, // that is searched for a return address
};

static uint64_t word_size(const struct raw_stack *stack)
{
	return stack->is_32bit ? 4 : 8;
}

/** The word @offset bytes above sp; the caller has checked that it is there. */
static uint64_t word_at(const struct raw_stack *stack, uint64_t offset)
{
	uint64_t word = 0;

	memcpy(&word, stack->bytes + offset, word_size(stack));
	return word;
}

static const struct module *usable_module(const struct imagesets *sets, const struct imageset *set,
					  uint64_t addr, bool is_32bit)
{
	const struct module *module = imageset_module_at(sets, set, addr);

	return module && module->image->elf && module->image->is_32bit == is_32bit ? module : NULL;
}

/** True if @addr stands right behind a call; of a direct one, *@ret_target is where it goes. */
static bool is_behind_call(const struct imagesets *sets, const struct imageset *set, uint64_t addr,
			   bool is_32bit, uint64_t *ret_target)
{
	const struct module *module = usable_module(sets, set, addr - 1, is_32bit);
	uint8_t bytes[MACHINE_CALL_MAX];
	const uint8_t *end = bytes + MACHINE_CALL_MAX;
	size_t size = MACHINE_CALL_MAX;

	*ret_target = 0;
	// The segment may begin just before.
	while (module && size > 0 &&
	       !image_read_code(module->image, addr - module->bias - size,
				bytes + MACHINE_CALL_MAX - size, size))
		size--;
	return module && module->image->unwinding->is_behind_call(end, size, addr, ret_target);
}

bool handstep_is_behind_call(const struct imagesets *sets, const struct imageset *set,
			     uint64_t addr, bool is_32bit)
{
	uint64_t target;

	return is_behind_call(sets, set, addr, is_32bit, &target);
}

bool handstep_is_sigreturn(const struct imagesets *sets, const struct imageset *set, uint64_t addr)
{
	const struct module *module = usable_module(sets, set, addr, false);
	uint8_t bytes[MACHINE_SIGRETURN_SIZE];

	return module &&
	       image_read_code(module->image, addr - module->bias, bytes, sizeof(bytes)) &&
	       module->image->unwinding->is_sigreturn(bytes);
}

/** Out of rt_sigreturn(), to what the signal interrupted: the kernel put its registers on the
 * stack. */
static enum handstep_end step_out_of_signal(const struct handstep_frame *frame,
					    struct handstep_frame *ret_caller)
{
	const struct raw_stack *stack = &frame->stack;
	const struct machine_unwinding *unwinding = machine_own(false)->unwinding;
	uint64_t registers[MACHINE_REGISTERS];

	if (stack->size < unwinding->signal_size)
		return stack->reaches_bottom ? HANDSTEP_UNKNOWN : HANDSTEP_COPY_ENDS;
	if (!unwinding->interrupted(stack->bytes, registers))
		return HANDSTEP_UNKNOWN;
	ret_caller->is_call = false;
	ret_caller->stack = *stack;

	bool is_there = raw_stack_move(&ret_caller->stack, registers[MACHINE_SP]);

	memcpy(ret_caller->stack.registers, registers, sizeof(registers));
	return is_there ? HANDSTEP_CALLER : HANDSTEP_STACK_ENDS;
}

/** True if @frame is where a handler returned to, of a signal upon what is known. */
static bool is_handler_of_known(const struct imagesets *sets, const struct imageset *set,
				const struct handstep_frame *frame)
{
	struct handstep_frame interrupted;

	return !frame->stack.is_32bit &&
	       handstep_is_sigreturn(sets, set, frame->stack.registers[MACHINE_IP]) &&
	       step_out_of_signal(frame, &interrupted) == HANDSTEP_CALLER;
}

/** The return address is @offset bytes above sp, and what is below it belongs to @frame. */
static enum handstep_end step(const struct imagesets *sets, const struct imageset *set,
			      const struct handstep_frame *frame, uint64_t offset,
			      struct handstep_frame *ret_caller, bool *ret_is_checked,
			      uint64_t *ret_target)
{
	const struct raw_stack *stack = &frame->stack;
	uint64_t word = word_size(stack), addr;

	if (!checked_within(offset, word, stack->size))
		return offset < (uint64_t)stack->size + REACH && !stack->reaches_bottom
			       ? HANDSTEP_COPY_ENDS
			       : HANDSTEP_UNKNOWN;
	addr = word_at(stack, offset);
	*ret_is_checked = is_behind_call(sets, set, addr, stack->is_32bit, ret_target);
	ret_caller->is_call = true;
	ret_caller->stack = *stack;
	ret_caller->stack.registers[MACHINE_IP] = addr;
	ret_caller->stack.registers[MACHINE_SP] += offset + word;
	ret_caller->stack.bytes += offset + word;
	ret_caller->stack.size -= (uint32_t)(offset + word); // at most size
	if (!*ret_is_checked && is_handler_of_known(sets, set, ret_caller)) {
		ret_caller->is_call = false;
		*ret_is_checked = true;
	}
	return *ret_is_checked ? HANDSTEP_CALLER : HANDSTEP_UNKNOWN;
}

/** Out of a function whose code shows how far it has moved sp. */
static enum handstep_end step_out_of_depth(const struct imagesets *sets, const struct imageset *set,
					   const struct handstep_frame *frame,
					   const struct spdepth *depth,
					   struct handstep_frame *ret_caller, bool *ret_is_checked,
					   uint64_t *ret_target)
{
	enum handstep_end end =
		step(sets, set, frame, depth->bytes, ret_caller, ret_is_checked, ret_target);
	uint64_t *pointer = &ret_caller->stack.registers[MACHINE_FRAME];

	if (!depth->has_frame)
		*pointer = 0; // nobody knows where it is
	else if (depth->is_saved &&
		 checked_within(depth->frame_at, word_size(&frame->stack), frame->stack.size))
		*pointer = word_at(&frame->stack, depth->frame_at);
	return end;
}

/** The frame that the frame pointer points to. */
static enum handstep_end step_by_frame_pointer(const struct imagesets *sets,
					       const struct imageset *set,
					       const struct handstep_frame *frame,
					       struct handstep_frame *ret_caller,
					       bool *ret_is_checked, uint64_t *ret_target)
{
	const struct raw_stack *stack = &frame->stack;
	uint64_t word = word_size(stack);
	uint64_t pointer = stack->registers[MACHINE_FRAME];
	uint64_t offset = pointer - stack->registers[MACHINE_SP];

	if (pointer < stack->registers[MACHINE_SP] || pointer % word != 0 ||
	    !checked_add(offset, word, &offset))
		return HANDSTEP_UNKNOWN;

	enum handstep_end end =
		step(sets, set, frame, offset, ret_caller, ret_is_checked, ret_target);

	if (end == HANDSTEP_CALLER || end == HANDSTEP_UNKNOWN)
		if (checked_within(offset, word, stack->size))
			ret_caller->stack.registers[MACHINE_FRAME] = word_at(stack, offset - word);
	return end;
}

/** True if a goroutine returns there: behind the first byte of a function that nothing calls. */
static bool is_behind_start(const struct imagesets *sets, const struct imageset *set, uint64_t addr)
{
	const struct module *module = usable_module(sets, set, addr - 1, false);
	struct gopclntab_function function;

	return module && module->image->go.bytes &&
	       gopclntab_find(&module->image->go, addr - 1 - module->bias, &function) &&
	       (function.flags & GOPCLNTAB_OUTERMOST) &&
	       addr - module->bias == function.start + module->image->go.quantum;
}

/**
 * Out of code that Go's linker took from a C compiler without its unwinding data, or of Go's own
 * before it changes to another stack: as far as the instructions show.
 */
static enum handstep_end step_by_depth(const struct imagesets *sets, const struct imageset *set,
				       const struct ipcode *code,
				       const struct handstep_frame *frame,
				       const struct gopclntab_function *function,
				       struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	struct spdepth depth;
	uint64_t target;

	if (!spdepth_find(code->module->image, function->start, code->vaddr, &depth))
		return HANDSTEP_UNKNOWN;

	enum handstep_end end =
		step_out_of_depth(sets, set, frame, &depth, ret_caller, ret_is_checked, &target);

	if (end == HANDSTEP_CALLER && target && target - code->module->bias != function->start)
		return HANDSTEP_UNKNOWN;
	return end;
}

/** Out of @function, which Go compiled or assembled: its table says where the return address is. */
static enum handstep_end step_by_go(const struct imagesets *sets, const struct imageset *set,
				    const struct ipcode *code, const struct handstep_frame *frame,
				    const struct gopclntab_function *function,
				    struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	uint64_t depth = 0, target, vaddr = code->vaddr - frame->is_call;
	const struct raw_stack *stack = &frame->stack;
	const uint64_t word = word_size(stack);
	bool is_start = vaddr == function->start;

	if (function->flags & GOPCLNTAB_OUTERMOST)
		return HANDSTEP_OUTERMOST;
	// The entry point jumps to it.
	if (is_start && stack->reaches_bottom &&
	    stack->size <= code->module->image->unwinding->entry_stack)
		return HANDSTEP_OUTERMOST;
	// What it calls runs on a stack that begins here.
	if ((function->flags & GOPCLNTAB_SWITCHES) && frame->is_call && !is_start)
		return HANDSTEP_OUTERMOST;
	if (!is_start && ((function->flags & GOPCLNTAB_SWITCHES) ||
			  !gopclntab_depth(&code->module->image->go, function, vaddr, &depth)))
		return step_by_depth(sets, set, code, frame, function, ret_caller, ret_is_checked);

	enum handstep_end end = step(sets, set, frame, depth, ret_caller, ret_is_checked, &target);
	uint64_t addr = ret_caller->stack.registers[MACHINE_IP];

	if (end == HANDSTEP_UNKNOWN && ret_caller->stack.bytes &&
	    is_behind_start(sets, set, addr)) {
		*ret_is_checked = true;
		end = HANDSTEP_CALLER;
	}
	// A frame ends with the caller's frame pointer.
	if (end == HANDSTEP_CALLER && depth >= word)
		ret_caller->stack.registers[MACHINE_FRAME] = word_at(stack, depth - word);
	return end;
}

/** True if @target, of a direct call, may lead to the function that pushes rbp at @start. */
static bool may_be_called(const struct imagesets *sets, const struct imageset *set,
			  const struct module *module, uint64_t target, uint64_t start)
{
	// Another file's function is called by way of a PLT entry.
	return target == 0 || imageset_module_at(sets, set, target) != module ||
	       framecode_is_called(module->image, target - module->bias, start);
}

/**
 * True if the return address that was found, behind no call of a file, may be of generated code.
 * Code of an ELF file can be looked at and was found to make no call there.
 */
static bool may_be_generated(const struct imagesets *sets, const struct imageset *set,
			     const struct handstep_frame *caller)
{
	uint64_t addr = caller->stack.registers[MACHINE_IP];

	const struct module *module = imageset_module_at(sets, set, addr - 1);

	return caller->stack.bytes && addr >= HANDSTEP_ADDRESS_MIN &&
	       (!module || module->image->is_data);
}

/** As far as the code itself shows what the function made of its frame. */
static enum handstep_end step_by_frame_code(const struct imagesets *sets,
					    const struct imageset *set, const struct ipcode *code,
					    const struct handstep_frame *frame,
					    struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	enum handstep_end end = HANDSTEP_UNKNOWN;
	uint64_t start, target = 0;
	enum framecode_state state = framecode_at(code->module->image, code->vaddr, &start);

	switch (state) {
	case FRAMECODE_ENTERED:
	case FRAMECODE_PUSHED:
		if (!frame->is_call)
			end = step(sets, set, frame,
				   state == FRAMECODE_PUSHED ? word_size(&frame->stack) : 0,
				   ret_caller, ret_is_checked, &target);
		break;
	case FRAMECODE_KEPT:
		end = step_by_frame_pointer(sets, set, frame, ret_caller, ret_is_checked, &target);
		break;
	case FRAMECODE_UNKNOWN:
		break;
	}
	if (end == HANDSTEP_CALLER && !may_be_called(sets, set, code->module, target, start))
		return HANDSTEP_UNKNOWN;
	// V8's builtins are called by what they compiled.
	if (end == HANDSTEP_UNKNOWN && may_be_generated(sets, set, ret_caller))
		return HANDSTEP_CALLER;
	return end;
}

/**
 * True if the entry point made the call that @caller is behind: what it calls may go on by a jump
 * to where a register points, as musl's start does.
 */
static bool is_by_entry(const struct module *module, const struct handstep_frame *caller)
{
	const uint64_t entry = module->bias + module->image->entry_vaddr;
	const uint64_t addr = caller->stack.registers[MACHINE_IP];

	return addr > entry && addr - entry <= module->image->unwinding->entry_size;
}

/** As far as code shows that moves sp by constants only, in the function that begins at @start. */
static enum handstep_end step_from(const struct imagesets *sets, const struct imageset *set,
				   const struct ipcode *code, const struct handstep_frame *frame,
				   uint64_t start, struct handstep_frame *ret_caller,
				   bool *ret_is_checked)
{
	struct spdepth depth;
	uint64_t target;

	if (!spdepth_find(code->module->image, start, code->vaddr, &depth))
		return HANDSTEP_UNKNOWN;

	enum handstep_end end =
		step_out_of_depth(sets, set, frame, &depth, ret_caller, ret_is_checked, &target);

	if (end == HANDSTEP_CALLER && !may_be_called(sets, set, code->module, target, start) &&
	    !is_by_entry(code->module, ret_caller))
		return HANDSTEP_UNKNOWN;
	return end;
}

/** To the nearest call whose target's code leads here with sp as far below the call as it is. */
static enum handstep_end step_by_call(const struct imagesets *sets, const struct imageset *set,
				      const struct ipcode *code, const struct handstep_frame *frame,
				      struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	const struct raw_stack *stack = &frame->stack;
	uint64_t word = word_size(stack), target;
	struct spdepth depth;

	for (uint64_t at = 0; at <= FRAME_SIZE_MAX && checked_within(at, word, stack->size);
	     at += word) {
		if (!is_behind_call(sets, set, word_at(stack, at), stack->is_32bit, &target) ||
		    !target || imageset_module_at(sets, set, target) != code->module ||
		    !spdepth_find(code->module->image, target - code->module->bias, code->vaddr,
				  &depth) ||
		    depth.bytes != at)
			continue;
		return step_out_of_depth(sets, set, frame, &depth, ret_caller, ret_is_checked,
					 &target);
	}
	return HANDSTEP_UNKNOWN;
}

/** From where a function seems to begin, unless two such places lead to different callers. */
static enum handstep_end step_by_code(const struct imagesets *sets, const struct imageset *set,
				      const struct ipcode *code, const struct handstep_frame *frame,
				      struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	uint64_t start = code->vaddr - frame->is_call + 1;
	enum handstep_end found = HANDSTEP_UNKNOWN;
	bool is_called = false;

	while (!is_called &&
	       codestarts_before(code->module->image, code->vaddr, &start, &is_called)) {
		struct handstep_frame caller = *ret_caller;
		bool is_checked;
		enum handstep_end end =
			step_from(sets, set, code, frame, start, &caller, &is_checked);

		if (end != HANDSTEP_CALLER)
			continue;
		if (found == HANDSTEP_CALLER &&
		    caller.stack.registers[MACHINE_SP] != ret_caller->stack.registers[MACHINE_SP])
			return HANDSTEP_UNKNOWN;
		found = end;
		*ret_caller = caller;
		*ret_is_checked = is_checked;
	}
	return found;
}

/** As far as code shows that moves sp by constants only. */
static enum handstep_end step_by_constants(const struct imagesets *sets, const struct imageset *set,
					   const struct ipcode *code,
					   const struct handstep_frame *frame,
					   struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	enum handstep_end end = HANDSTEP_UNKNOWN;
	uint64_t start;

	if (functionstarts_find(code->module->image, code->vaddr - frame->is_call, &start))
		end = step_from(sets, set, code, frame, start, ret_caller, ret_is_checked);
	if (end == HANDSTEP_UNKNOWN)
		end = step_by_call(sets, set, code, frame, ret_caller, ret_is_checked);
	return end == HANDSTEP_UNKNOWN
		       ? step_by_code(sets, set, code, frame, ret_caller, ret_is_checked)
		       : end;
}

/** Code of no ELF file: generated, mostly at run time, as far as known by compilers with frame
 * pointers. */
static enum handstep_end step_out_of_generated(const struct imagesets *sets,
					       const struct imageset *set,
					       const struct handstep_frame *frame,
					       struct handstep_frame *ret_caller,
					       bool *ret_is_checked)
{
	enum { FRAME_MAX = 64 << 10 };
	const uint64_t *registers = frame->stack.registers;

	if (registers[MACHINE_IP] < HANDSTEP_ADDRESS_MIN)
		return HANDSTEP_UNKNOWN;

	uint64_t target;
	enum handstep_end end =
		step_by_frame_pointer(sets, set, frame, ret_caller, ret_is_checked, &target);

	// No frame is that large: it is no frame pointer, as in Windows code, which Wine runs.
	if (end == HANDSTEP_COPY_ENDS &&
	    registers[MACHINE_FRAME] - registers[MACHINE_SP] > FRAME_MAX)
		return HANDSTEP_UNKNOWN;
	return end == HANDSTEP_UNKNOWN && may_be_generated(sets, set, ret_caller) ? HANDSTEP_CALLER
										  : end;
}

enum handstep_end handstep_run(const struct imagesets *sets, const struct imageset *set,
			       const struct handstep_frame *frame,
			       struct handstep_frame *ret_caller, bool *ret_is_checked)
{
	const struct raw_stack *stack = &frame->stack;
	uint64_t ip = stack->registers[MACHINE_IP], target;
	const struct module *module = imageset_module_at(sets, set, ip - frame->is_call);
	struct ipcode code;

	*ret_is_checked = false;
	*ret_caller = *frame;
	ret_caller->stack.bytes = NULL;
	if (!stack->is_32bit && handstep_is_sigreturn(sets, set, ip)) {
		enum handstep_end end = step_out_of_signal(frame, ret_caller);

		*ret_is_checked = end == HANDSTEP_CALLER || end == HANDSTEP_STACK_ENDS;
		return end;
	}
	if (!module || module->image->is_data)
		return step_out_of_generated(sets, set, frame, ret_caller, ret_is_checked);
	if (!usable_module(sets, set, ip - frame->is_call, stack->is_32bit))
		return HANDSTEP_UNKNOWN;
	ipcode_read(&code, module, ip);

	const struct machine_unwinding *unwinding = module->image->unwinding;
	struct gopclntab_function function;

	if (module->image->go.bytes &&
	    gopclntab_find(&module->image->go, code.vaddr - frame->is_call, &function))
		return step_by_go(sets, set, &code, frame, &function, ret_caller, ret_is_checked);

	// The kernel jumps to the entry, with an empty stack. What calls nothing yet may be another
	// function behind it.
	uint64_t into_entry = code.vaddr - module->image->entry_vaddr;

	if (into_entry == 0 ||
	    (into_entry < unwinding->entry_size &&
	     (frame->is_call || (stack->reaches_bottom && stack->size <= unwinding->entry_stack))))
		return HANDSTEP_OUTERMOST;
	// Free Pascal's is longer than a dynamic linker's.
	if (frame->is_call && unwinding->read &&
	    framecode_runs_into(module->image, module->image->entry_vaddr, code.vaddr))
		return HANDSTEP_OUTERMOST;

	// The system call of glibc's clone(), whose unwinding data ends before it because a child
	// may come back on a stack of its own, which begins there.
	if (!frame->is_call && unwinding->is_behind_clone(code.code.at)) {
		enum handstep_end end =
			step(sets, set, frame, 0, ret_caller, ret_is_checked, &target);

		return end == HANDSTEP_UNKNOWN && stack->registers[MACHINE_RESULT] == 0
			       ? HANDSTEP_OUTERMOST
			       : end;
	}

	// glibc's makecontext() has the function that it is given return to __start_context(),
	// which nothing calls.
	if (frame->is_call && unwinding->starts_context(code.code.at) &&
	    !is_behind_call(sets, set, ip, stack->is_32bit, &target))
		return HANDSTEP_OUTERMOST;

	int words = unwinding->words_to_return(&code.code, frame->is_call);

	if (words >= 0)
		return step(sets, set, frame, (uint64_t)words * word_size(stack), ret_caller,
			    ret_is_checked, &target);
	if (unwinding->find_prologue) {
		enum handstep_end end =
			step_by_frame_code(sets, set, &code, frame, ret_caller, ret_is_checked);

		if (end != HANDSTEP_UNKNOWN)
			return end;
	}
	if (unwinding->read) {
		enum handstep_end end =
			step_by_constants(sets, set, &code, frame, ret_caller, ret_is_checked);

		if (end != HANDSTEP_UNKNOWN)
			return end;
	}
	// A function that has not moved sp yet, or never does: it was called where it begins.
	if (!frame->is_call &&
	    step(sets, set, frame, 0, ret_caller, ret_is_checked, &target) == HANDSTEP_CALLER &&
	    target != 0 && target <= ip && ip - target < MACHINE_CODE_BEFORE)
		return HANDSTEP_CALLER;
	*ret_is_checked = false;
	return HANDSTEP_UNKNOWN;
}
