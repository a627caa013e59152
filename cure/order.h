// SPDX-License-Identifier: Apache-2.0
// Order files: names of functions as linkers want them, read, merged and written.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "derive/locality.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum order_format {
	ORDER_LLD,	// symbols; lines that begin with # are comments
	ORDER_GOLD,	// sections
	ORDER_BOLT,	// symbols
	ORDER_PROFDATA, // of several starts: order_write_profile()
};

/** Names of symbols, each once, in order. Zero-initialise to use. */
struct order {
	struct arena arena;
	VEC(const char *) names;
	struct u64map by_hash; // index into names
	// Hashes of names that no line can hold: with control characters, which a terminal would
	// act on as well, blanks at an end, or # at the start.
	struct u64map refused;
};

/**
 * Add a copy of @name without its version (foo of foo@@V2); false if it is there already, or is
 * refused.
 */
bool order_add(struct order *order, const char *name);

/** Whether @name, as order_add() takes it, is there, and at which index. */
bool order_find(const struct order *order, const char *name, size_t *ret_index);

/** Whether the file at @path is one that order_write() has made in the form of lld. */
bool order_is_file(const char *path);

/**
 * Add the names of the file at @path: of symbols as lld and BOLT want them, or of gold's sections.
 * Lines that begin with # are comments.
 * @err: ERR_OS, ERR_INPUT with the line (it is too long or has a NUL byte).
 */
bool order_read(struct order *order, const char *path, struct err *err);

/** @comment: of any number of lines, for the form of lld; NULL: none. */
bool order_write(const struct order *order, enum order_format format, const char *comment,
		 FILE *file);

void order_deinit(struct order *order);

/** A function of the file under one of its names. */
struct order_place {
	const char *name;
	struct range code; // vaddrs, not empty
};

struct order_check {
	size_t found;		   // names of the order file that the file has
	size_t duplicates;	   // functions beyond the first of a name: local ones of one name
	size_t functions;	   // of these names, each place once
	size_t in_order;	   // of them: most that lie in the file's order, others left out
	struct locality_area area; // of these functions in the order of the order file
};

/** Compare @order with the functions of a file, sorted by vaddr. O(n log n). */
void order_verify(const struct order *order, const struct order_place *places, size_t count,
		  uint64_t page_size, struct order_check *ret_check);
