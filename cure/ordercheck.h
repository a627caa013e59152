// SPDX-License-Identifier: Apache-2.0
// The part of an order file that a linked file follows.
#pragma once

#include "cure/order.h"
#include "derive/locality.h"

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
