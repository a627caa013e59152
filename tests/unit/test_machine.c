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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_each_processors_number),
		cmocka_unit_test(a_trace_without_a_machine_is_from_x86_64),
		cmocka_unit_test(of_an_unknown_processor_nothing_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
