// SPDX-License-Identifier: Apache-2.0
// Owns the libdwfl session of one set of modules: its callbacks answer from a stack that was
// copied, where libdwfl was written to ask a stopped process.
#include "bpf/framewalk.h"

#include "base/arena.h"
#include "base/checked.h"

#include <elfutils/libdwfl.h>
#include <string.h>

/**
 * A read this close above the copy is a read of the stack. Further away it is of another stack or
 * of a register that holds no frame pointer, and a longer copy would not have helped.
 */
enum { STACK_REACH = 16 << 20 };

struct framewalk {
	Dwfl *dwfl; // NULL: no module could be used
	const struct imagesets *sets;
	const struct imageset *set;
	bool is_32bit;

	// Of the walk under way:
	const struct raw_stack *stack;
	struct framewalk_result *result;
	bool is_first; // the next frame is the one that the registers are of
	// Reads since the last frame:
	bool missed; // one above the copy
	bool failed; // one anywhere else
};

static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **ret_path, Elf **ret_elf)
{
	const struct image *image = *userdata;

	(void)module;
	(void)name;
	(void)base;
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
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)path;
	(void)debuglink;
	(void)crc;
	(void)ret_path;
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
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = dwfl_arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *dwfl_arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	*thread_arg = dwfl_arg;
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret_word, void *arg)
{
	struct framewalk *walk = arg;
	const struct raw_stack *stack = walk->stack;
	uint64_t sp = stack->registers[RAW_REGISTER_SP];
	size_t word_size = walk->is_32bit ? 4 : 8;
	uint64_t offset = addr - sp;

	(void)dwfl;
	if (addr >= sp && checked_within(offset, word_size, stack->size)) {
		*ret_word = 0;
		memcpy(ret_word, stack->bytes + offset, word_size);
		return true;
	}
	if (addr >= sp && offset < (uint64_t)stack->size + STACK_REACH && !stack->reaches_bottom)
		walk->missed = true;
	else
		walk->failed = true;
	return false;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *arg)
{
	// DWARF numbers of i386 (eax ecx edx ebx esp ebp esi edi eip) in those of x86-64.
	static const uint8_t numbers_32bit[9] = { 0, 2, 1, 3, 7, 6, 4, 5, RAW_REGISTER_IP };
	const struct framewalk *walk = arg;
	Dwarf_Word registers[RAW_REGISTER_COUNT];

	if (!walk->is_32bit) {
		for (size_t i = 0; i < RAW_REGISTER_COUNT; i++)
			registers[i] = walk->stack->registers[i];
		return dwfl_thread_state_registers(thread, 0, RAW_REGISTER_COUNT, registers);
	}
	for (size_t i = 0; i < 9; i++)
		registers[i] = (uint32_t)walk->stack->registers[numbers_32bit[i]];
	return dwfl_thread_state_registers(thread, 0, 9, registers);
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
	free(walk);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct framewalk *walk = arg;
	struct framewalk_result *result = walk->result;
	bool is_activation = false;
	Dwarf_Addr pc;

	// libdwfl takes the step outwards here or after this returns.
	walk->missed = walk->failed = false;
	if (!dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	if (walk->is_first)
		is_activation = false; // libdwfl calls it one, but its pc is given: leave it alone
	walk->is_first = false;
	if (result->frame_count == FRAMEWALK_DEPTH_MAX) {
		result->end = FRAMEWALK_TOO_DEEP;
		return DWARF_CB_ABORT;
	}
	// Readers subtract 1 from a return address to come to its call. What a signal interrupted
	// is no call: 1 more makes them find the instruction itself.
	result->frames[result->frame_count++] = is_activation ? pc + 1 : pc;
	return DWARF_CB_OK;
}

/** The module of the set that @addr lies in, or NULL. */
static const struct module *module_at(const struct framewalk *walk, uint64_t addr)
{
	for (uint32_t i = 0; i < walk->set->module_count; i++) {
		const struct module *module = &walk->sets->modules.items[walk->set->modules[i]];

		if (addr >= module->start && addr < module->end)
			return module;
	}
	return NULL;
}

/** Walk from the registers of @stack outwards and append to the frames that are there. */
static void walk_from(struct framewalk *walk, const struct raw_stack *stack,
		      struct framewalk_result *result)
{
	uint32_t before = result->frame_count;

	walk->stack = stack;
	walk->result = result;
	walk->is_first = true;
	walk->missed = walk->failed = false;
	result->end = FRAMEWALK_NO_RULE;
	result->image = NULL;

	// The thread's number means nothing to our callbacks, but must not be 0.
	bool is_complete = walk->dwfl && !dwfl_getthread_frames(walk->dwfl, 1, add_frame, walk);

	walk->stack = NULL;
	walk->result = NULL;
	if (result->frame_count == before)
		result->frames[result->frame_count++] = stack->registers[RAW_REGISTER_IP];

	uint64_t last = result->frames[result->frame_count - 1];
	// A call may be the last instruction of its file's code.
	const struct module *module = module_at(walk, result->frame_count > 1 ? last - 1 : last);

	if (module)
		result->image = module->image;
	if (result->end == FRAMEWALK_TOO_DEEP)
		return;
	// libdwfl takes a return address that cannot be read for one that the rules call undefined,
	// and reports success: so look at the reads first.
	if (walk->missed)
		result->end = FRAMEWALK_COPY_ENDS;
	else if (is_complete && !walk->failed)
		result->end = FRAMEWALK_OUTERMOST;
	else if (!module)
		result->end = FRAMEWALK_NO_IMAGE;
	else if (!module->image->elf || module->image->is_32bit != walk->is_32bit)
		result->end = FRAMEWALK_BAD_IMAGE;
}

/** Step out of a function that has no unwinding data, where its frame is known all the same. */
static void step_by_hand(struct framewalk *walk, const struct raw_stack *stack,
			 struct framewalk_result *result)
{
	uint64_t ip = stack->registers[RAW_REGISTER_IP];
	const struct module *module = module_at(walk, ip);
	uint64_t vaddr = ip - module->bias;
	uint64_t frame_size = image_frame_size_at(module->image, vaddr);

	if (vaddr == module->image->entry_vaddr) {
		result->end = FRAMEWALK_OUTERMOST; // the kernel jumps there
		return;
	}
	if (frame_size == 0)
		return;
	if (frame_size > stack->size) {
		result->end = FRAMEWALK_COPY_ENDS;
		return;
	}

	struct raw_stack caller = *stack;

	memcpy(&caller.registers[RAW_REGISTER_IP], stack->bytes + frame_size - 8, 8);
	caller.registers[RAW_REGISTER_SP] += frame_size;
	caller.bytes += frame_size;
	caller.size -= (uint32_t)frame_size; // at most size
	walk_from(walk, &caller, result);
}

void framewalk_run(struct framewalk *walk, const struct raw_stack *stack,
		   struct framewalk_result *ret_result)
{
	ret_result->frame_count = 0;
	walk_from(walk, stack, ret_result);
	if (ret_result->frame_count == 1 && ret_result->end == FRAMEWALK_NO_RULE)
		step_by_hand(walk, stack, ret_result);
}
