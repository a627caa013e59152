// SPDX-License-Identifier: Apache-2.0
// Instructions of x86 that several of its files know, and the functions of its table.
// Source: Intel SDM volume 2.
#pragma once

#include "machine/machine.h"

#include <endian.h>
#include <string.h>

enum {
	X86_CALL = 0xe8,
	X86_JUMP = 0xe9,
	X86_INDIRECT = 0xff, // the middle of the byte behind it says what
	X86_INDIRECT_CALL = 2,
	X86_INDIRECT_JUMP = 4,
	X86_CALL_SIZE = 5, // of a jump as well
};

static inline uint32_t x86_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

/** @base plus the signed distance of 32 bits at @bytes. */
static inline uint64_t x86_ahead(uint64_t base, const uint8_t *bytes)
{
	return base + (uint64_t)(int64_t)(int32_t)x86_u32(bytes);
}

bool x86_64_find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr,
			struct machine_branch *ret_branch);
bool i386_find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr,
		      struct machine_branch *ret_branch);
bool x86_64_last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr,
			       struct range file, uint64_t *ret_offset);
bool i386_last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr, struct range file,
			     uint64_t *ret_offset);
bool x86_64_indirect_jump(const uint8_t *code, struct range at, uint64_t vaddr,
			  struct machine_branch *ret_branch);
bool i386_indirect_jump(const uint8_t *code, struct range at, uint64_t vaddr,
			struct machine_branch *ret_branch);
enum machine_target x86_64_first_argument(const uint8_t *code, uint64_t size, uint64_t vaddr,
					  uint64_t *ret_size, uint64_t *ret_operand);
bool x86_64_sets_thread_pointer(const uint8_t *code, uint64_t size);
bool x86_hashes_names(const uint8_t *code, uint64_t size);
bool x86_64_makes_thread(const uint8_t *code, uint64_t size);
