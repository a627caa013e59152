// SPDX-License-Identifier: Apache-2.0
// Operands of x86's instructions: the memory that they touch, and what they refer to.
#include "machine/operands.h"

#include <capstone/capstone.h>

/** Memory that an x86 instruction touches without naming it as an operand. */
static void add_implicit(struct machine_touches *touches, unsigned id, bool has_memory_operand)
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
static struct machine_touches touches(const struct cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	struct machine_touches touched = { 0 };
	bool has_memory = false;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM || instruction->id == X86_INS_LEA ||
		    instruction->id == X86_INS_NOP)
			continue;
		has_memory = true;
		if (i == 0 && !only_reads_first(instruction->id))
			touched.writes = true;
		else if (instruction->id == X86_INS_XCHG || instruction->id == X86_INS_XADD)
			touched.writes = true; // either order of operands
		else
			touched.reads = true;
	}
	add_implicit(&touched, instruction->id, has_memory);
	return touched;
}

/** The vaddr of a memory operand that the instruction itself spells out. */
static bool memory_vaddr(const cs_insn *instruction, const x86_op_mem *memory, uint64_t *ret_vaddr)
{
	if (memory->segment != X86_REG_INVALID || memory->index != X86_REG_INVALID)
		return false;
	if (memory->base == X86_REG_RIP)
		*ret_vaddr = instruction->address + instruction->size + (uint64_t)memory->disp;
	else if (memory->base == X86_REG_INVALID)
		*ret_vaddr = (uint64_t)memory->disp;
	else
		return false;
	return true;
}

static bool is_branch(const cs_detail *detail)
{
	for (uint8_t i = 0; i < detail->groups_count; i++)
		if (detail->groups[i] == CS_GRP_CALL || detail->groups[i] == CS_GRP_JUMP)
			return true;
	return false;
}

static size_t references(const struct cs_insn *instruction,
			 struct machine_reference ret[static MACHINE_REFERENCES])
{
	const cs_x86 *x86 = &instruction->detail->x86;
	size_t count = 0;

	if (is_branch(instruction->detail)) {
		if (x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
			return 0;
		ret[0] = (struct machine_reference){ MACHINE_REFERENCE_BRANCH,
						     (uint64_t)x86->operands[0].imm };
		return 1;
	}
	for (uint8_t i = 0; i < x86->op_count && count < MACHINE_REFERENCES; i++) {
		const cs_x86_op *operand = &x86->operands[i];
		struct machine_reference *reference = &ret[count];

		if (operand->type == X86_OP_IMM) {
			*reference = (struct machine_reference){ MACHINE_REFERENCE_NUMBER,
								 (uint64_t)operand->imm };
			count++;
		} else if (operand->type == X86_OP_MEM &&
			   memory_vaddr(instruction, &operand->mem, &reference->vaddr)) {
			reference->kind =
				instruction->id == X86_INS_LEA || (operand->access & CS_AC_WRITE)
					? MACHINE_REFERENCE_ADDRESS
					: MACHINE_REFERENCE_READ;
			count++;
		}
	}
	return count;
}

const struct machine_operands x86_64_operands = {
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.touches = touches,
	.references = references,
};

const struct machine_operands i386_operands = {
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_32,
	.touches = touches,
	.references = references,
};
