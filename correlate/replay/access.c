// SPDX-License-Identifier: Apache-2.0
// Whether an instruction read or wrote the byte that faulted, for traces without error codes.
#include "correlate/replay/attribute.h"

#include "base/arena.h"
#include "base/u64map.h"

#include <elf.h>
#include <stdlib.h>

struct access_decoder {
	struct instructions *instructions;
	struct u64map known; // (object, vaddr) -> enum model_access
};

struct access_decoder *access_decoder_create(struct instructions *instructions)
{
	struct access_decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->instructions = instructions;
	return decoder;
}

void access_decoder_destroy(struct access_decoder *decoder)
{
	if (!decoder)
		return;
	u64map_deinit(&decoder->known);
	free(decoder);
}

struct touches {
	bool reads, writes;
};

/** Memory that an x86 instruction touches without naming it as an operand. */
static void add_implicit(struct touches *touches, unsigned id, bool has_memory_operand)
{
	switch (id) {
	case X86_INS_PUSH:
	case X86_INS_CALL:
		touches->writes = true;
		break;
	case X86_INS_POP:
	case X86_INS_RET:
	case X86_INS_LEAVE:
		if (!has_memory_operand)
			touches->reads = true;
		break;
	default:
		break;
	}
}

/** Instructions that only read a memory operand that stands where others have their destination. */
static bool only_reads_first(unsigned id)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_BT:
	case X86_INS_PUSH:
	case X86_INS_CALL:
	case X86_INS_LCALL:
	case X86_INS_JMP:
	case X86_INS_LJMP:
	case X86_INS_MUL:
	case X86_INS_IMUL:
	case X86_INS_DIV:
	case X86_INS_IDIV:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSD:
	case X86_INS_CMPSQ:
	case X86_INS_OUTSB:
	case X86_INS_OUTSW:
	case X86_INS_OUTSD:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
	case X86_INS_LDMXCSR:
	case X86_INS_VLDMXCSR:
	case X86_INS_FXRSTOR:
	case X86_INS_XRSTOR:
	case X86_INS_FLD:
	case X86_INS_FILD:
	case X86_INS_FBLD:
	case X86_INS_FLDCW:
	case X86_INS_FLDENV:
	case X86_INS_FADD:
	case X86_INS_FIADD:
	case X86_INS_FSUB:
	case X86_INS_FSUBR:
	case X86_INS_FISUB:
	case X86_INS_FISUBR:
	case X86_INS_FMUL:
	case X86_INS_FIMUL:
	case X86_INS_FDIV:
	case X86_INS_FDIVR:
	case X86_INS_FIDIV:
	case X86_INS_FIDIVR:
	case X86_INS_FCOM:
	case X86_INS_FCOMP:
	case X86_INS_FICOM:
	case X86_INS_FICOMP:
		return true;
	default:
		return false;
	}
}

/**
 * capstone 4 calls the destination of movups and lock cmpxchg read, so its own flags are not used:
 * in Intel's order the first operand is the destination, the others are sources.
 */
static struct touches touches_x86(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	struct touches touches = { 0 };
	bool has_memory = false;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM || instruction->id == X86_INS_LEA ||
		    instruction->id == X86_INS_NOP)
			continue;
		has_memory = true;
		if (i == 0 && !only_reads_first(instruction->id))
			touches.writes = true;
		else if (instruction->id == X86_INS_XCHG || instruction->id == X86_INS_XADD)
			touches.writes = true; // either order of operands
		else
			touches.reads = true;
	}
	add_implicit(&touches, instruction->id, has_memory);
	return touches;
}

static struct touches touches_aarch64(const cs_insn *instruction)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	struct touches touches = { 0 };

	for (uint8_t i = 0; i < arm64->op_count; i++) {
		if (arm64->operands[i].type != ARM64_OP_MEM)
			continue;
		// All stores, and nothing else that has a memory operand, begin with "st".
		bool is_store = instruction->mnemonic[0] == 's' && instruction->mnemonic[1] == 't';

		touches.writes |= is_store;
		touches.reads |= !is_store;
	}
	return touches;
}

static enum model_access decode(struct access_decoder *decoder, struct elfmap *map, uint64_t vaddr)
{
	cs_insn *instruction = instructions_read(decoder->instructions, map, vaddr);

	if (!instruction)
		return MODEL_ACCESS_UNKNOWN;
	struct touches touches = elfmap_info(map)->machine == EM_AARCH64
					 ? touches_aarch64(instruction)
					 : touches_x86(instruction);
	instructions_free(decoder->instructions, instruction);

	if (touches.reads == touches.writes)
		return MODEL_ACCESS_UNKNOWN;
	return touches.writes ? MODEL_ACCESS_WRITE : MODEL_ACCESS_READ;
}

enum model_access access_decode(struct access_decoder *decoder, struct elfmap *map, uint32_t object,
				uint64_t vaddr)
{
	bool is_new;
	// A vaddr of a file is far below 2^48, so the object's number fits above it.
	uint32_t *known = u64map_put(&decoder->known, (uint64_t)object << 48 ^ vaddr, &is_new);

	if (is_new)
		*known = decode(decoder, map, vaddr);
	return *known;
}
