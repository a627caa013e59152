// SPDX-License-Identifier: Apache-2.0
// Samples, pauses, lives of threads and runs of initializers as columns of a report page.
#include "render/page/making.h"

#include "base/cleanup.h"
#include "derive/initspans.h"
#include "model/moments.h"

enum { MOMENT_SAMPLE = 1, MOMENT_KERNEL = 2, MOMENT_LEFT_OUT = 4 };

static uint32_t combination_of(struct making *making, const struct model_moment *moment)
{
	const struct model_life *life = &making->model->moments->lives[moment->life];
	const struct making_combination what = {
		MAKING_NO_FAULT,
		.object = MAKING_NO_OBJECT,
		.initiator = moment->initiator,
		.thread = moment->thread == MODEL_NONE
				  ? making_thread_of(making, life->pid, life->tid, life->process)
				  : making_thread(making, &making->model->threads[moment->thread],
						  moment->time_ns),
		.initializer = moment->initializer + 1, // MODEL_NONE: 0
		.blame = moment->blame + 1,
	};

	return making_combine(making, &what);
}

static void add_moment(struct making *making, const struct model_moment *moment)
{
	const uint64_t start = making_units(making, moment->time_ns);

	push(making, PAGE_MOMENT_TIME, start);
	// Those that follow each other have no room between them.
	push(making, PAGE_MOMENT_LENGTH, making_units(making, moment->back_ns) - start);
	push(making, PAGE_MOMENT_OWN, making_rounded(making, moment->ns));
	push(making, PAGE_MOMENT_STATE, moment->state);
	push(making, PAGE_MOMENT_WAIT, moment->wait);
	push(making, PAGE_MOMENT_FLAGS,
	     (moment->is_sample ? MOMENT_SAMPLE : 0) | (moment->is_kernel ? MOMENT_KERNEL : 0) |
		     (moment->is_left_out ? MOMENT_LEFT_OUT : 0));
	push(making, PAGE_MOMENT_COMBINATION, combination_of(making, moment));
	push(making, PAGE_MOMENT_STACK, making_stack(making, moment->stack, moment->by));
}

static void add_life(struct making *making, const struct model_life *life)
{
	const uint64_t start = making_units(making, life->start_ns);

	if (making->place[life->process] == MODEL_NONE || life->end_ns == life->start_ns)
		return; // outside the window
	push(making, PAGE_LIFE_THREAD,
	     making_thread_of(making, life->pid, life->tid, life->process));
	push(making, PAGE_LIFE_START, start);
	push(making, PAGE_LIFE_LENGTH, making_units(making, life->end_ns) - start);
}

void making_add_moments(struct making *making)
{
	const struct model_moments *moments = making->model->moments;

	if (!moments)
		return;
	array_foreach (moment, moments->items, moments->count)
		add_moment(making, moment);
	array_foreach (life, moments->lives, moments->life_count)
		add_life(making, life);
}

void making_add_runs(struct making *making)
{
	CLEANUP(initspans_deinit) struct initspans spans;

	initspans_init(&spans, making->model);
	vec_foreach (span, &spans.list) {
		const uint64_t start = making_units(making, span->first_ns);

		push(making, PAGE_RUN_INITIALIZER, span->initializer);
		push(making, PAGE_RUN_THREAD,
		     making_thread(making, &making->model->threads[span->thread], span->first_ns));
		push(making, PAGE_RUN_TIME, start);
		push(making, PAGE_RUN_LENGTH, making_units(making, span->end_ns) - start);
		push(making, PAGE_RUN_DEPTH, span->depth < UINT8_MAX ? span->depth : UINT8_MAX);
		push(making, PAGE_RUN_READ,
		     span->read_bytes < UINT32_MAX ? span->read_bytes : UINT32_MAX);
	}
}
