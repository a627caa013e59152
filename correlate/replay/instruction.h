// SPDX-License-Identifier: Apache-2.0
// Single instructions of ELF files, disassembled.
#pragma once

#include "elfmap/elfmap.h"
#include "machine/disassembler.h"

/** One disassembler a machine, opened on first use. */
struct instructions;

struct instructions *instructions_create(void);
/** Accepts NULL. */
void instructions_destroy(struct instructions *instructions);

/**
 * Read the instruction at @vaddr of @map.
 * Returns: its disassembler, valid until the next instruction is read; NULL where it cannot be
 * decoded, or nothing decodes those of the machine.
 */
struct disassembler *instructions_read(struct instructions *instructions, struct elfmap *map,
				       uint64_t vaddr);

/**
 * The same as text in @arena, on x86 in Intel's syntax: "mov qword ptr [rdi + 8], rax". An operand
 * relative to rip stays so; what it touched is the fault's address. NULL as above.
 */
const char *instructions_text(struct instructions *instructions, struct elfmap *map, uint64_t vaddr,
			      struct arena *arena);
