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
	/** Low bits of a function pointer that select the instruction set (Thumb), to be masked. */
	uint8_t mode_bits;
	/** Letters of the mapping symbols $x, $d ... that mark code and data within functions. */
	const char *marker_letters;
	/** True if any suffix may follow the letter, as in $xrv64gc; else only one after a dot. */
	bool markers_have_suffix;

	// ---- PLT

	/** Bytes of a stub if neither the section nor its code shows them; 0: 16. */
	uint8_t stub_size;
	/** Bytes of a stub, read from the start of its PLT; 0: not shown. NULL: size by slots. */
	uint8_t (*stub_size_at)(const uint8_t *code, uint64_t size);
	/** Find the slot that a stub jumps through. NULL: slots are in the order of the stubs. */
	enum machine_target (*stub)(const uint8_t *code, uint64_t size, uint64_t vaddr,
				    uint64_t *ret_operand);
	/** First bytes of a PLT whose stubs count from .got, not from DT_PLTGOT. */
	const uint8_t *plt_from_got;
	uint8_t plt_from_got_size;

	// ---- Calls, seen from their return address

	/** Bytes that call_before() reads. */
	uint8_t call_size;
	/** Classify the call that ends at @end with @code, and read a direct one's target. */
	enum machine_call_kind (*call_before)(const uint8_t *code, uint64_t end,
					      uint64_t *ret_target);
	/** Code between two calls that passes the first one's result to the second. */
	const uint8_t *result_passed;
	uint8_t result_passed_size;

	// ---- Jumps

	/** Find the first jump or call with a known target, even if @code begins mid-instruction.
	 */
	bool (*find_branch)(const uint8_t *code, uint64_t size, uint64_t vaddr,
			    struct machine_branch *ret_branch);
	/**
	 * Find the last place that looks like a jump through a register or memory, without
	 * disassembly. Bytes of a distance that leads into @file are skipped.
	 */
	bool (*last_indirect_jump)(const uint8_t *code, uint64_t size, uint64_t vaddr,
				   struct range file, uint64_t *ret_offset);
	/**
	 * Read the instruction at offsets @at of @code; false unless it jumps through a register or
	 * memory. The target may show in the code before it.
	 */
	bool (*indirect_jump)(const uint8_t *code, struct range at, uint64_t vaddr,
			      struct machine_branch *ret_branch);

	// ---- Functions known by their code

	/** Read the address that @code loads as a call's first argument, in *@ret_size bytes. */
	enum machine_target (*first_argument)(const uint8_t *code, uint64_t size, uint64_t vaddr,
					      uint64_t *ret_size, uint64_t *ret_operand);
	/** True if @code sets the pointer to its thread's TLS. */
	bool (*sets_thread_pointer)(const uint8_t *code, uint64_t size);
	/** True if @code begins with the hash that .gnu.hash is looked up by: 5381. */
	bool (*hashes_names)(const uint8_t *code, uint64_t size);
	/** True if @code makes a thread by a system call, and begins the thread's stack. */
	bool (*makes_thread)(const uint8_t *code, uint64_t size);
	/** DWARF numbers, as bits, of the registers in which landing pads get an exception. */
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

/** True if @result of a system call is the negative of an error's number. */
static inline bool machine_call_failed(uint64_t result)
{
	return result > UINT64_MAX - MACHINE_ERRNO_MAX;
}

/** The number of the system call @name; UINT32_MAX: @machine has none. O(calls). */
uint32_t machine_call_number(const struct machine *machine, const char *name);

/** "openat" of 257 on x86-64; NULL: no system call that is known here. */
const char *machine_call(const struct machine *machine, uint32_t number);
