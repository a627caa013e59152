// SPDX-License-Identifier: Apache-2.0
// Code and stacks of a processor, as far as unwinding reads them: where instructions end and jump
// to, what they do with the frame, and how code without unwinding data is known.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum machine_flow {
	MACHINE_GOES_ON,	// calls as well
	MACHINE_MAY_JUMP,	// or goes on
	MACHINE_JUMPS,		// always, to .target
	MACHINE_JUMPS_ANYWHERE, // through a register or memory
	MACHINE_ENDS,		// returns, or traps
};

struct machine_instruction {
	uint8_t size;
	enum machine_flow flow;
	int64_t target;	      // from its own first byte; of MACHINE_MAY_JUMP and MACHINE_JUMPS
	bool pushes_frame;    // the frame pointer
	bool restores_frame;  // the caller's frame pointer
	bool addresses_frame; // an operand is in memory that the frame pointer points near to
	bool moves_sp;	      // as far as known; calls do not
	// Registers + 1, 0: none. Memory whose address has an index may be a switch's table.
	uint8_t loads_pointer; // from memory, without an index
	uint8_t jumps_to;      // MACHINE_JUMPS_ANYWHERE, by a register
	bool jumps_by_pointer; // MACHINE_JUMPS_ANYWHERE, by memory without an index
};

/** The two instructions that make a frame, as distances from the code that was looked at. */
struct machine_prologue {
	int64_t push, move; // of the frame pointer; of sp to it
};

enum {
	MACHINE_CODE_BEFORE = 256, // bytes of code around an ip
	MACHINE_CODE_AFTER = 64,
	MACHINE_CALL_MAX = 7, // bytes of a call, but for prefixes
	MACHINE_SIGRETURN_SIZE = 9,
};

/** Code around an ip. Bytes that the file does not have are 0, which is in no pattern alone. */
struct machine_code {
	const uint8_t *at; // with MACHINE_CODE_BEFORE bytes before it, MACHINE_CODE_AFTER from it
	uint64_t into_init, into_fini; // distance from DT_INIT and DT_FINI; UINT64_MAX: none
};

struct machine_unwinding {
	uint8_t entry_size;  // bytes of the longest entry code of a dynamic linker
	uint8_t entry_stack; // bytes of the stack that it may use
	uint8_t padding;     // the byte between functions that no instruction goes on with
	uint8_t alignment;   // of functions

	// Places in a raw stack of the registers, in the order of their DWARF numbers; the numbers
	// of those that a caller may need.
	const uint8_t *registers, *kept;
	uint8_t register_count, kept_count;

	/**
	 * True if a call ends with the @size bytes before @end, which is at @addr. *@ret_target is
	 * where a direct one goes; else it is left.
	 */
	bool (*is_behind_call)(const uint8_t *end, size_t size, uint64_t addr,
			       uint64_t *ret_target);
	/** Words between sp and the return address, where the instructions tell; else -1. */
	int (*words_to_return)(const struct machine_code *code, bool is_call);
	/** Behind the system call of clone(), of which a child may come back on an empty stack. */
	bool (*is_behind_clone)(const uint8_t *at);
	/** In __start_context(), to which the function that makecontext() got returns. */
	bool (*starts_context)(const uint8_t *at);

	// ---- From here on: of 64-bit programs. Others have NULL.

	/** MACHINE_SIGRETURN_SIZE bytes of rt_sigreturn(), to which handlers of signals return. */
	bool (*is_sigreturn)(const uint8_t *code);
	/** Read what was interrupted from the stack there, of @signal_size bytes at least. */
	bool (*interrupted)(const uint8_t *stack, uint64_t *ret_registers);
	uint16_t signal_size;

	/**
	 * Read the instruction that begins with @bytes, of which @size are there.
	 * Returns: false for what is not an instruction, or cut. Never reads past @size.
	 */
	bool (*read)(const uint8_t *bytes, size_t size,
		     struct machine_instruction *ret_instruction);
	/**
	 * Find the prologue nearest before @code, or around it, of which @before bytes precede and
	 * @after follow with the first.
	 */
	bool (*find_prologue)(const uint8_t *code, uint64_t before, uint64_t after,
			      struct machine_prologue *ret_prologue);
	/**
	 * True if nothing goes on to @code, of which @before bytes precede: a return, a jump or the
	 * like, and perhaps padding.
	 */
	bool (*is_behind_end)(const uint8_t *code, uint64_t before);
	/** Read what @instruction at @code adds to sp; false if that is not known. */
	bool (*change_sp)(const uint8_t *code, const struct machine_instruction *instruction,
			  int64_t *ret_change);
};
