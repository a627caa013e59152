// SPDX-License-Identifier: Apache-2.0
#include "derive/relocating.h"

#include "model/account.h"
#include "model/set.h"

uint64_t relocating_count(const struct model_relocation *relocation)
{
	uint64_t count = 0;

	for (size_t i = 0; relocation && i < MODEL_RELOCATION_CLASSES; i++)
		count += relocation->counts[i];
	return count;
}

bool relocating_share(const struct model *model, uint64_t relocations, uint64_t *ret_ns)
{
	uint64_t error_ns, all = 0;

	for (size_t i = 0; i < model->object_count; i++)
		all += relocating_count(model->objects[i].relocation);
	if (all == 0 || !model->account || !model_account_knows_causes(model->account) ||
	    model->is_narrowed || model->filter)
		return false;
	*ret_ns = (uint64_t)((double)model_computing(model, MODEL_RELOCATION, &error_ns) *
			     (double)relocations / (double)all);
	return true;
}
