// SPDX-License-Identifier: Apache-2.0
#include "correlate/initcpu.h"

#include "model/account.h"

/** How long @source is a sample for; 0 if it is none, or of a fault. */
static uint64_t sampled_ns(const struct trace *trace, const struct moment_source *source)
{
	const struct trace_sample *sample = &trace->samples.items[source->index];

	return source->is_pause || (sample->flags & TRACE_SAMPLE_IN_FAULT) ? 0 : sample->period_ns;
}

/** How long the thread was off the processor; 0 if that is part of a fault's time. */
static uint64_t paused_ns(const struct trace *trace, const struct moment_source *source)
{
	const struct trace_pause *pause = &trace->pauses.items[source->index];

	return !source->is_pause || (pause->flags & (TRACE_PAUSE_IN_FAULT | TRACE_PAUSE_LAST)) ||
			       pause->back_ns < pause->time_ns
		       ? 0
		       : pause->back_ns - pause->time_ns;
}

void initcpu_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments)
{
	const struct model_account *account = rows->model->account;
	double sampled = 0;

	if (!account)
		return;
	vec_foreach (source, &moments->sources)
		sampled += (double)sampled_ns(trace, source);
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];
		uint32_t initializer = moments->list.items[i].initializer;

		if (initializer == MODEL_NONE)
			continue;
		struct model_initializer *row = &rows->initializers.items[initializer];

		row->wait_ns += paused_ns(trace, source);
		if (sampled > 0)
			row->cpu_ns += (uint64_t)((double)sampled_ns(trace, source) / sampled *
						  (double)account->all.ns[MODEL_STATE_CPU]);
	}
}
