// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void a_call_has_each_processors_number(void **state)
{
	(void)state;
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

static void a_trace_without_a_machine_is_from_x86_64(void **state)
{
	(void)state;
	assert_ptr_equal(machine_named(NULL), machine_of(EM_X86_64));
	assert_ptr_equal(machine_named(""), machine_of(EM_X86_64));
	assert_ptr_equal(machine_named("aarch64"), machine_of(EM_AARCH64));
}

static void of_an_unknown_processor_nothing_is_known(void **state)
{
	(void)state;
	assert_null(machine_call(machine_of(EM_SPARC), 1));
	assert_null(machine_call(machine_named("sparc"), 1));
	assert_int_equal(machine_call_number(machine_named("sparc"), "read"), UINT32_MAX);
	assert_int_equal(machine_of(EM_SPARC)->elf, EM_NONE);
}

static void calls_are_told_from_their_bytes(void **state)
{
	static const uint8_t x86[] = { 0xe8, 0xfb, 0xff, 0xff, 0xff };	      // call itself
	static const uint8_t by_pointer[] = { 0x90, 0x90, 0x90, 0xff, 0x10 }; // call *(%rax)
	static const uint8_t arm64[] = { 0xff, 0xff, 0xff, 0x97 };	      // bl .-4
	static const uint8_t jump[] = { 0xff, 0xff, 0xff, 0x17 };	      // b .-4
	uint64_t target = 0;

	(void)state;
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

static void a_stub_tells_its_slot(void **state)
{
	static const uint8_t x86[] = { 0xff, 0x25, 0xfa, 0x0f, 0, 0, 0x68, 3, 0, 0, 0 };
	static const uint8_t got[] = { 0xff, 0xa3, 0x0c, 0, 0, 0 };
	// adrp x16, +1 page; ldr x17, [x16, #0x18]
	static const uint8_t arm64[] = { 0x10, 0, 0, 0xb0, 0x11, 0x0e, 0x40, 0xf9 };
	uint64_t operand;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_each_processors_number),
		cmocka_unit_test(a_trace_without_a_machine_is_from_x86_64),
		cmocka_unit_test(of_an_unknown_processor_nothing_is_known),
		cmocka_unit_test(calls_are_told_from_their_bytes),
		cmocka_unit_test(a_stub_tells_its_slot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
