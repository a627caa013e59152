// SPDX-License-Identifier: Apache-2.0
// Faults, or operations of storage, counted by the values of up to three of their words: plain
// data that renderers read.
#pragma once

#include "base/cleanup.h"
#include "model/iosum.h"
#include "model/model.h"

enum { PIVOT_AXES_MAX = 3 };

/** Kinds of values of a word. */
enum pivot_kind {
	PIVOT_WORDS,   // words of the contract
	PIVOT_TRUTH,   // true and false
	PIVOT_NUMBERS, // in decimal
	PIVOT_OBJECTS, // paths, and [heap] and the like
	PIVOT_NAMES,
};

/** One value of a word. Rows of the model that share a name are one value; initializers of each
 * file are values of their own. */
struct pivot_value {
	const char *name;	  // NULL: null
	const char *owner;	  // the path of its file; NULL where names are one
	uint32_t owner_object;	  // the same, where there is an owner
	bool is_shared;		  // values of other owners have the name, too
	uint32_t key;		  // the number; of names the first row that has it, of objects too
	struct model_count count; // of all faults that have it
};

/** One word and its values, in the order in which faults had them first. */
struct pivot_axis {
	const char *word;
	const char *owner_word; // of the owners of its values, which programs are told beside them;
				// or NULL
	enum pivot_kind kind;
	const struct pivot_value *values;
	size_t value_count;
};

/** Faults, or operations, that share a value of each word. */
struct pivot_row {
	uint32_t values[PIVOT_AXES_MAX]; // by axis: into its values
	struct model_count count;
	struct iosum io; // instead, of operations
	uint64_t pages;	 // distinct ones that faulted
};

/** The answer; names are borrowed from the model that it was made from. */
struct pivot {
	struct arena arena;
	struct pivot_axis axes[PIVOT_AXES_MAX];
	size_t axis_count;
	// Most faults first, or of operations those waited for longest; then by the values, null
	// last.
	const struct pivot_row *rows;
	size_t row_count;
	struct model_count total;
	bool is_of_io;
	struct iosum io_total; // instead, of operations
	bool has_reads;	       // what faults read is known
	uint32_t page_size;    // of what they read
	uint64_t pages; // distinct ones in all, fewer than the rows' sum where they share some
};

/** Release @pivot, which may be NULL. */
void pivot_destroy(struct pivot *pivot);

CLEANUP_POINTER(pivot_destroy, struct pivot)
