// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a copy of smaps. What can be read keeps what the rest relies on.
#include "inspect/smaps/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(smaps_text_deinit) struct smaps_text text = { 0 };
	struct lines lines;
	struct err err = { 0 };
	size_t mappings = 0;

	lines_init_memory(&lines, "s", (const char *)data, size, &smaps_lines);

	bool done = smaps_text_add(&text, &lines, 0, &err);

	lines_deinit(&lines);

	if (done != (err.code == ERR_NONE))
		abort();
	vec_foreach (mapping, &text.mappings) {
		if (mapping->start >= mapping->end || !mapping->path)
			abort();
		for (enum smaps_key key = 0; key < SMAPS_PRIVATE; key++)
			if (mapping->amounts.bytes[key] > mapping->end - mapping->start)
				abort();
	}
	vec_foreach (space, &text.spaces) {
		if (space->first != mappings || space->count == 0)
			abort();
		mappings += space->count;
	}
	if (mappings != text.mappings.count)
		abort();
	return 0;
}
