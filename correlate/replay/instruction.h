// SPDX-License-Identifier: Apache-2.0
// Single instructions of ELF files, disassembled.
#pragma once

#include "elfmap/disassembler.h"
#include "elfmap/elfmap.h"

/** One disassembler a machine, opened on first use. */
struct instructions;

struct instructions *instructions_create(void);
/** Accepts NULL. */
void instructions_destroy(struct instructions *instructions);

/**
 * The instruction at @vaddr of @map, with its details, to be released with
 * instructions_free(); NULL where it cannot be decoded or the machine is not x86-64, i386 or
 * aarch64.
 */
cs_insn *instructions_read(struct instructions *instructions, struct elfmap *map, uint64_t vaddr);
void instructions_free(struct instructions *instructions, cs_insn *instruction);

/**
 * The same as text in @arena, on x86 in Intel's syntax: "mov qword ptr [rdi + 8], rax". An operand
 * relative to rip stays so; what it touched is the fault's address. NULL as above.
 */
const char *instructions_text(struct instructions *instructions, struct elfmap *map, uint64_t vaddr,
			      struct arena *arena);
