// SPDX-License-Identifier: Apache-2.0
#include "derive/faulttime.h"

#include "model/account.h"

double faulttime_own(const struct model *model, enum model_kind kind)
{
	const struct model_account *account = model->account;
	const struct model_count *total = &model->total;
	const bool is_major = kind == MODEL_MAJOR;
	uint64_t ns = is_major ? total->major_ns : total->duration_ns - total->major_ns;
	enum model_state state = is_major ? MODEL_STATE_FAULT_IO : MODEL_STATE_FAULT;

	if (!account || ns == 0 || account->all.ns[state] >= ns)
		return 1;
	return (double)account->all.ns[state] / (double)ns;
}
