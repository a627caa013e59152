// SPDX-License-Identifier: Apache-2.0
#include "elfmap/coderefs.h"

#include "elfmap/disassembler.h"

enum { CODE_MAX = 1 << 20 }; // bytes of one function

struct coderefs {
	struct elfmap *map;
	const struct disassembler *by;
	csh handle;
	cs_insn *instruction;
	const uint8_t *bytes; // what is left
	size_t size;
	uint64_t vaddr; // of bytes
};

struct coderefs *coderefs_create(struct elfmap *map, struct range code)
{
	uint16_t machine = map->info.machine;

	if ((machine != EM_X86_64 && machine != EM_386) || code.start >= code.end ||
	    range_size(code) > CODE_MAX)
		return NULL;
	const uint8_t *bytes = elfmap_bytes(map, code.start, range_size(code));
	const struct disassembler *by = bytes ? disassembler_get() : NULL;
	if (!by)
		return NULL;

	CLEANUP(coderefs_destroyp) struct coderefs *refs = xcalloc(1, sizeof(*refs));
	*refs = (struct coderefs){
		.map = map,
		.by = by,
		.bytes = bytes,
		.size = range_size(code),
		.vaddr = code.start,
	};
	cs_err error =
		by->open(CS_ARCH_X86, machine == EM_386 ? CS_MODE_32 : CS_MODE_64, &refs->handle);
	if (error == CS_ERR_MEM)
		oom();
	if (error != CS_ERR_OK)
		return NULL;
	by->option(refs->handle, CS_OPT_DETAIL, CS_OPT_ON);
	refs->instruction = by->malloc(refs->handle);
	if (!refs->instruction)
		oom();
	return TAKE(refs);
}

void coderefs_destroy(struct coderefs *refs)
{
	if (!refs)
		return;
	if (refs->instruction)
		refs->by->free(refs->instruction, 1);
	if (refs->handle)
		refs->by->close(&refs->handle);
	free(refs);
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

/** Reading a slot of the GOT takes the address that is there. */
static bool slot_value(struct elfmap *map, uint64_t slot, uint64_t *ret_value)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, slot);
	GElf_Sym symbol;
	const char *name;

	if (!relocation || relocation->vaddr != slot)
		return false;
	if (relocation->class == ELFMAP_RELOCATION_RELATIVE) {
		*ret_value = relocation->value;
		return true;
	}
	if (relocation->class != ELFMAP_RELOCATION_SYMBOLIC ||
	    !elfmap_dynsym(map, relocation->symbol, &symbol, &name) || symbol.st_shndx == SHN_UNDEF)
		return false;
	*ret_value = symbol.st_value + relocation->value;
	return true;
}

static bool data_reference(struct elfmap *map, const cs_insn *instruction, uint64_t *ret_vaddr)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];
		uint64_t vaddr;

		if (operand->type == X86_OP_IMM) { // an address, in code at fixed addresses
			vaddr = (uint64_t)operand->imm;
			if (map->info.type != ET_EXEC || !elfmap_load_at(map, vaddr))
				continue;
			*ret_vaddr = vaddr;
			return true;
		}
		if (operand->type != X86_OP_MEM ||
		    !memory_vaddr(instruction, &operand->mem, &vaddr))
			continue;
		if (instruction->id == X86_INS_LEA || (operand->access & CS_AC_WRITE)) {
			*ret_vaddr = vaddr;
			return true;
		}
		if (slot_value(map, vaddr, ret_vaddr))
			return true;
	}
	return false;
}

/** Decode the reference of @instruction; false if it has no known one. */
static bool reference(struct elfmap *map, const cs_insn *instruction, struct coderef *ret_ref)
{
	const cs_detail *detail = instruction->detail;
	bool branches = false;

	for (uint8_t i = 0; i < detail->groups_count; i++)
		branches = branches || detail->groups[i] == CS_GRP_CALL ||
			   detail->groups[i] == CS_GRP_JUMP;
	if (branches) {
		if (detail->x86.op_count != 1 || detail->x86.operands[0].type != X86_OP_IMM)
			return false;
		*ret_ref = (struct coderef){ CODEREF_CALL, (uint64_t)detail->x86.operands[0].imm };
		return true;
	}
	ret_ref->kind = CODEREF_ADDRESS;
	return data_reference(map, instruction, &ret_ref->vaddr);
}

bool coderefs_next(struct coderefs *refs, struct coderef *ret_ref)
{
	// Bytes that are no instruction end the code: what follows would be read out of step.
	while (refs->size > 0 && refs->by->disasm_iter(refs->handle, &refs->bytes, &refs->size,
						       &refs->vaddr, refs->instruction))
		if (reference(refs->map, refs->instruction, ret_ref))
			return true;
	return false;
}

/** Prefixes of a jump (SDM volume 2, 2.1.1 and 2.2.1); no instruction has nothing else. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x3e || byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte >> 4 == 4;
}

bool coderefs_next_jump(struct coderefs *refs, uint64_t *ret_vaddr)
{
	enum { INDIRECT = 0xff };
	const cs_insn *instruction = refs->instruction;

	refs->by->option(refs->handle, CS_OPT_DETAIL, CS_OPT_OFF);
	while (refs->size > 0) {
		const uint8_t *opcode;

		*ret_vaddr = refs->vaddr;
		if (!refs->by->disasm_iter(refs->handle, &refs->bytes, &refs->size, &refs->vaddr,
					   refs->instruction)) {
			refs->size = 0;
			return true;
		}
		if (instruction->id != X86_INS_JMP)
			continue;
		for (opcode = instruction->bytes; is_prefix(*opcode); opcode++)
			(*ret_vaddr)++;
		if (*opcode == INDIRECT)
			return true;
	}
	return false;
}
