// SPDX-License-Identifier: Apache-2.0
// Steps out of code without unwinding data: assembler functions of this program, which have none.
#include "tests/support/gotable.h"
#include "tests/support/test.h"
#include "unwind/framecode.h"
#include "unwind/framewalk.h"
#include "unwind/handstep.h"

#include "unwind/spdepth.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL(name) #name ": .globl " #name "\n"

__asm__(".pushsection .text, \"ax\"\n.balign 512\n"
	// What calls: each label stands behind one form of call.
	"call leaf\n" LABEL(
		behind_direct) "nop\n"
			       "call far_away\n" LABEL(
				       behind_far) "nop\n"
						   "call *%rax\n" LABEL(
							   behind_register) "nop\n"
									    "call *%r12\n" LABEL(
										    behind_r12) "no"
												"p"
												"\n"
												"ca"
												"ll"
												" *"
												"(%"
												"ra"
												"x)"
												"\n" LABEL(
													behind_memory) "nop\n"
														       "call *8(%rax)\n" LABEL(
															       behind_disp8) "nop\n"
																	     "call *0x1234(%rax)\n" LABEL(behind_disp32) "nop\n"
																							 "call *8(%rsp)\n" LABEL(behind_sib) "nop\n"
																											     "call *0x1234(,%rax,8)\n" LABEL(behind_table) "nop\n"
																																	   "call *leaf(%rip)\n" LABEL(behind_slot) "nop\n"
																																						   "jmp *%rax\n" LABEL(
																																							   behind_jump) "nop\n"
																																									"push (%rax)\n" LABEL(
																																										behind_push) "nop\n"
																																											     "ret\n"
																																											     ".balign 512, 0xcc\n" LABEL(
																																												     leaf) "lea 1(%rdi),%rax\n" LABEL(leaf_inside) "lea 1(%rax),%rax\n" LABEL(leaf_ret) "ret\n"
																																																							// The PLT as lld and GNU ld write it, without .eh_frame.
																																																							".balign 512, 0xcc\n" LABEL(plt0) ".byte 0xff, 0x35, 8, 0, 0, 0\n" LABEL(
																																																								plt0_jump) ".byte 0xff, 0x25, 8, 0, 0, 0; nopl 0(%rax)\n" LABEL(plt1) ".byte 0xff, 0x25, 8, 0, 0, 0\n" LABEL(plt1_push) ".byte 0x68, 1, 0, 0, 0\n" LABEL(plt1_jump) ".byte 0xe9, 0xe0, 0xff, 0xff, 0xff\n"
																																																																												    // With IBT: .plt and .plt.sec.
																																																																												    ".balign 512, 0xcc\n" LABEL(ibt0) ".byte 0xff, 0x35, 8, 0, 0, 0\n" LABEL(
																																																																													    ibt0_jump) ".byte 0xf2, 0xff, 0x25, 8, 0, 0, 0; nop\n" LABEL(ibt1) "endbr64\n" LABEL(ibt1_push) ".byte 0x68, 1, 0, 0, 0\n" LABEL(ibt1_jump) ".byte 0xf2, 0xe9, 0xe0, 0xff, 0xff, 0xff\n" LABEL(ibt1_sec) "endbr64\n" LABEL(ibt1_sec_jump) ".byte 0xf2, 0xff, 0x25, 8, 0, 0, 0\n"
																																																																																																										      // As mold writes it.
																																																																																																										      ".balign 512, 0xcc\n" LABEL(mold0) "endbr64\n" LABEL(mold0_push) "push %r11\n" LABEL(mold0_push2) ".byte 0xff, 0x35, 8, 0, 0, 0\n" LABEL(mold0_jump) ".byte 0xff, 0x25, 8, 0, 0, 0\n .balign 16, 0xcc\n" LABEL(
																																																																																																											      mold1) "endbr64\n" LABEL(mold1_number) ".byte 0x41, 0xbb, 1, 0, 0, 0\n" LABEL(mold1_jump) ".byte 0xff, 0x25, 8, 0, 0, 0\n"
																																																																																																																							// crtbegin.o.
																																																																																																																							".balign 512, 0xcc\n" LABEL(dtors) "cmpb $0, behind_direct(%rip)\n jne 1f\n push %rbp\n" LABEL(dtors_pushed) "cmpq $0, behind_direct(%rip)\n mov %rsp,%rbp\n" LABEL(
																																																																																																																								dtors_framed) "mov behind_direct(%rip),%rdi\n"
																																																																																																																									      "pop %rbp\n1: ret\n" LABEL(behind_function) "nop\n"
																																																																																																																															  // clone().
																																																																																																																															  ".balign 512, 0xcc\n"
																																																																																																																															  "syscall\n" LABEL(clone_returned) "test %rax,%rax\n jz 1f\n ret\n 1:\n"
																																																																																																																																			    ".balign 512, 0xcc\n" LABEL(far_away) "lea 1(%rax),%rax\n" LABEL(
																																																																																																																																				    far_inside) "lea 1(%rax),%rax\n ret\n"
																																																																																																																																						".balign 512, 0xcc\n"
																																																																																																																																						// Without a frame pointer.
																																																																																																																																						".balign 512, 0xcc\n" LABEL(depth) "push %rbx\n push %r12\n mov %rsp,%r12\n sub $24,%rsp\n" LABEL(depth_body) "test %rax,%rax\n jz 1f\n add $24,%rsp\n pop %r12\n" LABEL(
																																																																																																																																							depth_leaving) "pop %rbx\n ret\n" LABEL(depth_unreached) "nop\n 1: nop\n" LABEL(depth_other) "call *%rax\n" LABEL(depth_behind) "mov %rax,%rsp\n" LABEL(depth_moved) "ret\n"
																																																																																																																																																											     ".popsection\n");

// It would break every string.
// clang-format off

// As musl and Go write it.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n"
	LABEL(sigreturn) "mov $15,%rax\n syscall\n"
	LABEL(sigreturn_short) "mov $15,%eax\n syscall\n"
	".popsection\n");

// What is called by way of a pointer, after a function that makes no frame; and switches.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n"
	LABEL(pointer_loaded) "mov 39(%rdi),%rcx\n jmp *%rcx\n.balign 16, 0xcc\n"
	LABEL(pointer_far) "mov 8(%r12),%r11\n jmp *%r11\n.balign 16, 0xcc\n"
	LABEL(pointer_in_memory) "jmp *8(%rdi)\n.balign 16, 0xcc\n"
	LABEL(other_pointer) "mov 8(%r12),%r11\n jmp *%rcx\n.balign 16, 0xcc\n"
	LABEL(table_loaded) "mov (%rdi,%rax,8),%rcx\n jmp *%rcx\n.balign 16, 0xcc\n"
	LABEL(table_far) "mov (%rdi,%r12,8),%rcx\n jmp *%rcx\n.balign 16, 0xcc\n"
	LABEL(table_in_memory) "jmp *64(,%rax,8)\n.balign 16, 0xcc\n"
	LABEL(table_added) "add %rdx,%rcx\n jmp *%rcx\n.balign 16, 0xcc\n"
	"call pointer_loaded\n" LABEL(behind_loaded)
	"call pointer_far\n" LABEL(behind_pointer_far)
	"call pointer_in_memory\n" LABEL(behind_pointer_in_memory)
	"call other_pointer\n" LABEL(behind_other)
	"call table_loaded\n" LABEL(behind_table_loaded)
	"call table_far\n" LABEL(behind_table_far)
	"call table_in_memory\n" LABEL(behind_table_in_memory)
	"call table_added\n" LABEL(behind_added) "nop\n"
	".balign 512, 0xcc\n push %rbp\n mov %rsp,%rbp\n"
	LABEL(kept_body) "nop\n pop %rbp\n ret\n"
	".popsection\n");

// Functions without a frame pointer, called directly and by the address that their file states.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n"
	"call depth\n" LABEL(behind_depth)
	"call stated\n" LABEL(behind_stated) "nop\n"
	".balign 16, 0xcc\n.type stated, @function\n"
	LABEL(stated) "sub $24, %rsp\n" LABEL(stated_body) "nop\n add $24, %rsp\n ret\n"
	".popsection\n");

// Called by nothing but pointers: behind a return, with Free Pascal's way to move sp; with a part
// that a jump leads to, which is no function; with one that looks like a function; and one that
// is not shown, without and with a symbol.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n ret\n.balign 16, 0\n"
	LABEL(pascal) "push %rbp\n lea -24(%rsp), %rsp\n"
	LABEL(pascal_body) "nop\n lea 24(%rsp), %rsp\n pop %rbp\n"
	LABEL(pascal_leaving) "ret\n.balign 16\n"
	LABEL(in_parts) "sub $24, %rsp\n test %rax, %rax\n jz 1f\n add $24, %rsp\n ret\n"
	".balign 16\n 1:\n" LABEL(in_part) "nop\n add $24, %rsp\n ret\n.balign 16\n"
	LABEL(doubtful) "sub $24, %rsp\n lea 1f(%rip), %rcx\n test %rax, %rax\n"
	".byte 0x0f, 0x84, 13, 0, 0, 0\n jmp *%rcx\n ud2\n.balign 16\n"
	"1: nop\n" LABEL(doubtful_body) "nop\n add $24, %rsp\n ret\n"
	".balign 512, 0x90\n"
	LABEL(not_shown) "sub $24, %rsp\n" LABEL(not_shown_body) "nop\n add $24, %rsp\n ret\n"
	".balign 512, 0x90\n.type only_stated, @function\n"
	LABEL(only_stated) "sub $24, %rsp\n" LABEL(only_stated_body) "nop\n add $24, %rsp\n ret\n"
	".popsection\n");

// A loop whose condition stands behind it; what takes its return address and puts it back, as Free
// Pascal's main does, and what does not.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n"
	LABEL(looping) "push %rbx\n sub $24, %rsp\n jmp 2f\n"
	"1: nop\n" LABEL(loop_body) "nop\n"
	"2: test %rax, %rax\n jnz 1b\n add $24, %rsp\n pop %rbx\n ret\n.balign 16\n"
	LABEL(taking) "pop %rax\n push %rax\n push %rax\n mov %rsp, 80(%rdi)\n"
	LABEL(taking_body) "hlt\n.balign 16\n"
	LABEL(taken) "pop %rax\n nop\n" LABEL(taken_body) "push %rax\n ret\n"
	".popsection\n");

// Functions of Go's table, which alone says how sp moves.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n"
	LABEL(of_go) ".skip 96, 0x90\n"
	".popsection\n");

// A function with unwinding data that saves the frame pointer of its caller, which has none.
__asm__(".pushsection .text, \"ax\"\n.balign 512, 0xcc\n push %rbp\n mov %rsp,%rbp\n call ruled\n"
	LABEL(behind_ruled) "pop %rbp\n ret\n.balign 16\n.type ruled, @function\n"
	LABEL(ruled) ".cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	LABEL(ruled_body) "nop\n pop %rbp\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
	".popsection\n");
// clang-format on

#define L(name)                              \
	({                                   \
		extern const uint8_t name[]; \
		(uint64_t) name;             \
	})

enum { PID = 100, WORDS = 32, FRAME_POINTER = 6 };

/** An address of no file: code that the program made. */
#define GENERATED UINT64_C(0x100000)

static struct {
	struct imagesets sets;
	struct images images;
	const struct imageset *set;
	uint32_t set_index;
	uint64_t words[WORDS];
	struct handstep_frame frame, caller;
	bool is_checked;
} it;

/** Place this program and its libraries as they are mapped. */
static int setup(void **state)
{
	CLEANUP(vec_release) VEC(struct trace_mapping) mappings = { 0 };
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096 + 128];
	struct stackspool *spool = stackspool_create(4096);

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		uint64_t start, end, offset;
		char protection[5];
		int used = 0;

		line[strcspn(line, "\n")] = '\0';
		assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*u %n",
					&start, &end, protection, &offset, &used),
				 4);
		if (protection[2] == 'x' && line[used])
			vec_push(&mappings, (struct trace_mapping){
						    .time_ns = 1,
						    .addr = start,
						    .size = end - start,
						    .offset = offset,
						    .path = xstrdup(line + used),
						    .pid = PID,
						    .protection = TRACE_PROTECTION_EXEC,
					    });
	}
	fclose(file);
	elf_version(EV_CURRENT);
	stackspool_add(spool, &(struct raw_stack){ .pid = PID, .time_ns = 2 });
	imagesets_build(&it.sets, &it.images,
			&(struct unwind_input){ .mappings = mappings.items,
						.mapping_count = mappings.count,
						.spool = spool });
	it.set_index = it.sets.stacks.items[0].set;
	it.set = &it.sets.sets.items[it.set_index];
	stackspool_destroy(spool);
	vec_foreach (mapping, &mappings)
		free((char *)mapping->path);
	return 0;
}

static int teardown(void **state)
{
	imagesets_deinit(&it.sets);
	images_deinit(&it.images);
	return 0;
}

enum { SP = 0x7ff000 };

/** The address of a word of the stack. */
static uint64_t slot(size_t word)
{
	return SP + word * 8;
}

/** A frame at @ip with an empty stack. */
static void at(uint64_t ip)
{
	memset(it.words, 0, sizeof(it.words));
	it.frame = (struct handstep_frame){
		.stack = { .pid = PID, .size = sizeof(it.words), .bytes = (uint8_t *)it.words },
	};
	it.frame.stack.registers[MACHINE_IP] = ip;
	it.frame.stack.registers[MACHINE_SP] = SP;
}

static enum handstep_end run(void)
{
	return handstep_run(&it.sets, it.set, &it.frame, &it.caller, &it.is_checked);
}

/** At @ip the return address must be found in the @word-th word and nowhere else. */
static void assert_returns_by_word(uint64_t ip, size_t word)
{
	at(ip);
	it.words[word] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_true(it.is_checked);
	assert_true(it.caller.is_call);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(behind_register));
	assert_int_equal(it.caller.stack.registers[MACHINE_SP], slot(word + 1));
	assert_ptr_equal(it.caller.stack.bytes, it.words + word + 1);
	assert_int_equal(it.caller.stack.size, sizeof(it.words) - (word + 1) * 8);

	for (size_t other = 0; other < WORDS; other++) {
		at(ip);
		it.words[other] = L(behind_register);
		assert_int_equal(run(), other == word ? HANDSTEP_CALLER : HANDSTEP_UNKNOWN);
	}
}

const struct tests_around tests_around = { .before_all = setup, .after_all = teardown };

TEST(a_plt_entry_has_its_return_address_above_what_it_pushed)
{
	assert_returns_by_word(L(plt1), 0);
	assert_returns_by_word(L(plt1_push), 0);
	assert_returns_by_word(L(plt1_jump), 1);
	assert_returns_by_word(L(plt0), 1);
	assert_returns_by_word(L(plt0_jump), 2);
	assert_returns_by_word(L(ibt1), 0);
	assert_returns_by_word(L(ibt1_push), 0);
	assert_returns_by_word(L(ibt1_jump), 1);
	assert_returns_by_word(L(ibt1_sec), 0);
	assert_returns_by_word(L(ibt1_sec_jump), 0);
	assert_returns_by_word(L(ibt0), 1);
	assert_returns_by_word(L(ibt0_jump), 2);
	assert_returns_by_word(L(mold1), 0);
	assert_returns_by_word(L(mold1_number), 0);
	assert_returns_by_word(L(mold1_jump), 0);
	assert_returns_by_word(L(mold0), 0);
	assert_returns_by_word(L(mold0_push), 0);
	assert_returns_by_word(L(mold0_push2), 1);
	assert_returns_by_word(L(mold0_jump), 2);
}

TEST(crtbegins_functions_are_left_by_their_first_instructions)
{
	assert_returns_by_word(L(dtors), 0);
	assert_returns_by_word(L(dtors_pushed), 1);
	assert_returns_by_word(L(leaf_ret), 0);
}

TEST(only_what_stands_behind_a_call_is_a_return_address)
{
	const uint64_t calls[] = {
		L(behind_direct), L(behind_far),   L(behind_register), L(behind_r12),
		L(behind_memory), L(behind_disp8), L(behind_disp32),   L(behind_sib),
		L(behind_table),  L(behind_slot),
	};
	const uint64_t others[] = {
		L(behind_jump), L(behind_push),	      L(plt0),	 L(leaf), L(behind_direct) + 1, 0,
		UINT64_MAX,	L(behind_direct) - 1, GENERATED, slot(3), L(leaf_inside),
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		at(L(plt1));
		it.words[0] = calls[i];
		assert_int_equal(run(), HANDSTEP_CALLER);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		at(L(plt1));
		it.words[0] = others[i];
		assert_int_equal(run(), HANDSTEP_UNKNOWN);
	}
}

TEST(a_function_that_never_moves_sp_is_known_by_the_call_to_it)
{
	at(L(leaf_inside));
	it.words[0] = L(behind_direct);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_SP], slot(1));

	// Called from elsewhere, so the word may be an old one.
	it.words[0] = L(behind_far);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	// By a pointer: the direct call shows where the function begins.
	it.words[0] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
}

TEST(a_frame_pointer_counts_once_the_code_has_set_it)
{
	at(L(dtors_framed));
	it.frame.stack.registers[FRAME_POINTER] = slot(4);
	it.words[4] = slot(9);
	it.words[5] = L(behind_slot);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(behind_slot));
	assert_int_equal(it.caller.stack.registers[MACHINE_SP], slot(6));
	assert_int_equal(it.caller.stack.registers[FRAME_POINTER], slot(9));

	// The same in a function that has set none: it is a caller's.
	at(L(far_inside));
	it.frame.stack.registers[FRAME_POINTER] = slot(4);
	it.words[5] = L(behind_slot);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);

	// Below sp, not aligned, next to the end of addresses.
	const uint64_t bad[] = { SP - 8, slot(4) + 1, UINT64_MAX - 7, 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		at(L(dtors_framed));
		it.words[5] = L(behind_slot);
		it.frame.stack.registers[FRAME_POINTER] = bad[i];
		assert_int_equal(run(), HANDSTEP_UNKNOWN);
	}
}

// As V8's builtins and virtual functions do: the return address is before a call of another
// function.
TEST(a_function_is_called_by_way_of_a_pointer)
{
	const uint64_t pointers[] = { L(behind_loaded), L(behind_pointer_far),
				      L(behind_pointer_in_memory) };
	const uint64_t others[] = { L(behind_other), L(behind_table_loaded), L(behind_table_far),
				    L(behind_table_in_memory), L(behind_added) };

	at(L(kept_body));
	it.frame.stack.registers[FRAME_POINTER] = slot(4);
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		it.words[5] = pointers[i];
		assert_int_equal(run(), HANDSTEP_CALLER);
		assert_int_equal(it.caller.stack.registers[MACHINE_IP], pointers[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		it.words[5] = others[i];
		assert_int_equal(run(), HANDSTEP_UNKNOWN);
	}
}

TEST(pushes_and_constants_tell_how_deep_sp_is)
{
	const struct {
		uint64_t addr, depth;
	} expected[] = {
		{ L(depth), 0 },	{ L(depth_body), 40 },	 { L(depth_leaving), 8 },
		{ L(depth_other), 40 }, { L(depth_behind), 40 },
	};
	const uint64_t unknown[] = { L(depth_unreached), L(depth_moved), L(depth_body) + 1 };
	const struct module *module = imageset_module_at(&it.sets, it.set, L(depth));
	uint64_t start = L(depth) - module->bias;
	struct spdepth depth;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_true(spdepth_find(module->image, start, expected[i].addr - module->bias,
					 &depth));
		assert_int_equal(depth.bytes, expected[i].depth);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_false(spdepth_find(module->image, start, unknown[i] - module->bias, &depth));
}

TEST(loops_and_taken_return_addresses_have_a_depth)
{
	const struct module *module = imageset_module_at(&it.sets, it.set, L(looping));
	const struct image *image = module->image;
	struct spdepth depth;

	assert_true(spdepth_find(image, L(looping) - module->bias, L(loop_body) - module->bias,
				 &depth));
	assert_int_equal(depth.bytes, 32);
	assert_true(spdepth_find(image, L(taking) - module->bias, L(taking_body) - module->bias,
				 &depth));
	assert_int_equal(depth.bytes, 8);
	assert_false(
		spdepth_find(image, L(taken) - module->bias, L(taken_body) - module->bias, &depth));
}

TEST(a_constant_depth_leads_to_the_call_that_was_made)
{
	// An older call further in, to another function, and one that fits but for its depth.
	at(L(depth_body));
	it.words[2] = L(behind_direct);
	it.words[3] = L(behind_depth);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	it.words[5] = L(behind_depth);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_SP], slot(6));

	// By a pointer, where the file states, or its code shows, that a function begins there.
	assert_returns_by_word(L(depth_body), 5);
	assert_returns_by_word(L(stated_body), 3);
	assert_returns_by_word(L(only_stated_body), 3);
	at(L(stated_body));
	it.words[3] = L(behind_depth);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
}

TEST(code_shows_where_functions_begin)
{
	assert_returns_by_word(L(pascal_body), 4);
	assert_returns_by_word(L(in_part), 3);
	at(L(not_shown_body));
	it.words[3] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
}

TEST(a_function_without_a_prologue_begins_behind_padding)
{
	const struct module *module = imageset_module_at(&it.sets, it.set, L(leaf));
	uint64_t start;

	assert_int_equal(framecode_at(module->image, L(leaf) - module->bias, &start),
			 FRAMECODE_ENTERED);
	assert_int_equal(start, L(leaf) - module->bias);
	assert_int_equal(framecode_at(module->image, L(leaf_inside) - module->bias, &start),
			 FRAMECODE_UNKNOWN);
	// A boundary alone is none.
	assert_int_equal(framecode_at(module->image, L(in_part) - module->bias, &start),
			 FRAMECODE_UNKNOWN);
}

TEST(two_places_where_a_function_may_begin_are_none)
{
	at(L(doubtful_body));
	it.words[3] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
	it.words[0] = L(behind_r12); // an old one
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
}

TEST(a_saved_frame_pointer_is_the_caller_s)
{
	at(L(pascal_body));
	it.frame.stack.registers[FRAME_POINTER] = 1;
	it.words[3] = slot(9);
	it.words[4] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[FRAME_POINTER], slot(9));
	at(L(pascal_leaving));
	it.frame.stack.registers[FRAME_POINTER] = slot(9);
	it.words[0] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[FRAME_POINTER], slot(9));
	// A function that does not touch it.
	at(L(depth_body));
	it.frame.stack.registers[FRAME_POINTER] = slot(9);
	it.words[5] = L(behind_register);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[FRAME_POINTER], slot(9));
}

enum { SAVED = 5, SAVED_SP = SAVED + 15, SAVED_IP, SAVED_SEGMENTS = SAVED + 18 };

/** At @ip, where a handler returned to, of a signal that came at @interrupted with @sp. */
static void at_sigreturn(uint64_t ip, uint64_t interrupted, uint64_t sp)
{
	at(ip);
	for (size_t i = 0; i < 15; i++)
		it.words[SAVED + i] = 100 + i;
	it.words[SAVED_SP] = sp;
	it.words[SAVED_IP] = interrupted;
	it.words[SAVED_SEGMENTS] = 0x33;
}

TEST(a_handler_returns_to_what_the_signal_interrupted)
{
	// r8 .. r15, rdi, rsi, rbp, rbx, rdx, rax, rcx in DWARF's numbers.
	static const uint8_t numbers[15] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2 };
	const uint64_t returns[] = { L(sigreturn), L(sigreturn_short) };

	for (size_t i = 0; i < 2; i++) {
		at_sigreturn(returns[i], L(leaf_inside), slot(28));
		assert_int_equal(run(), HANDSTEP_CALLER);
		assert_true(it.is_checked);
		assert_false(it.caller.is_call);
		assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(leaf_inside));
		assert_int_equal(it.caller.stack.registers[MACHINE_SP], slot(28));
		for (size_t number = 0; number < 15; number++)
			assert_int_equal(it.caller.stack.registers[numbers[number]], 100 + number);
		assert_ptr_equal(it.caller.stack.bytes, it.words + 28);
		assert_int_equal(it.caller.stack.size, 4 * 8);
	}
	// What is no user's code segment was saved by no kernel.
	it.words[SAVED_SEGMENTS] = 0;
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	at_sigreturn(L(sigreturn), L(leaf_inside), slot(28));
	it.frame.stack.size = SAVED_SEGMENTS * 8;
	assert_int_equal(run(), HANDSTEP_COPY_ENDS);
}

TEST(a_handler_on_its_own_stack_leads_to_the_one_it_interrupted)
{
	enum { ELSEWHERE = 0x10000, OWN = 26 };

	at_sigreturn(L(sigreturn), L(plt0), ELSEWHERE + 8);
	assert_int_equal(run(), HANDSTEP_STACK_ENDS);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(plt0));
	// The last words are of that.
	it.frame.stack.size = OWN * 8;
	it.frame.stack.reaches_bottom = true;
	it.frame.stack.interrupted_sp = ELSEWHERE;
	it.frame.stack.interrupted_size = (WORDS - OWN) * 8;
	it.words[OWN + 2] = L(behind_direct);
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_ptr_equal(it.caller.stack.bytes, it.words + OWN + 1);
	assert_int_equal(it.caller.stack.size, (WORDS - OWN - 1) * 8);
	assert_false(it.caller.stack.reaches_bottom);
	it.frame = it.caller;
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_SP], ELSEWHERE + 24);
}

TEST(a_child_begins_where_clone_returns_0)
{
	at(L(clone_returned));
	it.words[0] = L(leaf); // the function that it will call
	assert_int_equal(run(), HANDSTEP_OUTERMOST);
	it.frame.stack.registers[0] = 4711; // the parent, whose stack makes no sense
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	it.words[0] = L(behind_direct);
	assert_int_equal(run(), HANDSTEP_CALLER);
	it.frame.stack.registers[0] = 0; // a child with a copy of the parent's stack
	assert_int_equal(run(), HANDSTEP_CALLER);
}

TEST(a_copy_that_ends_before_the_return_address_is_said_so)
{
	at(L(plt0_jump));
	it.frame.stack.size = 16;
	assert_int_equal(run(), HANDSTEP_COPY_ENDS);
	it.frame.stack.reaches_bottom = true;
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	at(L(plt1));
	it.frame.stack.size = 0;
	it.frame.stack.bytes = NULL;
	assert_int_equal(run(), HANDSTEP_COPY_ENDS);
}

/** Walk it.frame; the frames beyond the ip must be @expected. */
static void assert_walks(enum framewalk_end end, const uint64_t *expected, uint32_t count)
{
	struct framewalk *walk = framewalk_create(&it.sets, it.set_index, false);
	struct framewalk_result result;

	framewalk_run(walk, &it.frame.stack, &result);
	assert_int_equal(result.frame_count, count + 1);
	assert_int_equal(result.frames[0], it.frame.stack.registers[MACHINE_IP]);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(result.frames[i + 1], expected[i]);
	assert_int_equal(result.end, end);
	framewalk_destroy(walk);
}

TEST(generated_code_is_believed_once_it_leads_back_to_a_file)
{
	// Two frames of generated code, then a call of a file.
	at(GENERATED);
	it.frame.stack.registers[FRAME_POINTER] = slot(1);
	it.words[1] = slot(4);
	it.words[2] = GENERATED + 0x100;
	it.words[4] = slot(7);
	it.words[5] = L(behind_register);
	assert_walks(FRAMEWALK_NO_RULE, (const uint64_t[]){ GENERATED + 0x100, L(behind_register) },
		     2);

	// Below a function of a file that keeps a frame pointer, as V8's builtins do.
	struct handstep_frame generated = it.frame;

	it.frame.stack.registers[MACHINE_IP] = L(kept_body);
	assert_walks(FRAMEWALK_NO_RULE, (const uint64_t[]){ GENERATED + 0x100, L(behind_register) },
		     2);
	it.words[5] = L(behind_jump);
	assert_walks(FRAMEWALK_NO_IMAGE, NULL, 0);
	it.frame = generated;

	// It leads nowhere: the frames between are not shown.
	it.words[5] = L(behind_jump);
	assert_walks(FRAMEWALK_NO_IMAGE, NULL, 0);

	// An address that holds no code at all.
	it.words[2] = 0x100;
	it.words[5] = L(behind_register);
	assert_walks(FRAMEWALK_NO_IMAGE, NULL, 0);
}

TEST(registers_that_unwinding_data_restores_lead_on_where_it_ends)
{
	at(L(ruled_body));
	it.frame.stack.registers[FRAME_POINTER] = 4711; // the function uses it for something else
	it.words[0] = slot(4);
	it.words[1] = L(behind_ruled);
	it.words[5] = L(behind_register);
	assert_walks(FRAMEWALK_NO_RULE, (const uint64_t[]){ L(behind_ruled), L(behind_register) },
		     2);
}

TEST(a_frame_of_generated_code_is_not_larger_than_64_kib)
{
	at(GENERATED);
	it.frame.stack.registers[FRAME_POINTER] = SP + (64 << 10);
	assert_int_equal(run(), HANDSTEP_COPY_ENDS);
	it.frame.stack.registers[FRAME_POINTER] += 8;
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
}

TEST(a_frame_pointer_is_not_followed_out_of_a_file_that_lacks_rules)
{
	// libdwfl would: here stands a return address, but of another frame.
	at(L(plt1));
	it.words[0] = L(behind_jump);
	it.frame.stack.registers[FRAME_POINTER] = slot(4);
	it.words[5] = L(behind_register);
	assert_walks(FRAMEWALK_NO_RULE, NULL, 0);
}

TEST(a_programs_entry_has_no_caller)
{
	const struct module *module = imageset_module_at(&it.sets, it.set, L(leaf));

	assert_non_null(module);
	at(module->bias + module->image->entry_vaddr);
	it.words[0] = L(behind_direct); // argc, as if it were
	assert_walks(FRAMEWALK_OUTERMOST, NULL, 0);
}

TEST(a_function_of_go_returns_where_its_table_says)
{
	enum { FRAME = 24 };
	const struct module *module = imageset_module_at(&it.sets, it.set, L(of_go));
	uint8_t table[GOTABLE_SIZE];

	gotable_write(table, L(of_go) - module->bias, 0xfffffff1);
	assert_true(gopclntab_init(&module->image->go, table, sizeof(table), 0));
	at(L(of_go) + 10);
	it.words[FRAME / 8 - 1] = slot(9); // the caller's frame pointer
	it.words[FRAME / 8] = L(behind_register);
	const enum handstep_end end = run();

	module->image->go.bytes = NULL;
	assert_int_equal(end, HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(behind_register));
	assert_int_equal(it.caller.stack.registers[FRAME_POINTER], slot(9));
}

/** Return where the first direct call in libc's exit() returns to. */
static uint64_t behind_call_of_libc(void)
{
	enum { CALL = 0xe8, CALL_SIZE = 5 };
	const uint8_t *code = dlsym(RTLD_DEFAULT, "exit");

	while (*code != CALL)
		code++;
	return (uintptr_t)code + CALL_SIZE;
}

TEST(a_function_is_called_by_another_file_by_way_of_its_plt)
{
	at(L(stated_body));
	it.words[3] = behind_call_of_libc();
	assert_int_equal(run(), HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], behind_call_of_libc());
}

TEST(what_the_entry_point_calls_may_go_on_by_a_jump)
{
	enum { CALL = 5 };
	const struct module *module = imageset_module_at(&it.sets, it.set, L(leaf));
	const uint64_t entry = module->image->entry_vaddr;

	// A call of another function, which jumps to where a register points.
	at(L(stated_body));
	it.words[3] = L(behind_depth);
	assert_int_equal(run(), HANDSTEP_UNKNOWN);
	module->image->entry_vaddr = L(behind_depth) - CALL - module->bias;
	const enum handstep_end by_entry = run();

	module->image->entry_vaddr = entry;
	assert_int_equal(by_entry, HANDSTEP_CALLER);
	assert_int_equal(it.caller.stack.registers[MACHINE_IP], L(behind_depth));
}

TEST(a_frame_pointer_that_leads_in_circles_ends)
{
	at(GENERATED);
	it.frame.stack.registers[FRAME_POINTER] = slot(1);
	it.words[1] = slot(1);
	it.words[2] = GENERATED;
	assert_walks(FRAMEWALK_NO_IMAGE, NULL, 0);
}
