// SPDX-License-Identifier: Apache-2.0
#include "derive/cuts.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/moments.h"

enum {
	WORTH = 10, // a stretch is worth a cut from this part of the rest on
	LATE = MODEL_WAITS,
	KINDS,
};

/** Stretches in which some thread does something, and those in which none does. */
struct busy {
	VEC(struct range) spans, gaps;
};

static void busy_deinit(struct busy *busy)
{
	vec_deinit(&busy->spans);
	vec_deinit(&busy->gaps);
}

/** The part of @moment in which its thread neither runs nor waits for storage. */
static struct range idle_of(const struct model_moment *moment)
{
	const bool waits = moment->state == MODEL_STATE_WAIT;

	return (struct range){ moment->time_ns + (waits ? 0 : moment->ns), moment->back_ns };
}

static void add_busy(struct busy *busy, struct range axis, uint64_t from_ns, uint64_t to_ns)
{
	const struct range span = { range_clamp(axis, from_ns), range_clamp(axis, to_ns) };

	if (span.start < span.end)
		vec_push(&busy->spans, span);
}

ORDER_OF(compare_ranges, range, ORDER(x->start, y->start) ?: ORDER(x->end, y->end))

static void find_busy(struct busy *busy, const struct model_moments *moments, struct range axis)
{
	CLEANUP(freep) uint64_t *until = xcalloc(moments->life_count + 1, sizeof(*until));

	for (size_t i = 0; i < moments->life_count; i++)
		until[i] = moments->lives[i].start_ns;
	// They are in order of time, and so are those of each thread.
	array_foreach (moment, moments->items, moments->count) {
		const struct range idle = idle_of(moment);

		if (moment->is_sample || idle.start >= idle.end)
			continue;
		add_busy(busy, axis, until[moment->life], idle.start);
		if (idle.end > until[moment->life])
			until[moment->life] = idle.end;
	}
	for (size_t i = 0; i < moments->life_count; i++)
		add_busy(busy, axis, until[i], moments->lives[i].end_ns);
	vec_sort(&busy->spans, compare_ranges);
}

static void find_gaps(struct busy *busy, struct range axis)
{
	uint64_t reached = axis.start;

	vec_foreach (span, &busy->spans) {
		if (span->start > reached)
			vec_push(&busy->gaps, (struct range){ reached, span->start });
		if (span->end > reached)
			reached = span->end;
	}
	if (axis.end > reached)
		vec_push(&busy->gaps, (struct range){ reached, axis.end });
}

ORDER_OF(compare_longest, range, ORDER(range_size(*y), range_size(*x)) ?: ORDER(x->start, y->start))

/** Keep of the gaps those that are worth a cut, in order of time. */
static void keep_worthy(struct busy *busy, struct range axis)
{
	const struct range *gaps = busy->gaps.items;
	uint64_t left = range_size(axis);
	size_t kept = 0;

	vec_sort(&busy->gaps, compare_longest);
	while (kept < busy->gaps.count && kept < CUTS_MAX && range_size(gaps[kept]) > left / WORTH)
		left -= range_size(gaps[kept++]);
	busy->gaps.count = kept;
	vec_sort(&busy->gaps, compare_ranges);
}

// ---- Labels ---------------------------------------------------------------------------------

/** Idle time of a stretch by kind. */
struct idle {
	uint64_t subject[KINDS], command[KINDS], others[KINDS];
};

/** The kind with most time, but for a child; KINDS: none. */
static unsigned most_of(const uint64_t *ns)
{
	unsigned best = KINDS;

	for (unsigned i = 0; i < KINDS; i++)
		if (i != MODEL_WAIT_CHILD && ns[i] > 0 && (best == KINDS || ns[i] > ns[best]))
			best = i;
	return best;
}

/** The subject's first thread says it, else the command's, else any; none where it is a child. */
static const char *label_of(const struct idle *idle)
{
	unsigned kind = most_of(idle->subject);

	if (kind == KINDS)
		kind = most_of(idle->command);
	if (kind == KINDS)
		kind = most_of(idle->others);
	return kind == KINDS  ? "child outside"
	       : kind == LATE ? "late"
			      : model_wait_name((enum model_wait)kind);
}

static void add_idle(struct idle *idle, const struct model *model,
		     const struct model_moment *moment, struct range cut)
{
	const struct model_subject *subject = &model->account->subject;
	const struct model_life *life = &model->moments->lives[moment->life];
	const bool is_first = life->pid == life->tid;
	uint64_t *ns = is_first && life->process == subject->process   ? idle->subject
		       : is_first && life->process == subject->command ? idle->command
								       : idle->others;
	const uint64_t woken_ns = moment->time_ns + moment->ns;

	if (moment->state == MODEL_STATE_WAIT)
		ns[moment->wait] += range_clamp(cut, woken_ns) - range_clamp(cut, moment->time_ns);
	ns[LATE] += range_clamp(cut, moment->back_ns) - range_clamp(cut, woken_ns);
}

static void label(struct cut *cuts, size_t count, const struct model *model)
{
	const struct model_moments *moments = model->moments;
	struct idle idle[CUTS_MAX] = { 0 };

	array_foreach (moment, moments->items, moments->count)
		for (size_t i = 0; i < count && !moment->is_sample; i++)
			add_idle(&idle[i], model, moment, cuts[i].time);
	for (size_t i = 0; i < count; i++)
		cuts[i].label = label_of(&idle[i]);
}

struct cuts cuts_find(struct arena *arena, const struct model *model, struct range axis)
{
	CLEANUP(busy_deinit) struct busy busy = { 0 };

	if (!model->moments || axis.start >= axis.end)
		return (struct cuts){ 0 };
	find_busy(&busy, model->moments, axis);
	find_gaps(&busy, axis);
	keep_worthy(&busy, axis);

	const size_t count = busy.gaps.count;
	struct cut *cuts = arena_array(arena, count, sizeof(*cuts));

	for (size_t i = 0; i < count; i++)
		cuts[i].time = busy.gaps.items[i];
	label(cuts, count, model);
	return (struct cuts){ cuts, count };
}
