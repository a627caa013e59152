// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/instruction.h"

#include "base/arena.h"

#include <elf.h>
#include <stdlib.h>

enum { INSTRUCTION_MAX = 15 };

struct instructions {
	const struct disassembler *by; // NULL: not asked for, or not here
	csh x86_64, i386, aarch64;     // 0: not opened
};

struct instructions *instructions_create(void)
{
	return xcalloc(1, sizeof(struct instructions));
}

void instructions_destroy(struct instructions *instructions)
{
	if (!instructions)
		return;
	csh *const handles[] = { &instructions->x86_64, &instructions->i386,
				 &instructions->aarch64 };

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
		if (*handles[i])
			instructions->by->close(handles[i]);
	free(instructions);
}

static csh open_once(struct instructions *instructions, csh *handle, cs_arch arch, cs_mode mode)
{
	const struct disassembler *by = instructions->by = disassembler_get();

	if (!*handle && by && by->open(arch, mode, handle) == CS_ERR_OK)
		by->option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
	return *handle;
}

/** The handle for a machine, 0 where there is none. */
static csh handle_for(struct instructions *instructions, uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return open_once(instructions, &instructions->x86_64, CS_ARCH_X86, CS_MODE_64);
	case EM_386:
		return open_once(instructions, &instructions->i386, CS_ARCH_X86, CS_MODE_32);
	case EM_AARCH64:
		return open_once(instructions, &instructions->aarch64, CS_ARCH_ARM64, CS_MODE_ARM);
	default:
		return 0;
	}
}

cs_insn *instructions_read(struct instructions *instructions, struct elfmap *map, uint64_t vaddr)
{
	csh handle = handle_for(instructions, elfmap_info(map)->machine);
	uint8_t bytes[INSTRUCTION_MAX];
	size_t size = handle ? elfmap_read(map, vaddr, bytes, sizeof(bytes)) : 0;
	cs_insn *instruction;

	if (!size || instructions->by->disasm(handle, bytes, size, vaddr, 1, &instruction) != 1)
		return NULL;
	return instruction;
}

const char *instructions_text(struct instructions *instructions, struct elfmap *map, uint64_t vaddr,
			      struct arena *arena)
{
	cs_insn *instruction = instructions_read(instructions, map, vaddr);

	if (!instruction)
		return NULL;
	const char *text = arena_printf(arena, "%s%s%s", instruction->mnemonic,
					instruction->op_str[0] ? " " : "", instruction->op_str);
	instructions_free(instructions, instruction);
	return text;
}

void instructions_free(struct instructions *instructions, cs_insn *instruction)
{
	instructions->by->free(instruction, 1);
}
