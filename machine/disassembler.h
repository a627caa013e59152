// SPDX-License-Identifier: Apache-2.0
// Instructions as capstone reads them. It is loaded with the first disassembler: its tables of
// pointers are two thirds of the page faults of a start of elfault, and record, prefetch and smaps
// read no instruction.
#pragma once

#include "base/cleanup.h"
#include "machine/operands.h"

struct arena;

/** Reader of the instructions of one processor. Functions speak of the instruction read last. */
struct disassembler;

/**
 * Without @with_operands it is faster, and only the size of an instruction is known.
 *
 * Returns: NULL if nothing reads instructions of @machine, or capstone could not be loaded, which
 * disassembler_missing() explains. Release with disassembler_destroy().
 */
struct disassembler *disassembler_create(const struct machine *machine, bool with_operands);
/** Accepts NULL. */
void disassembler_destroy(struct disassembler *by);

/**
 * Read the instruction at *@code, which is at *@vaddr, and move these and *@size behind it.
 * Returns: false at the end, and for bytes that are no instruction.
 */
bool disassembler_next(struct disassembler *by, const uint8_t **code, size_t *size,
		       uint64_t *vaddr);

/** "mov qword ptr [rdi + 8], rax", in @arena; on x86 in Intel's syntax. */
const char *disassembler_text(const struct disassembler *by, struct arena *arena);

/** Return how the instruction accesses memory. */
struct machine_touches disassembler_touches(const struct disassembler *by);

/** Fill @ret with what the instruction refers to, in the order of its operands; returns how many.
 */
size_t disassembler_references(const struct disassembler *by,
			       struct machine_reference ret[static MACHINE_REFERENCES]);

/** The reason why capstone could not be loaded; NULL: it was, or was not needed. */
const char *disassembler_missing(void);

/** "5.0", or NULL as for disassembler_create(); in a static buffer. */
const char *disassembler_version(void);

CLEANUP_POINTER(disassembler_destroy, struct disassembler)
