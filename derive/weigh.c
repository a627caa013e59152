// SPDX-License-Identifier: Apache-2.0
#include "derive/weigh.h"

#include "base/vec.h"

bool weigh_by_time(const struct model *model)
{
	uint64_t waited = 0;

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->kind == MODEL_MAJOR)
			waited += model_fault_own(fault);
	return waited > 0 && waited >= model->total.own_ns / 2;
}
