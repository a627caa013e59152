// SPDX-License-Identifier: Apache-2.0
#include "model/set.h"

#include "model/account.h"

uint64_t model_computing(const struct model *model, enum model_initiator initiator,
			 uint64_t *ret_error_ns)
{
	const struct model_account *account = model->account;
	const struct model_set *set = model->set;

	*ret_error_ns = 0;
	if (!account)
		return 0;
	if (!set || !set->knows_causes) {
		*ret_error_ns = account->cpu_error_ns[initiator];
		return account->by_initiator[initiator].ns[MODEL_STATE_CPU];
	}
	const double all = (double)account->all.ns[MODEL_STATE_CPU];

	*ret_error_ns = (uint64_t)(set->computing_error[initiator] * all);
	return (uint64_t)(set->computing[initiator] * all);
}

uint64_t model_computing_samples(const struct model *model)
{
	return model->set && model->set->knows_causes ? model->set->samples
	       : model->account			      ? model->account->samples
						      : 0;
}
