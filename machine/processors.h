// SPDX-License-Identifier: Apache-2.0
// Processors that machine.c finds, and the tables that have files of their own.
#pragma once

#include "machine/machine.h"

extern const struct machine machine_x86_64, machine_i386, machine_arm64;
extern const struct machine machine_arm, machine_riscv, machine_s390, machine_alpha;
extern const struct machine_operands x86_64_operands, i386_operands, arm64_operands;

struct machine_instruction;
/** See struct machine_unwinding. */
bool x86_read(const uint8_t *bytes, size_t size, struct machine_instruction *ret_instruction);
extern const struct machine_unwinding x86_64_unwinding, i386_unwinding;

enum { MACHINE_X86_64_CALLS = 467, MACHINE_GENERIC_CALLS = 467 };
extern const char *const machine_x86_64_calls[MACHINE_X86_64_CALLS];
extern const char *const machine_generic_calls[MACHINE_GENERIC_CALLS];
