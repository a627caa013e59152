// SPDX-License-Identifier: Apache-2.0
// The tables of relocations of one object, made shorter: which of the faults on them are left.
#pragma once

#include "cure/whatifkit.h"
#include "model/relocation.h"

/** The tables of an object, which ld.so reads from the first byte to the last. */
struct whatif_table {
	bool is_known;	// it has one, and its place is known
	uint64_t start; // of the first, as an offset in the file
	uint64_t bytes; // of all
	uint64_t left;	// bytes that a cure leaves, at the beginning
};

/** Find the tables of @object; left is set to all of their bytes. */
struct whatif_table whatif_table_of(const struct model_object *object);

/** Did @fault, of the object with @table, read the tables as they are? */
bool whatif_table_has(const struct whatif_table *table, const struct model_fault *fault);

/** Did @fault, of the object with @table, read a part of it that is not there any more? */
bool whatif_table_drops(const struct whatif_kit *kit, const struct whatif_table *table,
			const struct model_fault *fault);
