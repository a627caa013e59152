// SPDX-License-Identifier: Apache-2.0
#include "derive/initspans.h"

#include "base/cleanup.h"
#include "base/u64map.h"

/** The runs of initializers in progress. */
struct running {
	struct u64map rounds;	// tid -> how often the thread was seen outside of initializers
	struct u64map spans;	// tid and object -> index of the last span
	VEC(uint32_t) round_of; // beside the spans
};

static void take(struct initspans *spans, struct running *running, const struct model *model,
		 const struct model_fault *fault)
{
	uint32_t object = model->initializers[fault->initializer].object;
	const struct model_thread *thread = model_thread(model, fault);
	uint32_t round = *u64map_put(&running->rounds, thread->tid, NULL);
	bool is_new;
	uint32_t *index =
		u64map_put(&running->spans, (uint64_t)thread->tid << 32 | object, &is_new);
	uint64_t end = model_fault_end(fault);

	if (is_new || running->round_of.items[*index] != round) {
		*index = (uint32_t)spans->list.count; // at most one a fault
		vec_push(&spans->list,
			 (struct initspan){ object, thread->pid, fault->time_ns, end });
		vec_push(&running->round_of, round);
	}
	struct initspan *span = &spans->list.items[*index];

	if (end > span->end_ns)
		span->end_ns = end;
}

void initspans_init(struct initspans *spans, const struct model *model)
{
	struct running running = { 0 };

	*spans = (struct initspans){ 0 };
	for (size_t i = 0; i < model->fault_count && model->initializer_count > 0; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (fault->initializer != MODEL_NONE)
			take(spans, &running, model, fault);
		else if (fault->initiator != MODEL_INITIATOR_UNKNOWN)
			++*u64map_put(&running.rounds, model_thread(model, fault)->tid, NULL);
	}
	u64map_deinit(&running.rounds);
	u64map_deinit(&running.spans);
	vec_deinit(&running.round_of);
}

void initspans_deinit(struct initspans *spans)
{
	vec_deinit(&spans->list);
}
