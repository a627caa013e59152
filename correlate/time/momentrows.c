// SPDX-License-Identifier: Apache-2.0
// Single samples and pauses as rows of the model, for outputs that show time as it passes.
#include "correlate/time/account.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/u64map.h"
#include "correlate/time/waitkind.h"
#include "model/moments.h"

struct momentrows {
	struct rows *rows;
	const struct blame *blame;
	const bool *chosen; // by moment; NULL: all
	const struct all_moments *moments;
	uint64_t start_ns;
	VEC(struct model_moment) list;
	uint64_t unplaced_ns;
};

/** @seen: NULL: where it was is unknown. */
static void add(struct momentrows *to, const struct model_fault *seen, struct model_moment row)
{
	row.stack = row.function = row.blame = row.initializer = MODEL_NONE;
	if (seen) {
		row.thread = seen->thread;
		row.stack = seen->stack;
		row.by = seen->has_ip ? seen->by : NULL;
		row.function = seen->by->name;
		row.initializer = seen->initializer;
		row.blame = blame_of(to->blame, seen, NULL);
	}
	row.is_left_out = to->chosen && !(seen && to->chosen[seen - to->moments->list.items]);
	vec_push(&to->list, row);
}

static void add_samples(struct momentrows *to, const struct trace *trace, const struct lives *lives)
{
	const struct all_moments *moments = to->moments;

	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];
		const struct lives_moment *counted = &lives->samples[source->index];
		const struct model_fault *seen = &moments->list.items[i];

		if (source->is_pause || counted->life == 0 || counted->part.ns == 0)
			continue;
		add(to, seen,
		    (struct model_moment){
			    .time_ns = seen->time_ns,
			    .ns = counted->part.ns,
			    .back_ns = seen->time_ns,
			    .life = counted->life - 1,
			    .state = counted->part.state,
			    .initiator = counted->part.initiator,
			    .is_sample = true,
			    .is_kernel =
				    trace->samples.items[source->index].flags & TRACE_SAMPLE_KERNEL,
		    });
	}
}

static uint64_t task_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/** Pauses without a stack have no row of their thread, but it may have one for something else. */
static void learn_threads(const struct model_thread *threads, size_t count,
			  struct u64map *ret_threads)
{
	for (size_t i = 0; i < count; i++)
		*u64map_put(ret_threads, task_key(threads[i].pid, threads[i].tid), NULL) =
			(uint32_t)i;
}

static void add_pauses(struct momentrows *to, const struct trace *trace, const struct lives *lives)
{
	const struct all_moments *moments = to->moments;
	CLEANUP(freep) uint32_t *of_pause = xcalloc(trace->pauses.count + 1, sizeof(*of_pause));
	CLEANUP(u64map_deinit) struct u64map threads = { 0 };
	struct waitkinds waitkinds;

	waitkinds_init(&waitkinds, trace);
	learn_threads(to->rows->threads.items, to->rows->threads.count, &threads);
	for (size_t i = 0; i < moments->list.count; i++)
		if (moments->sources.items[i].is_pause)
			of_pause[moments->sources.items[i].index] = (uint32_t)i + 1;
	for (size_t i = 0; i < trace->pauses.count; i++) {
		const struct lives_moment *counted = &lives->pauses[i];
		const struct trace_pause *pause = &trace->pauses.items[i];
		const uint32_t *thread = u64map_get(&threads, task_key(pause->pid, pause->tid));

		if (counted->life == 0)
			continue;
		if (!thread && model_state_waits(counted->part.state))
			to->unplaced_ns += counted->part.ns;
		add(to, of_pause[i] ? &moments->list.items[of_pause[i] - 1] : NULL,
		    (struct model_moment){
			    .time_ns = counted->start_ns - to->start_ns,
			    .ns = counted->part.ns,
			    .back_ns = counted->back_ns - to->start_ns,
			    .thread = thread ? *thread : MODEL_NONE,
			    .life = counted->life - 1,
			    .state = counted->part.state,
			    .initiator = counted->part.initiator,
			    .wait = waitkind_of(&waitkinds, pause),
		    });
	}
}

static uint64_t unsampled_ns(const struct model *model, const struct momentrows *from)
{
	uint64_t ns = model->account->all.ns[MODEL_STATE_CPU];

	vec_foreach (row, &from->list)
		ns -= row->is_sample ? row->ns : 0;
	return ns;
}

static struct model_life *keep_lives(struct arena *arena, const struct trace *trace,
				     const struct lives *lives)
{
	const uint64_t start_ns = trace->meta.start_ns;
	struct model_life *kept = arena_array(arena, lives->list.count, sizeof(*kept));

	for (size_t i = 0; i < lives->list.count; i++) {
		const struct life *life = &lives->list.items[i];

		kept[i] = (struct model_life){
			.process = life->process,
			.pid = life->pid,
			.tid = life->tid,
			.start_ns = trace_since(life->start_ns, start_ns),
			.end_ns = trace_since(life->end_ns, start_ns),
		};
	}
	return kept;
}

// At one time by thread; samples first.
ORDER_OF(compare, model_moment, ORDER(x->time_ns, y->time_ns) ?: ORDER(x->thread, y->thread) ?:
	 ORDER(y->is_sample, x->is_sample) ?: ORDER(x->back_ns, y->back_ns))

void momentrows_fill(struct rows *rows, const struct trace *trace,
		     const struct all_moments *moments, const struct lives *lives,
		     const struct blame *blame, const bool *chosen)
{
	struct model *model = rows->model;
	struct momentrows to = {
		.rows = rows,
		.blame = blame,
		.chosen = chosen,
		.moments = moments,
		.start_ns = trace->meta.start_ns,
	};

	if (!rows->account)
		return;
	add_samples(&to, trace, lives);
	add_pauses(&to, trace, lives);
	vec_sort(&to.list, compare);

	struct model_moments *kept = arena_alloc(&model->arena, sizeof(*kept));

	*kept = (struct model_moments){
		.count = to.list.count,
		.unsampled_ns = unsampled_ns(model, &to),
		.unplaced_ns = to.unplaced_ns,
		.lives = keep_lives(&model->arena, trace, lives),
		.life_count = lives->list.count,
	};
	kept->items = rows->moments = vec_keep(&to.list, &model->arena);
	model->moments = kept;
}
