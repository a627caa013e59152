// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as Go's table of functions: nothing is read past them, and what is found is
// whole.
#include "elfmap/headers/gopclntab.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LOOKED_AT = 256 };
	struct gopclntab table;
	struct gopclntab_function function, found;
	uint64_t depth;

	if (!gopclntab_init(&table, data, size, 0x1000))
		return 0;
	for (uint32_t i = 0; i < table.count && i < LOOKED_AT; i++) {
		if (!gopclntab_function(&table, i, &function))
			continue;
		if (function.start >= function.end || strlen(function.name) >= size)
			abort();
		gopclntab_depth(&table, &function, function.start, &depth);
		gopclntab_depth(&table, &function, function.end - 1, &depth);
		if (gopclntab_find(&table, function.start, &found) &&
		    (function.start < found.start || function.start >= found.end))
			abort();
	}
	return 0;
}
