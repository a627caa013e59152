// SPDX-License-Identifier: Apache-2.0
// How close together lies what a program touches in a file: its code by first use, and its pages as
// they fault. Part of the model: plain data, found on demand.
//
// Only functions that a fault shows are known: those of faulting instructions and of the call
// stacks above them. What ran on pages that were mapped already, without a fault inside, is not
// seen.
#pragma once

#include "base/cleanup.h"
#include "base/range.h"
#include "model/model.h"

#include <stddef.h>

/** Points of a curve at most; a picture shows no more. */
enum { LOCALITY_POINTS = 256 };

/** A function that was seen to run. */
struct locality_function {
	uint32_t function; // into model.functions
	uint64_t vaddr;	   // of its first byte
	uint64_t size;	   // at least 1
	uint64_t first_ns; // when it was first seen, since the start of the recording
	uint64_t faults;   // that mapped its code to run it
	uint64_t pages;	   // distinct pages of code that it and those before it span
};

/** A point of a curve: after @count faults, @pages distinct pages. */
struct locality_point {
	uint64_t count, time_ns, pages;
};

/** Pages that functions in order of first use span. */
struct locality_area {
	uint64_t code_pages; // distinct
	uint64_t code_bytes; // those of several functions once
	// Of the curve of pages over functions by first use: its values added up, as lld
	// (--verbose-bp-section-orderer) and llvm-profdata (order --num-test-traces) print it.
	uint64_t area;
	// The same if the functions lay side by side, by first use, from the start of a page: no
	// order of theirs has less.
	uint64_t least_area;
};

/**
 * Of @functions, as ranges of bytes by first use. @ret_pages, which may be NULL, is filled with the
 * curve: the pages that each and those before it span. O(n log n).
 */
struct locality_area locality_area_of(const struct range *functions, size_t count,
				      uint64_t page_size, uint64_t *ret_pages);

/** One file. */
struct locality {
	const struct locality_function *functions; // by first use
	size_t function_count;
	struct locality_area area;
	uint64_t steps[MODEL_STEPS];	     // faults by enum model_step
	const struct locality_point *points; // its pages as they fault: rising, its first and last
	size_t point_count;		     // fault among them
};

/**
 * The index, among @count > 0 values of a curve, that its @point-th point shows: the first, the
 * last, and others evenly between, LOCALITY_POINTS at most.
 */
uint64_t locality_sample(uint64_t point, uint64_t count);

/** By index of model.objects; those outside files are empty. */
struct localities {
	struct arena arena;
	const struct locality *objects;
};

/** Of the faults shown. Time O(faults + frames), and O(n log n) in functions. */
struct localities *localities_find(const struct model *model);

/** How the code of one file lies, in short. */
struct model_order locality_order(const struct locality *locality);

/** The same of each object of @model, to be kept where faults are left out; in its arena. */
const struct model_order *localities_orders(struct model *model);

/** Release @localities, which may be NULL. */
void localities_close(struct localities *localities);

CLEANUP_POINTER(localities_close, struct localities)

/**
 * Fill @ret_gains: the numbers in ranges[i] that none of ranges[0..i) has. Ranges may overlap and
 * be of any size; time O(n log n) whatever they say.
 */
void cover_gains(const struct range *ranges, size_t count, uint64_t *ret_gains);
