// SPDX-License-Identifier: Apache-2.0
#include "correlate/initcpu.h"

#include "model/account.h"

/** How long @source is a sample for; 0 if it is none, or of a fault. */
static uint64_t sampled_ns(const struct trace *trace, const struct moment_source *source)
{
	const struct trace_sample *sample = &trace->samples.items[source->index];

	return source->is_pause || (sample->flags & TRACE_SAMPLE_IN_FAULT) ? 0 : sample->period_ns;
}

void initcpu_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments)
{
	const struct model_account *account = rows->model->account;
	double sampled = 0;

	if (!account)
		return;
	vec_foreach (source, &moments->sources)
		sampled += (double)sampled_ns(trace, source);
	for (size_t i = 0; sampled > 0 && i < moments->list.count; i++) {
		uint32_t initializer = moments->list.items[i].initializer;
		double share = (double)sampled_ns(trace, &moments->sources.items[i]) / sampled;

		if (initializer != MODEL_NONE)
			rows->initializers.items[initializer].cpu_ns +=
				(uint64_t)(share * (double)account->all.ns[MODEL_STATE_CPU]);
	}
}
