// SPDX-License-Identifier: Apache-2.0
// Processors: everything elfault knows about their code, their system calls and their ELF files.
//
// To add a processor:
//   1. Write machine/NAME.c with one const struct machine, starting from machine/arm64.c.
//   2. Declare it in machine/processors.h; add it to the list in machine/machine.c and the file to
//      machine/meson.build.
//   3. Fill in members, from the top. Each can be left out: 0 or NULL means unknown, and an answer
//      that needs it is then missing, never wrong.
//   4. Test each with real files in tests/unit/machine.
//
// Types of relocations and names of file formats are in elfmap/machine.c. The recorder supports the
// processor that elfault is built for; bpf/ has its kernel side.
#pragma once

#include "base/range.h"
#include "machine/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum machine_call_kind {
	MACHINE_CALL_NONE,
	MACHINE_CALL_DIRECT,
	MACHINE_CALL_BY_POINTER, // through memory at a register, without displacement: of an array
};

/** How an instruction states the place that it goes to, or the address that it loads. */
enum machine_target {
	MACHINE_TARGET_UNKNOWN,
	MACHINE_TARGET_ADDRESS,	   // the operand is the address
	MACHINE_TARGET_SLOT,	   // the slot at address operand holds it
	MACHINE_TARGET_GOT,	   // the slot at distance operand from the GOT holds it
	MACHINE_TARGET_RELOCATION, // the slot that relocation number operand of the PLT fills
	MACHINE_TARGET_IF_SET,	   // as SLOT, and only if that is not 0
	MACHINE_TARGET_NOWHERE,	   // the code never comes there
};

/** A jump or call within a piece of code. */
struct machine_branch {
	uint64_t offset; // of its opcode in the code
	bool is_call;
	bool is_near; // conditional, or by a short distance: seldom leaves a function
	enum machine_target target;
	uint64_t operand;
};

/** A register in a sample of perf: its bit in the mask, and its DWARF number. */
struct machine_sampled {
	uint8_t bit, dwarf;
};

struct machine_operands;  // operands.h
struct machine_unwinding; // unwinding.h

/**
 * A processor. Functions get @size bytes of @code, the first of which is at address @vaddr, and
 * read no others.
 */
struct machine {
	/** e_machine of its ELF files: EM_X86_64. */
	uint16_t elf;
	/** Name that `uname -m` prints; NULL: no kernel runs on it alone. */
	const char *name;

	// ---- System calls

	/** Names of system calls by number; NULL where a number is unused. */
	const char *const *calls;
	uint32_t call_count;

	// ---- ELF files

	/** Bytes of a word of DT_HASH in 64-bit files; 0: 4. */
	uint8_t hash_word;
	/** Bits of a function's address that select its instruction set. */
	uint8_t mode_bits;
	/** Letters that follow the $ of symbols that mark code and data within functions. */
	const char *marker_letters;
	/** True if such a symbol may end in anything, else only in what a dot precedes. */
	bool markers_have_suffix;

	// ---- PLT

	/** Bytes of a stub if neither the section nor its code shows them; 0: 16. */
	uint8_t stub_size;
	/** Bytes of the stubs of a PLT, from the start of it; 0: not shown. NULL: by its slots. */
	uint8_t (*stub_size_at)(const uint8_t *code, uint64_t size);
	/** The slot that a stub jumps through. NULL: slots follow one another as stubs do. */
	enum machine_target (*stub)(const uint8_t *code, uint64_t size, uint64_t vaddr,
				    uint64_t *ret_operand);
	/** First bytes of a PLT whose stubs count from .got, not from DT_PLTGOT. */
	const uint8_t *plt_from_got;
	uint8_t plt_from_got_size;

	// ---- Calls, seen from their return address

	/** Bytes that call_before() reads. */
	uint8_t call_size;
	/** Kind of the call that ends at @end with @code; its target if it is direct. */
	enum machine_call_kind (*call_before)(const uint8_t *code, uint64_t end,
					      uint64_t *ret_target);
	/** Code between two calls that passes the first one's result to the second. */
	const uint8_t *result_passed;
	uint8_t result_passed_size;

	// ---- Jumps

	/** Find the first jump or call whose target shows. @code may begin within an instruction.
	 */
	bool (*find_branch)(const uint8_t *code, uint64_t size, uint64_t vaddr,
			    struct machine_branch *ret_branch);
	/**
	 * Find the last place that looks like a jump through a register or memory, without
	 * disassembly. Bytes that are a distance to within @file are no such place.
	 */
	bool (*last_indirect_jump)(const uint8_t *code, uint64_t size, uint64_t vaddr,
				   struct range file, uint64_t *ret_offset);
	/**
	 * Whether the instruction at offsets @at of @code jumps through a register or memory, and
	 * the target as far as it, or the code before it, shows.
	 */
	bool (*indirect_jump)(const uint8_t *code, struct range at, uint64_t vaddr,
			      struct machine_branch *ret_branch);

	// ---- Functions known by their code

	/** The address that code begins to load as a call's first argument, in *@ret_size bytes. */
	enum machine_target (*first_argument)(const uint8_t *code, uint64_t size, uint64_t vaddr,
					      uint64_t *ret_size, uint64_t *ret_operand);
	/** Whether code sets its thread's pointer to TLS. */
	bool (*sets_thread_pointer)(const uint8_t *code, uint64_t size);
	/** Whether code has the kernel make a thread, which begins a stack there. */
	bool (*makes_thread)(const uint8_t *code, uint64_t size);
	/** Set of DWARF register numbers in which landing pads get what was thrown. */
	uint64_t eh_return_registers;

	/** Registers, stacks and instructions as unwinding reads them; NULL: no stack is walked. */
	const struct machine_unwinding *unwinding;
	/** Registers in samples of perf, by rising bit; NULL: nothing can be recorded on it. */
	const struct machine_sampled *sampled;
	/** NULL: instructions are not disassembled. */
	const struct machine_operands *operands;
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
