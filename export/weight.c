// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

const char *exchange_weight_name(enum exchange_weight weight)
{
	static const char *const names[] = {
		[EXCHANGE_FAULTS] = "faults",
		[EXCHANGE_TIME] = "time",
		[EXCHANGE_BYTES] = "bytes",
	};

	return names[weight];
}

uint64_t exchange_weigh(const struct model *model, const struct model_fault *fault,
			enum exchange_weight weight)
{
	switch (weight) {
	case EXCHANGE_TIME:
		return fault->has_duration ? fault->duration_ns : 0;
	case EXCHANGE_BYTES:
		return (uint64_t)model_read_pages(fault) * model->trace.page_size;
	default:
		return 1;
	}
}
