// SPDX-License-Identifier: Apache-2.0
// Waits by reason, added up.
#include "correlate/time/timeline.h"

#include "base/order.h"
#include "base/u64map.h"

/** Waits of one first thread. */
struct thread_waits {
	struct model_waits kinds;
	VEC(struct model_awaited) awaited;
	struct u64map by_key;
};

struct waits {
	const struct timeline *timeline;
	struct thread_waits main, subject;
	struct model_waits all;
	struct model_waits *processes;
};

static void add(struct model_waits *waits, enum model_wait wait, enum model_state state,
		uint64_t ns)
{
	(state == MODEL_STATE_FILE_IO ? waits->file_io_ns : waits->wait_ns)[wait] += ns;
	waits->count[wait]++;
}

/** @call: of wait other; 0 for all others. */
static struct model_awaited *row_of(struct thread_waits *waits, const struct model_awaited *is,
				    uint32_t call)
{
	const uint64_t what = ((uint64_t)is->wait * MODEL_STATES + is->state) * MODEL_WAKERS;
	const uint64_t key =
		(what + is->waker) << 48 | (uint64_t)(call & 0xffff) << 32 | is->process;

	const uint32_t row = u64map_row(&waits->by_key, key, &waits->awaited, *is);

	return &waits->awaited.items[row];
}

/** Add what ended it, and what that did meanwhile. */
static void await(struct thread_waits *waits, const struct timeline *timeline,
		  const struct stay *stay, enum model_wait wait)
{
	const bool is_other = wait == MODEL_WAIT_OTHER;
	const uint32_t call = timeline->trace->pauses.items[stay->pause].call;
	uint32_t life;
	struct model_awaited is = {
		.wait = wait,
		.state = stay->state,
		.waker = timeline_waker(timeline, stay, &life),
		.process = life == MODEL_NONE ? MODEL_NONE : timeline->lives.items[life].process,
		.call = is_other ? trace_call_name(timeline->trace, call) : NULL,
	};
	struct model_awaited *row = row_of(waits, &is, is_other ? call : 0);
	struct spent spent = { 0 };

	row->count++;
	row->ns += stay->woken_ns - stay->start_ns - stay->recording_ns;
	if (life == MODEL_NONE)
		return;
	// A child is waited for until its last thread ends; its first began with it.
	timeline_spend_thread(timeline,
			      wait == MODEL_WAIT_CHILD ? timeline->lives.items[life].pid
						       : timeline->lives.items[life].tid,
			      stay->start_ns, stay->woken_ns, &spent);
	model_times_add(&row->meanwhile, &spent.times);
}

static void add_to_thread(struct thread_waits *waits, const struct timeline *timeline,
			  const struct stay *stay, enum model_wait wait)
{
	add(&waits->kinds, wait, stay->state, stay->woken_ns - stay->start_ns - stay->recording_ns);
	await(waits, timeline, stay, wait);
}

/** @subject: into account.processes. */
static void take_stay(struct waits *waits, const struct stay *stay, uint32_t subject)
{
	const struct timeline *timeline = waits->timeline;
	const struct life_span *span = &timeline->lives.items[stay->life];
	const uint32_t root = timeline->trace->meta.root_pid;
	const enum model_wait wait = timeline_wait(timeline, stay);
	const uint64_t ns = stay->woken_ns - stay->start_ns - stay->recording_ns;

	if (ns == 0 || !model_state_waits(stay->state))
		return;
	add(&waits->all, wait, stay->state, ns);
	add(&waits->processes[span->process], wait, stay->state, ns);
	if (span->tid == root && span->pid == root)
		add_to_thread(&waits->main, timeline, stay, wait);
	if (span->tid == span->pid && span->process == subject)
		add_to_thread(&waits->subject, timeline, stay, wait);
}

ORDER_OF(compare, model_awaited, ORDER(y->ns, x->ns) ?: ORDER(x->wait, y->wait) ?: ORDER(x->state, y->state) ?: ORDER(x->waker, y->waker) ?: ORDER(x->process, y->process) ?: ORDER(y->count, x->count))

static struct model_thread_waits hand_over(struct arena *arena, struct thread_waits *waits)
{
	struct model_thread_waits kept = {
		.kinds = waits->kinds,
		.awaited_count = waits->awaited.count,
	};

	vec_sort(&waits->awaited, compare);
	kept.awaited = vec_keep(&waits->awaited, arena);
	u64map_deinit(&waits->by_key);
	return kept;
}

void waits_fill(struct arena *arena, const struct timeline *timeline, size_t process_count,
		struct model_account *account)
{
	struct model_waiting *waiting = arena_alloc(arena, sizeof(*waiting));
	struct waits waits = {
		.timeline = timeline,
		.processes = arena_array(arena, process_count + 1, sizeof(*waits.processes)),
	};

	vec_foreach (stay, &timeline->stays)
		take_stay(&waits, stay, account->subject.process);
	*waiting = (struct model_waiting){
		.main = hand_over(arena, &waits.main),
		.subject = hand_over(arena, &waits.subject),
		.all = waits.all,
		.processes = waits.processes,
	};
	account->waiting = waiting;
}
