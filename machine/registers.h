// SPDX-License-Identifier: Apache-2.0
// Registers of the processor that elfault is built for, as they are recorded: in the order of
// their DWARF numbers.
#pragma once

#ifdef __aarch64__
/** AAPCS64's DWARF, table 1: 0 x0 .. 30 x30, 31 sp, 32 the ip. */
enum {
	MACHINE_REGISTERS = 33,
	MACHINE_KEPT = 13,  // by what is called, and sp
	MACHINE_RESULT = 0, // of a call
	MACHINE_FRAME = 29,
	MACHINE_SP = 31,
	MACHINE_IP = 32,
};
#else
/** psABI of x86-64, fig. 3.36: 0 rax .. 15 r15, 16 the ip. */
enum {
	MACHINE_REGISTERS = 17,
	MACHINE_KEPT = 7, // by what is called, and sp
	MACHINE_RESULT = 0,
	MACHINE_FRAME = 6,
	MACHINE_SP = 7,
	MACHINE_IP = 16,
};
#endif
