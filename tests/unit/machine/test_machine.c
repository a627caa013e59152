// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"
#include "tests/support/test.h"

#include <elf.h>

TEST(a_call_has_each_processors_number)
{
	assert_string_equal(machine_call(machine_of(EM_X86_64), 257), "openat");
	assert_string_equal(machine_call(machine_of(EM_AARCH64), 56), "openat");
	assert_string_equal(machine_call(machine_of(EM_X86_64), 466), "removexattrat");
	assert_string_equal(machine_call(machine_of(EM_AARCH64), 466), "removexattrat");
	assert_null(machine_call(machine_of(EM_X86_64), 467));
	assert_null(machine_call(machine_of(EM_X86_64), 400));
	assert_null(machine_call(machine_of(EM_AARCH64), 467));
	assert_int_equal(machine_call_number(machine_of(EM_X86_64), "execve"), 59);
	assert_int_equal(machine_call_number(machine_of(EM_AARCH64), "execve"), 221);
	// It came later than fork.
	assert_int_equal(machine_call_number(machine_of(EM_AARCH64), "fork"), UINT32_MAX);
}

TEST(a_trace_without_a_machine_is_from_x86_64)
{
	assert_ptr_equal(machine_named(NULL), machine_of(EM_X86_64));
	assert_ptr_equal(machine_named(""), machine_of(EM_X86_64));
	assert_ptr_equal(machine_named("aarch64"), machine_of(EM_AARCH64));
}

TEST(of_an_unknown_processor_nothing_is_known)
{
	assert_null(machine_call(machine_of(EM_SPARC), 1));
	assert_null(machine_call(machine_named("sparc"), 1));
	assert_int_equal(machine_call_number(machine_named("sparc"), "read"), UINT32_MAX);
	assert_int_equal(machine_of(EM_SPARC)->elf, EM_NONE);
}

TEST(calls_are_told_from_their_bytes)
{
	static const uint8_t x86[] = { 0xe8, 0xfb, 0xff, 0xff, 0xff };	      // call itself
	static const uint8_t by_pointer[] = { 0x90, 0x90, 0x90, 0xff, 0x10 }; // call *(%rax)
	static const uint8_t arm64[] = { 0xff, 0xff, 0xff, 0x97 };	      // bl .-4
	static const uint8_t jump[] = { 0xff, 0xff, 0xff, 0x17 };	      // b .-4
	uint64_t target = 0;

	assert_int_equal(machine_of(EM_X86_64)->call_before(x86, 0x1005, &target),
			 MACHINE_CALL_DIRECT);
	assert_int_equal(target, 0x1000);
	assert_int_equal(machine_of(EM_386)->call_before(x86, 2, &target), MACHINE_CALL_DIRECT);
	assert_int_equal(target, 0xfffffffd);
	assert_int_equal(machine_of(EM_X86_64)->call_before(by_pointer, 0x1005, &target),
			 MACHINE_CALL_BY_POINTER);
	assert_int_equal(machine_of(EM_AARCH64)->call_before(arm64, 0x1008, &target),
			 MACHINE_CALL_DIRECT);
	assert_int_equal(target, 0x1000);
	assert_int_equal(machine_of(EM_AARCH64)->call_before(jump, 0x1008, &target),
			 MACHINE_CALL_NONE);
}

TEST(a_stub_tells_its_slot)
{
	static const uint8_t x86[] = { 0xff, 0x25, 0xfa, 0x0f, 0, 0, 0x68, 3, 0, 0, 0 };
	static const uint8_t got[] = { 0xff, 0xa3, 0x0c, 0, 0, 0 };
	// adrp x16, +1 page; ldr x17, [x16, #0x18]
	static const uint8_t arm64[] = { 0x10, 0, 0, 0xb0, 0x11, 0x0e, 0x40, 0xf9 };
	uint64_t operand;

	assert_int_equal(machine_of(EM_X86_64)->stub(x86, 11, 0x1000, &operand),
			 MACHINE_TARGET_SLOT);
	assert_int_equal(operand, 0x2000);
	assert_int_equal(machine_of(EM_386)->stub(got, 6, 0x1000, &operand), MACHINE_TARGET_GOT);
	assert_int_equal(operand, 0xc);
	assert_int_equal(machine_of(EM_X86_64)->stub(x86, 5, 0x1000, &operand),
			 MACHINE_TARGET_UNKNOWN);
	assert_int_equal(machine_of(EM_AARCH64)->stub(arm64, 8, 0x1234, &operand),
			 MACHINE_TARGET_SLOT);
	assert_int_equal(operand, 0x2018);
	assert_int_equal(machine_of(EM_AARCH64)->stub(arm64, 7, 0x1234, &operand),
			 MACHINE_TARGET_UNKNOWN);
	assert_null(machine_of(EM_SPARC)->stub);
}

static void assert_branch(const struct machine_branch *found, uint64_t offset, bool is_call,
			  enum machine_target target, uint64_t operand)
{
	assert_int_equal(found->offset, offset);
	assert_int_equal(found->is_call, is_call);
	assert_int_equal(found->target, target);
	assert_int_equal(found->operand, operand);
}

TEST(a_branch_is_found_with_its_target)
{
	// ret; je .+0x106; call *0x10(%rip)
	static const uint8_t x86[] = { 0xc3, 0x0f, 0x84, 0, 1, 0, 0, 0xff, 0x15, 0x10, 0, 0, 0 };
	static const uint8_t got[] = { 0xff, 0xa3, 0x0c, 0, 0, 0 }; // jmp *0xc(%ebx)
	static const uint8_t back[] = { 0xe9, 0xf0, 0xff, 0xff, 0xff };
	// ret; bl 0x670; b.eq 0x7c8; tbnz w0, #0, 0x85c, from 0x7a8
	static const uint8_t arm64[] = { 0xc0, 0x03, 0x5f, 0xd6, 0xb1, 0xff, 0xff, 0x97,
					 0xc0, 0,    0,	   0x54, 0x40, 0x05, 0,	   0x37 };
	struct machine_branch found;

	assert_true(machine_of(EM_X86_64)->find_branch(x86, sizeof(x86), 0x1000, &found));
	assert_branch(&found, 1, false, MACHINE_TARGET_ADDRESS, 0x1107);
	assert_true(found.is_near);
	assert_true(machine_of(EM_X86_64)->find_branch(x86 + 2, sizeof(x86) - 2, 0x1002, &found));
	assert_branch(&found, 5, true, MACHINE_TARGET_SLOT, 0x101d);
	assert_false(found.is_near);
	assert_false(machine_of(EM_X86_64)->find_branch(x86 + 2, sizeof(x86) - 3, 0x1002, &found));
	assert_true(machine_of(EM_386)->find_branch(got, sizeof(got), 0x1000, &found));
	assert_branch(&found, 0, false, MACHINE_TARGET_GOT, 0xc);
	assert_false(machine_of(EM_X86_64)->find_branch(got, sizeof(got), 0x1000, &found));
	assert_true(machine_of(EM_386)->find_branch(back, sizeof(back), 0, &found));
	assert_branch(&found, 0, false, MACHINE_TARGET_ADDRESS, 0xfffffff5);

	const struct machine *machine = machine_of(EM_AARCH64);
	assert_true(machine->find_branch(arm64, sizeof(arm64), 0x7a8, &found));
	assert_branch(&found, 4, true, MACHINE_TARGET_ADDRESS, 0x670);
	assert_false(found.is_near);
	// From within an instruction on.
	assert_true(machine->find_branch(arm64 + 5, sizeof(arm64) - 5, 0x7ad, &found));
	assert_branch(&found, 3, false, MACHINE_TARGET_ADDRESS, 0x7c8);
	assert_true(found.is_near);
	assert_true(machine->find_branch(arm64 + 12, 4, 0x7b4, &found));
	assert_branch(&found, 0, false, MACHINE_TARGET_ADDRESS, 0x85c);
	assert_false(machine->find_branch(arm64 + 12, 3, 0x7b4, &found));
}

/** The code of register_tm_clones(), which jumps to a weak symbol, as GCC 12 makes it. */
TEST(an_indirect_jump_shows_the_slot_it_was_loaded_from)
{
	// mov 0xff9(%rip),%rax; test %rax,%rax; je; jmp *%rax
	static const uint8_t x86[] = { 0x48, 0x8b, 0x05, 0xf9, 0x0f, 0,	   0,
				       0x48, 0x85, 0xc0, 0x74, 0x02, 0xff, 0xe0 };
	static const uint8_t memory[] = { 0x3e, 0xff, 0x25, 0xf9, 0x0f, 0, 0 }; // notrack jmp
	// adrp x2, 0x1f000; ldr x2, [x2, #4064]; cbz x2; mov x16, x2; br x16, from 0x824
	static const uint8_t arm64[] = {
		0xe2, 0,    0,	  0xf0, 0x42, 0xf0, 0x47, 0xf9, 0x62, 0,
		0,    0xb4, 0xf0, 0x03, 0x02, 0xaa, 0,	  0x02, 0x1f, 0xd6
	};
	const struct machine *machine = machine_of(EM_X86_64);
	const struct range file = { 0x1000, 0x3000 };
	struct machine_branch found;
	uint64_t last;

	assert_true(machine->last_indirect_jump(x86, sizeof(x86), 0x1000, file, &last));
	assert_int_equal(last, 12);
	assert_false(machine->last_indirect_jump(x86, 12, 0x1000, file, &last));
	assert_true(machine->indirect_jump(x86, (struct range){ 12, 14 }, 0x1000, &found));
	assert_branch(&found, 12, false, MACHINE_TARGET_IF_SET, 0x2000);
	assert_false(machine->indirect_jump(x86, (struct range){ 10, 12 }, 0x1000, &found));
	assert_true(machine->indirect_jump(memory, (struct range){ 0, 7 }, 0x1000, &found));
	assert_branch(&found, 1, false, MACHINE_TARGET_SLOT, 0x2000);

	machine = machine_of(EM_AARCH64);
	assert_true(machine->last_indirect_jump(arm64, sizeof(arm64), 0x824, file, &last));
	assert_int_equal(last, 16);
	assert_true(machine->indirect_jump(arm64, (struct range){ 16, 20 }, 0x824, &found));
	assert_branch(&found, 16, false, MACHINE_TARGET_IF_SET, 0x1ffe0);
	assert_true(machine->indirect_jump(arm64 + 4, (struct range){ 12, 16 }, 0x828, &found));
	assert_int_equal(found.target, MACHINE_TARGET_UNKNOWN);
	assert_false(machine->indirect_jump(arm64, (struct range){ 12, 16 }, 0x824, &found));
}

TEST(main_is_the_first_argument_that_an_entry_point_loads)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x3d, 0xf9, 0x0f, 0, 0 }; // lea, %rdi
	static const uint8_t mov[] = { 0xbf, 0, 0x10, 0x40, 0, 0xe8, 0 };    // mov $0x401000, %edi
	// adrp x0, 0x1f000; ldr x0, [x0, #4056], from 0x79c
	static const uint8_t arm64[] = { 0xe0, 0, 0, 0xf0, 0, 0xec, 0x47, 0xf9 };
	const struct machine *machine = machine_of(EM_X86_64);
	uint64_t size, operand;

	assert_int_equal(machine->first_argument(lea, 7, 0x1000, &size, &operand),
			 MACHINE_TARGET_ADDRESS);
	assert_int_equal(operand, 0x2000);
	assert_int_equal(size, 7);
	assert_int_equal(machine->first_argument(lea, 6, 0x1000, &size, &operand),
			 MACHINE_TARGET_UNKNOWN);
	assert_int_equal(machine->first_argument(mov, 7, 0x1000, &size, &operand),
			 MACHINE_TARGET_ADDRESS);
	assert_int_equal(operand, 0x401000);
	assert_int_equal(size, 5);
	machine = machine_of(EM_AARCH64);
	assert_int_equal(machine->first_argument(arm64, 8, 0x79c, &size, &operand),
			 MACHINE_TARGET_SLOT);
	assert_int_equal(operand, 0x1ffd8);
	assert_int_equal(machine->first_argument(arm64, 7, 0x79c, &size, &operand),
			 MACHINE_TARGET_UNKNOWN);
}

TEST(the_pointer_of_a_thread_is_set_by_code)
{
	// mov $ARCH_SET_FS,%edi; mov $SYS_arch_prctl,%eax; syscall
	static const uint8_t x86[] = { 0xbf, 0x02, 0x10, 0, 0, 0xb8, 0x9e, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t arm64[] = { 0x53, 0xd0, 0x1b, 0xd5 }; // msr tpidr_el0, x19
	static const uint8_t reads[] = { 0x53, 0xd0, 0x3b, 0xd5 }; // mrs x19, tpidr_el0

	assert_true(machine_of(EM_X86_64)->sets_thread_pointer(x86, sizeof(x86)));
	assert_false(machine_of(EM_X86_64)->sets_thread_pointer(x86, sizeof(x86) - 1));
	assert_true(machine_of(EM_AARCH64)->sets_thread_pointer(arm64, sizeof(arm64)));
	assert_false(machine_of(EM_AARCH64)->sets_thread_pointer(reads, sizeof(reads)));
}
