// SPDX-License-Identifier: Apache-2.0
// The code of functions, line by line and instruction by instruction, with what each cost. Part of
// the model, where asked for: plain data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The cost of code, without what it called. */
struct model_spent {
	uint64_t own_ns;   // computing, by samples; in its faults; waiting for storage in calls
	uint64_t cpu_ns;   // of own_ns: computing outside faults, by samples
	uint64_t fault_ns; // of own_ns: in its faults
	uint64_t samples, faults, major;
};

static inline void model_spent_add(struct model_spent *to, const struct model_spent *from)
{
	to->own_ns += from->own_ns;
	to->cpu_ns += from->cpu_ns;
	to->fault_ns += from->fault_ns;
	to->samples += from->samples;
	to->faults += from->faults;
	to->major += from->major;
}

static inline bool model_spent_is_any(const struct model_spent *spent)
{
	return spent->own_ns > 0 || spent->samples > 0 || spent->faults > 0;
}

/** A source file. */
struct model_listing_file {
	const char *path;    // as DWARF has it, with its folder
	const char *problem; // why it was not read, or is in doubt; NULL: nothing is wrong
};

/**
 * A line of the function, or one that was inlined there. Costs of all rows of one listing add up to
 * the listing's.
 */
struct model_listing_line {
	uint32_t file;		  // into model_listing.files; MODEL_NONE: unknown
	uint32_t number;	  // from 1; 0: unknown
	const char *function;	  // that was inlined; NULL: the line is the function's own
	const char *text;	  // without its end; NULL: the source was not read
	struct model_spent spent; // of instructions that stand for this line
	// Of the function's own line, which those follow that were inlined there: with them.
	struct model_spent with_inlined;
};

struct model_listing_instruction {
	uint64_t vaddr;
	const char *text; // NULL: not decoded
	uint32_t line;	  // into model_listing.lines; MODEL_NONE: no DWARF
	bool follows;	  // the one before it in the list is the one before it in the code
	struct model_spent spent;
};

/** A function. */
struct model_listing {
	uint32_t function; // into model.functions
	uint64_t vaddr, size;
	struct model_spent spent;
	const struct model_listing_file *files; // the first is the function's own
	size_t file_count;
	// Own lines by file and number, each followed by what was inlined there, dearest first.
	const struct model_listing_line *lines;
	size_t line_count;
	// In order of address: those that cost something, and a few beside them; or all.
	const struct model_listing_instruction *instructions;
	size_t instruction_count;
	bool is_cut; // the function is larger than what is looked at
};
