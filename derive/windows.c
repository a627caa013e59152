// SPDX-License-Identifier: Apache-2.0
#include "derive/windows.h"

struct windows windows_count(const struct model *model)
{
	struct windows windows = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t bytes = (uint64_t)model_around_pages(fault) * model->trace.page_size;

		if (!fault->has_around)
			continue;
		windows.known++;
		windows.large += bytes > WINDOWS_AROUND;
		windows.largest = bytes > windows.largest ? bytes : windows.largest;
	}
	return windows;
}
