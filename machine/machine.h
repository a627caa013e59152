// SPDX-License-Identifier: Apache-2.0
// A processor, as far as answers depend on it: what its code does, its system calls, its pages.
//
// To add one, write machine/NAME.c with one const struct machine, and list it in processors.h and
// machine.c. What a processor leaves out is unknown: readers then say that they do not know, or
// leave the answer out. Its relocation types are data of ELF, in elfmap/machine.c. The recorder's
// processor is the one elfault is built for: bpf/ has its kernel side.
#pragma once

#include "machine/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A call, told from its bytes. */
enum machine_call_kind {
	MACHINE_CALL_NONE,
	MACHINE_CALL_DIRECT,
	// Of what stands where a register points, without a displacement: of a pointer in a table.
	MACHINE_CALL_BY_POINTER,
};

/** The slot that a PLT stub jumps through, as its instructions find it. */
enum machine_stub {
	MACHINE_STUB_UNKNOWN,
	MACHINE_STUB_SLOT,	 // at an address
	MACHINE_STUB_GOT,	 // at a distance from the GOT
	MACHINE_STUB_RELOCATION, // it is that of the PLT's relocation of a number
};

struct machine_unwinding;

/** A register in a sample of perf: its bit in the mask, and its DWARF number. */
struct machine_sampled {
	uint8_t bit, dwarf;
};

struct machine {
	uint16_t elf;	  // EM_X86_64, ...
	const char *name; // as `uname -m` prints it; NULL: no kernel of its own is known
	const char *const *calls;
	uint32_t call_count;

	// ---- Code. Functions get bytes and the address that these stand at, and read no further.

	uint8_t call_size; // bytes that call_before() looks at
	/** The call that ends with the call_size bytes at @code; the byte behind it is at @end. */
	enum machine_call_kind (*call_before)(const uint8_t *code, uint64_t end,
					      uint64_t *ret_target);
	/** Between two calls: the first one's result is passed to the second; NULL: unknown. */
	const uint8_t *result_passed;
	uint8_t result_passed_size;
	/** Of the PLT stub @code; NULL: relocations follow one another as stubs do. */
	enum machine_stub (*stub)(const uint8_t *code, uint64_t size, uint64_t vaddr,
				  uint64_t *ret_operand);

	/** Stacks: see machine/unwinding.h; NULL: they cannot be walked. */
	const struct machine_unwinding *unwinding;

	/**
	 * The registers of registers.h as a sample of perf has them: in the order of their bits.
	 * NULL: elfault does not record on this processor.
	 */
	const struct machine_sampled *sampled;
};

/** The processor of ELF files whose e_machine is @elf; one that leaves everything out if unknown.
 */
const struct machine *machine_of(uint16_t elf);

/** The processor that `uname -m` calls @name. Traces without a name are from x86-64. */
const struct machine *machine_named(const char *name);

/** The processor that elfault is built for, in its 32-bit mode if @is_32bit. */
const struct machine *machine_own(bool is_32bit);

/** Whether @result of a system call is the negative of an error's number. */
static inline bool machine_call_failed(uint64_t result)
{
	return result > UINT64_MAX - MACHINE_ERRNO_MAX;
}

/** The number of the system call @name; UINT32_MAX: @machine has none. O(calls). */
uint32_t machine_call_number(const struct machine *machine, const char *name);

/** "openat" of 257 on x86-64; NULL: no system call that is known here. */
const char *machine_call(const struct machine *machine, uint32_t number);
