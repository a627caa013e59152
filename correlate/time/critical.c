// SPDX-License-Identifier: Apache-2.0
// The chain of threads that the end of the command waited for.
#include "correlate/time/timeline.h"

#include "base/order.h"
#include "base/u64map.h"

#include <string.h>

/** A part of one life that is on the way. */
struct stretch {
	uint32_t life;
	uint64_t from_ns, to_ns;
};

enum { LOOKS_MAX = 10000000, LOOKS_OF_CHILD = 1000 };

struct path {
	const struct timeline *timeline;
	const struct model_process_times *processes;
	VEC(struct stretch) stretches; // from the end to the beginning
	uint32_t root;		       // the last life of the command's first thread
	uint64_t from_ns;	       // where that began its first
	size_t looks;		       // for children, at lives
};

// ---- Backward from the end ------------------------------------------------------------------

/** The last life of the command's first thread, or MODEL_NONE. */
static uint32_t last_of_root(const struct timeline *timeline)
{
	const uint32_t root = timeline->trace->meta.root_pid;
	uint32_t last = MODEL_NONE;

	for (size_t i = 0; i < timeline->lives.count; i++) {
		const struct life_span *span = &timeline->lives.items[i];

		// One behind a window ends before it begins.
		if (span->pid == root && span->tid == root && span->start_ns <= span->end_ns &&
		    (last == MODEL_NONE || span->end_ns >= timeline->lives.items[last].end_ns))
			last = (uint32_t)i;
	}
	return last;
}

/** Return the life that precedes @life: of the thread that forked it, or executed. */
static uint32_t origin_of(const struct path *path, uint32_t life)
{
	const struct life_span *span = &path->timeline->lives.items[life];
	uint32_t root;

	if (span->parent != MODEL_NONE)
		return span->parent;
	// Its beginning was lost: go on in its process's first thread, or the command's.
	root = timeline_life_at(path->timeline, span->pid, span->start_ns);
	return root != MODEL_NONE && root != life ? root : path->root;
}

/** Is it a wait for a child or a signal, as of a program that only runs another? */
static bool waits_for_ward(const struct timeline *timeline, const struct stay *stay)
{
	const enum model_wait wait = timeline_wait(timeline, stay);

	return stay->state == MODEL_STATE_WAIT &&
	       (wait == MODEL_WAIT_CHILD || wait == MODEL_WAIT_SIGNAL);
}

/** The stay of @life that is under way at @time_ns; NULL: none. */
static const struct stay *stay_at(const struct timeline *timeline, uint32_t life, uint64_t time_ns)
{
	const struct by_life *by = &timeline->life_stays;
	const size_t at = timeline_stays_before(timeline, life, time_ns);

	if (at == by->first[life])
		return NULL;
	const struct stay *stay = &timeline->stays.items[by->items[at - 1]];

	return stay->woken_ns >= time_ns ? stay : NULL;
}

/** The time that the first thread of @life's process ran before @time_ns, or waited for storage. */
static uint64_t done_before(const struct timeline *timeline, uint32_t life, uint64_t time_ns)
{
	struct spent spent = { 0 };

	timeline_spend_thread(timeline, timeline->lives.items[life].tid, 0, time_ns, &spent);
	return model_times_used(&spent.times) - spent.times.ns[MODEL_STATE_WAIT];
}

/** The child of @life's process that had done most by @time_ns and still lived; else MODEL_NONE. */
static uint32_t child_at(struct path *path, uint32_t life, uint64_t time_ns)
{
	const struct timeline *timeline = path->timeline;
	const uint32_t pid = timeline->lives.items[life].pid;
	uint32_t best = MODEL_NONE;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < timeline->lives.count; i++) {
		const struct life_span *span = &timeline->lives.items[i];

		// They are in the order they began. Of a hostile trace not all are looked at.
		if (span->start_ns > time_ns || path->looks >= LOOKS_MAX)
			break;
		path->looks++;
		if (span->tid != span->pid || span->end_ns < time_ns ||
		    path->processes[span->process].parent_pid != pid)
			continue;
		path->looks += LOOKS_OF_CHILD;
		const uint64_t done_ns = done_before(timeline, i, time_ns);

		if (best == MODEL_NONE || done_ns > most_ns) {
			best = i;
			most_ns = done_ns;
		}
	}
	return best;
}

/**
 * The process that @life, of a program that runs another, was there for at @time_ns: its child, or
 * that one's where the child is such a program as well. MODEL_NONE: it has no child.
 */
static uint32_t ward_at(struct path *path, uint32_t life, uint64_t time_ns)
{
	uint32_t ward = child_at(path, life, time_ns), deeper = ward;

	while (deeper != MODEL_NONE) {
		ward = deeper;
		const struct stay *stay = stay_at(path->timeline, ward, time_ns);

		if (!stay || !waits_for_ward(path->timeline, stay))
			break;
		deeper = child_at(path, ward, time_ns);
	}
	return ward;
}

/**
 * The child of @life's process that ended last during @stay, and so ended it as far as is known:
 * the perf backend tells neither of calls nor of wakers. Of a process with several threads that
 * would be a guess. MODEL_NONE: none.
 */
static uint32_t ended_child(struct path *path, uint32_t life, const struct stay *stay)
{
	enum { LATE_NS = 1000000 }; // it is off the processor for good after it woke its parent
	const struct timeline *timeline = path->timeline;
	const struct life_span *own = &timeline->lives.items[life];
	uint32_t best = MODEL_NONE;

	if (stay->state != MODEL_STATE_WAIT ||
	    timeline_wait(timeline, stay) != MODEL_WAIT_UNKNOWN ||
	    path->processes[own->process].thread_count > 1)
		return MODEL_NONE;
	for (uint32_t i = 0; i < timeline->lives.count; i++) {
		const struct life_span *span = &timeline->lives.items[i];

		if (span->start_ns >= stay->woken_ns || path->looks >= LOOKS_MAX)
			break;
		path->looks++;
		if (span->tid == span->pid && span->end_ns > stay->start_ns &&
		    span->end_ns <= stay->woken_ns + LATE_NS &&
		    path->processes[span->process].parent_pid == own->pid &&
		    (best == MODEL_NONE || span->end_ns >= timeline->lives.items[best].end_ns))
			best = i;
	}
	return best;
}

/**
 * How far back from @at_ns the way is in @life alone; *@ret_life: where it goes on. What woke it
 * must have done so before @at_ns, so that each step leads back.
 */
static uint64_t step_back(struct path *path, uint32_t life, uint64_t at_ns, uint32_t *ret_life)
{
	const struct timeline *timeline = path->timeline;
	const struct life_span *span = &timeline->lives.items[life];
	const struct by_life *by = &timeline->life_stays;

	for (size_t i = timeline_stays_before(timeline, life, at_ns); i > by->first[life]; i--) {
		const struct stay *stay = &timeline->stays.items[by->items[i - 1]];

		if (stay->woken_ns <= path->from_ns)
			break;
		if (stay->woken_ns <= stay->start_ns || stay->woken_ns >= at_ns)
			continue;
		if (timeline_waker(timeline, stay, ret_life) == MODEL_WAKER_THREAD)
			return stay->woken_ns;
		*ret_life = waits_for_ward(timeline, stay) ? ward_at(path, life, stay->woken_ns)
							   : MODEL_NONE;
		if (*ret_life != MODEL_NONE)
			return stay->woken_ns;
		*ret_life = ended_child(path, life, stay);
		if (*ret_life != MODEL_NONE) {
			const uint64_t end_ns = timeline->lives.items[*ret_life].end_ns;

			return end_ns < stay->woken_ns ? end_ns : stay->woken_ns;
		}
	}
	*ret_life = origin_of(path, life);
	return span->start_ns > path->from_ns ? span->start_ns : path->from_ns;
}

/** The life that the end at @end_ns is of: that of the thread whose mark it is, or the root's. */
static uint32_t last_of_path(const struct path *path, uint64_t end_ns)
{
	vec_foreach (mark, &path->timeline->trace->marks) {
		if (mark->flags & TRACE_MARK_MISSED || !mark->tid || mark->time_ns != end_ns)
			continue;
		const uint32_t life = timeline_life_at(path->timeline, mark->tid, end_ns - 1);

		if (life != MODEL_NONE)
			return life;
	}
	return path->root;
}

static void walk(struct path *path)
{
	uint64_t at = path->timeline->lives.items[path->root].end_ns;
	uint32_t life = last_of_path(path, at);
	size_t idle = 0; // steps that led to no earlier time

	while (at > path->from_ns) {
		uint32_t next;
		uint64_t from = step_back(path, life, at, &next);

		if (from < at) {
			vec_push(&path->stretches, (struct stretch){ life, from, at });
			at = from;
			idle = 0;
		} else if (idle++ > path->timeline->lives.count) {
			// Times that contradict each other.
			vec_push(&path->stretches, (struct stretch){ life, path->from_ns, at });
			break;
		}
		life = next;
	}
}

// ---- Forward, adding up ---------------------------------------------------------------------

static void add(struct model_critical_part *part, const struct model_critical_part *other)
{
	model_times_add(&part->times, &other->times);
	for (size_t i = 0; i < MODEL_WAITS; i++) {
		part->waits.wait_ns[i] += other->waits.wait_ns[i];
		part->waits.file_io_ns[i] += other->waits.file_io_ns[i];
		part->waits.count[i] += other->waits.count[i];
	}
	part->ns += other->ns;
	part->stays += other->stays;
	part->end_ns = other->end_ns;
}

static struct model_critical_part part_of(const struct path *path, const struct stretch *stretch)
{
	const struct timeline *timeline = path->timeline;
	const struct life_span *span = &timeline->lives.items[stretch->life];
	const uint64_t start_ns = timeline->trace->meta.start_ns;
	struct spent spent = { 0 };

	timeline_spend(timeline, stretch->life, stretch->from_ns, stretch->to_ns, &spent);
	return (struct model_critical_part){
		.process = span->process,
		.tid = span->tid,
		.thread = timeline->names.items[span->name],
		.start_ns = stretch->from_ns > start_ns ? stretch->from_ns - start_ns : 0,
		.end_ns = stretch->to_ns > start_ns ? stretch->to_ns - start_ns : 0,
		.ns = stretch->to_ns - stretch->from_ns,
		.stays = 1,
		.times = spent.times,
		.waits = spent.waits,
	};
}

struct sums {
	VEC(struct model_critical_part) parts, steps;
	struct u64map by_key; // process and name of the thread -> a part
	uint64_t longest_ns;  // of what is in the last step
};

/** Add @part to the step @last, which is of the same thread or short, as @part is. */
static void join(struct sums *sums, struct model_critical_part *last,
		 const struct model_critical_part *part)
{
	add(last, part);
	if (last->process == part->process && last->tid == part->tid) {
		sums->longest_ns += part->ns;
		return;
	}
	if (part->ns <= sums->longest_ns)
		return;
	sums->longest_ns = part->ns;
	last->process = part->process;
	last->tid = part->tid;
	last->thread = part->thread;
}

static void add_step(struct sums *sums, const struct model_critical_part *part, uint64_t least_ns)
{
	struct model_critical_part *steps = sums->steps.items;
	const size_t count = sums->steps.count;

	if (count > 0 &&
	    ((steps[count - 1].process == part->process && steps[count - 1].tid == part->tid) ||
	     (steps[count - 1].ns < least_ns && part->ns < least_ns))) {
		join(sums, &steps[count - 1], part);
		return;
	}
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): none is null after a push
	vec_push(&sums->steps, *part);
	sums->longest_ns = part->ns;
}

ORDER_OF(compare, model_critical_part, ORDER(model_times_used(&y->times), model_times_used(&x->times)) ?: ORDER(x->process, y->process) ?: ORDER(x->tid, y->tid))

static void keep_names(struct arena *arena, struct model_critical_part *parts, size_t count)
{
	array_foreach (part, parts, count)
		part->thread = arena_strdup(arena, part->thread);
}

void critical_fill(struct arena *arena, const struct timeline *timeline,
		   struct model_account *account)
{
	struct path path = {
		.timeline = timeline,
		.processes = account->processes,
		.root = last_of_root(timeline),
	};
	struct sums sums = { 0 };

	if (path.root == MODEL_NONE || account->wall_ns == 0)
		return;
	path.from_ns = timeline->lives.items[path.root].end_ns - account->wall_ns;
	walk(&path);
	for (size_t i = path.stretches.count; i > 0; i--) {
		const struct stretch *stretch = &path.stretches.items[i - 1];
		const struct model_critical_part part = part_of(&path, stretch);
		const uint64_t key =
			(uint64_t)part.process << 32 | timeline->lives.items[stretch->life].name;
		const struct model_critical_part nothing = {
			.process = part.process,
			.tid = part.tid,
			.thread = part.thread,
			.start_ns = part.start_ns,
		};
		const uint32_t row = u64map_row(&sums.by_key, key, &sums.parts, nothing);

		add(&sums.parts.items[row], &part);
		add_step(&sums, &part, account->wall_ns / 100);
	}
	vec_sort(&sums.parts, compare);
	keep_names(arena, sums.parts.items, sums.parts.count);
	keep_names(arena, sums.steps.items, sums.steps.count);

	struct model_critical *critical = arena_alloc(arena, sizeof(*critical));

	critical->parts = vec_keep_counted(&sums.parts, arena, &critical->part_count);
	critical->steps = vec_keep_counted(&sums.steps, arena, &critical->step_count);
	vec_deinit(&path.stretches);
	u64map_deinit(&sums.by_key);
	account->critical = critical;
}
