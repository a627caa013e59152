// SPDX-License-Identifier: Apache-2.0
// Lengths, jumps and uses of rbp, as objdump shows them.
#include "machine/processors.h"
#include "machine/unwinding.h"
#include "tests/support/test.h"

#include <stdlib.h>

struct sample {
	const char *text;
	uint8_t size;
	uint8_t bytes[15];
};

static const struct sample samples[] = {
	{ "nop", 1, { 0x90 } },
	{ "endbr64", 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ "cs nopw 0x0(%rax,%rax,1)", 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84 } },
	{ "mov 0x10(%rbp),%rcx", 4, { 0x48, 0x8b, 0x4d, 0x10 } },
	{ "mov $0x12345678,%eax", 5, { 0xb8, 0x78, 0x56, 0x34, 0x12 } },
	{ "movabs $0x1,%rax", 10, { 0x48, 0xb8, 1 } },
	{ "mov $0x1,%ax", 4, { 0x66, 0xb8, 1, 0 } },
	{ "movabs 0x1,%al", 9, { 0xa0, 1 } },
	{ "addr32 mov 0x1,%al", 6, { 0x67, 0xa0, 1 } },
	{ "testb $0x1,(%rax)", 3, { 0xf6, 0x00, 0x01 } },
	{ "notb (%rax)", 2, { 0xf6, 0x10 } },
	{ "testl $0x1,(%rax)", 6, { 0xf7, 0x00, 0x01 } },
	{ "lea 0x8(,%rax,8),%rdi", 8, { 0x48, 0x8d, 0x3c, 0xc5, 0x08 } },
	{ "mov 0x0(%rip),%rax", 7, { 0x48, 0x8b, 0x05 } },
	{ "data16 data16 rex.W call", 8, { 0x66, 0x66, 0x48, 0xe8 } },
	{ "enter $0x10,$0x0", 4, { 0xc8, 0x10 } },
	{ "pshufb (%rax),%xmm0", 5, { 0x66, 0x0f, 0x38, 0x00, 0x00 } },
	{ "palignr $0x1,%xmm0,%xmm0", 6, { 0x66, 0x0f, 0x3a, 0x0f, 0xc0, 0x01 } },
	{ "vmovdqu (%rax),%ymm0", 4, { 0xc5, 0xfe, 0x6f, 0x00 } },
	{ "vpshufd $0x1,%xmm0,%xmm0", 5, { 0xc5, 0xf9, 0x70, 0xc0, 0x01 } },
	{ "vzeroupper", 3, { 0xc5, 0xf8, 0x77 } },
	{ "vpermq $0x4e,%ymm0,%ymm0", 6, { 0xc4, 0xe3, 0xfd, 0x00, 0xc0, 0x4e } },
	{ "vcvtudq2ps 0x40(%r8),%zmm8", 7, { 0x62, 0x51, 0x7f, 0x48, 0x7a, 0x40, 0x01 } },
	{ "vpternlogd $0xff,%zmm0,%zmm0,%zmm0", 7, { 0x62, 0xf3, 0x7d, 0x48, 0x25, 0xc0, 0xff } },
	{ "vpcmov (XOP)", 6, { 0x8f, 0xe8, 0x78, 0xa2, 0xc0, 0x10 } },
	{ "pop (%rax)", 2, { 0x8f, 0x00 } },
};

TEST(instructions_end_where_objdump_says)
{
	struct machine_instruction instruction;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		if (!x86_read(samples[i].bytes, sizeof(samples[i].bytes), &instruction) ||
		    instruction.size != samples[i].size)
			fail_msg("%s: %u bytes, not %u", samples[i].text, instruction.size,
				 samples[i].size);
		if (x86_read(samples[i].bytes, samples[i].size - 1U, &instruction))
			fail_msg("%s: read although it is cut", samples[i].text);
	}
}

static struct machine_instruction read(const char *bytes, size_t size)
{
	struct machine_instruction instruction = { 0 };

	assert_true(x86_read((const uint8_t *)bytes, size, &instruction));
	return instruction;
}

#define READ(bytes) read(bytes, sizeof(bytes) - 1)

TEST(jumps_say_where_they_go)
{
	assert_int_equal(READ("\xe9\x10\x00\x00\x00").flow, MACHINE_JUMPS);
	assert_int_equal(READ("\xe9\x10\x00\x00\x00").target, 0x15);
	assert_int_equal(READ("\xeb\xfe").target, 0);
	assert_int_equal(READ("\x74\x05").flow, MACHINE_MAY_JUMP);
	assert_int_equal(READ("\x0f\x84\xfa\xff\xff\xff").target, 0);
	assert_int_equal(READ("\xff\xe0").flow, MACHINE_JUMPS_ANYWHERE);
	assert_int_equal(READ("\x3e\xff\x24\xc5\0\0\0\0").flow, MACHINE_JUMPS_ANYWHERE);
	assert_int_equal(READ("\xff\xd0").flow, MACHINE_GOES_ON);
	assert_int_equal(READ("\xe8\0\0\0\0").flow, MACHINE_GOES_ON);
	assert_int_equal(READ("\xf3\xc3").flow, MACHINE_ENDS);
	assert_int_equal(READ("\x0f\x0b").flow, MACHINE_ENDS);
	assert_int_equal(READ("\xcc").flow, MACHINE_ENDS);
}

TEST(what_is_done_with_rbp_and_sp_is_seen)
{
	assert_true(READ("\x55").pushes_frame);
	assert_false(READ("\x41\x55").pushes_frame); // r13
	assert_true(READ("\x5d").restores_frame);
	assert_true(READ("\xc9").restores_frame);
	assert_false(READ("\x41\x5d").restores_frame);
	assert_true(READ("\x48\x8b\x45\xf8").addresses_frame);
	assert_true(READ("\x48\x8d\xbd\x00\xff\xff\xff").addresses_frame);
	assert_true(READ("\x8b\x44\x85\xf8").addresses_frame);	    // (%rbp,%rax,4)
	assert_false(READ("\x49\x8b\x45\xf8").addresses_frame);	    // r13
	assert_false(READ("\x48\x8b\x05\0\0\0\0").addresses_frame); // rip
	assert_false(READ("\x48\x89\xe5").addresses_frame);
	assert_true(READ("\xc5\xfe\x6f\x45\x00").addresses_frame);
	assert_false(READ("\xc4\xc1\x7e\x6f\x45\x00").addresses_frame); // r13
	assert_true(READ("\x48\x83\xec\x08").moves_sp);
	assert_true(READ("\x41\x57").moves_sp);
	assert_true(READ("\xff\x75\x08").moves_sp);
	assert_true(READ("\x48\x8d\x65\xd8").moves_sp);
	assert_false(READ("\x48\x83\xf8\x08").moves_sp);
}

TEST(no_bytes_are_read_past_the_end)
{
	uint64_t seed = 88172645463325252;

	// Blocks of their exact size, for the sanitizers.
	for (int i = 0; i < 200000; i++) {
		struct machine_instruction instruction;
		size_t size = (size_t)(i % 17);
		uint8_t *bytes = malloc(size ? size : 1);

		for (size_t at = 0; at < size; at++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[at] = (uint8_t)seed;
		}
		if (x86_read(bytes, size, &instruction)) {
			assert_in_range(instruction.size, 1, 15);
			assert_true(instruction.size <= size);
		}
		free(bytes);
	}
}
