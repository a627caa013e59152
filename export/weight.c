// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

const char *export_weight_name(enum export_weight weight)
{
	static const char *const names[] = {
		[EXPORT_FAULTS] = "faults",
		[EXPORT_TIME] = "time",
		[EXPORT_BYTES] = "bytes",
	};

	return names[weight];
}

uint64_t export_weigh(const struct model *model, const struct model_fault *fault,
		      enum export_weight weight)
{
	switch (weight) {
	case EXPORT_TIME:
		return model_fault_own(fault);
	case EXPORT_BYTES:
		return (uint64_t)model_read_pages(fault) * model->trace.page_size;
	default:
		return 1;
	}
}
