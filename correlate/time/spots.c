// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/spots.h"

#include "base/cleanup.h"
#include "base/key.h"
#include "base/order.h"
#include "base/u64map.h"
#include "model/moments.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Each may be in a unit of its own, whose lines are then decoded.
enum { LINES_MAX = 2048 };

/** The place of a spot's instructions; NULL: unknown, or not asked for. */
struct spot_place {
	const struct model_ip *by;
	const struct model_frame *blamed;
};

struct spots {
	struct rows *rows;
	const struct blame *blame;
	const bool *chosen; // by moment; NULL: all
	const struct model_fault *first_moment;
	uint32_t root; // first thread of the command
	bool with_lines;
	struct u64map index; // what a spot stands for -> list
	VEC(struct model_spot) list;
	VEC(struct spot_place) places; // beside list
	struct u64map line_index;      // hash of a line -> lines
	VEC(const char *) lines;
};

static void spots_deinit(struct spots *spots)
{
	u64map_deinit(&spots->index);
	vec_deinit(&spots->list);
	vec_deinit(&spots->places);
	u64map_deinit(&spots->line_index);
	vec_deinit(&spots->lines);
}

/** Evidence of a spot, and its mode. */
enum shown_by {
	BY_SAMPLE,
	BY_SAMPLE_OF_KERNEL,
	BY_PAUSE,
	BY_NOTHING,
	BY_NO_SAMPLE_OF_KERNEL,
	BY_EXIT
};

/** Is it the subject's first thread? */
static bool is_subject(const struct model_account *account, const struct life *life)
{
	return life->process == account->subject.process && life->tid == life->pid;
}

/** @moment: NULL: where it was is unknown. */
static void add_spot(struct spots *spots, const struct model_fault *moment, const struct life *life,
		     const struct life_part *part, enum shown_by shown_by)
{
	struct spot_place place = { 0 };
	struct model_spot spot = {
		.function = MODEL_NONE,
		.blame = MODEL_NONE,
		.state = part->state,
		.initiator = part->initiator,
		.is_main = life->pid == spots->root && life->tid == spots->root,
		.is_subject = is_subject(spots->rows->account, life),
		.is_kernel = shown_by == BY_SAMPLE_OF_KERNEL || shown_by >= BY_NO_SAMPLE_OF_KERNEL,
		.is_exit = shown_by == BY_EXIT,
	};

	if (moment) {
		spot.function = moment->by->name;
		spot.blame = blame_of(spots->blame, moment, &place.blamed);
		place.by = moment->by;
	}
	spot.is_left_out =
		spots->chosen && !(moment && spots->chosen[moment - spots->first_moment]);
	// One for each function where nobody asks for more: a long run has 10,000s of places.
	if (!spots->with_lines)
		place = (struct spot_place){ 0 };

	const bool is_seen = shown_by < BY_NOTHING;
	const uint64_t key =
		key_of((uint64_t)spot.function << 32 | spot.blame,
		       (uint64_t)is_seen << 40 | (uint64_t)spot.state << 32 |
			       (uint64_t)spot.is_exit << 24 | (uint64_t)spot.initiator << 4 |
			       (uint64_t)spot.is_subject << 3 | (uint64_t)spot.is_left_out << 2 |
			       (uint64_t)spot.is_main << 1 | spot.is_kernel,
		       (uintptr_t)place.by, (uintptr_t)place.blamed);
	uint32_t index = u64map_row(&spots->index, key, &spots->list, spot);

	if (index == spots->places.count)
		vec_push(&spots->places, place);
	spots->list.items[index].ns += part->ns;
	spots->list.items[index].moments += is_seen;
	if (shown_by == BY_SAMPLE || shown_by == BY_SAMPLE_OF_KERNEL)
		spots->list.items[index].squares += (double)part->ns * (double)part->ns;
}

/**
 * Add the processor time of a life that is of @initiator and no sample covers: @lost_ns in samples
 * that were lost.
 */
static void add_rest(struct spots *spots, const struct life *life, enum model_initiator initiator,
		     uint64_t ns, uint64_t lost_ns)
{
	struct life_part rest = {
		.ns = lost_ns,
		.state = MODEL_STATE_CPU,
		.initiator = initiator,
	};

	if (initiator == MODEL_INITIATOR_UNKNOWN && life->exit_ns > 0 && life->exit_ns <= ns) {
		const struct life_part part = { life->exit_ns, MODEL_STATE_CPU, initiator };

		add_spot(spots, NULL, life, &part, BY_EXIT);
		ns -= life->exit_ns;
		rest.ns = lost_ns < ns ? lost_ns : ns;
	}
	// A life without any sample may be shorter than the distance of two.
	if (!life->is_user_only || ns == life->times.ns[MODEL_STATE_CPU])
		rest.ns = ns;
	if (rest.ns > 0)
		add_spot(spots, NULL, life, &rest, BY_NOTHING);
	rest.ns = ns - rest.ns;
	if (rest.ns > 0)
		add_spot(spots, NULL, life, &rest, BY_NO_SAMPLE_OF_KERNEL);
}

static void add_samples(struct spots *spots, const struct trace *trace,
			const struct all_moments *moments, const struct lives *lives)
{
	const size_t count = lives->list.count * MODEL_INITIATORS;
	// Of what each life computed for each initiator that no sample stands for.
	CLEANUP(freep) uint64_t *left = xcalloc(count + 1, sizeof(*left));
	double sampled_ns = 0, left_ns = 0;
	size_t samples = 0;

	for (size_t i = 0; i < count; i++)
		left[i] = lives->list.items[i / MODEL_INITIATORS]
				  .by_initiator[i % MODEL_INITIATORS]
				  .ns[MODEL_STATE_CPU];
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];
		const struct lives_moment *counted = &lives->samples[source->index];

		if (source->is_pause || counted->life == 0 || counted->part.ns == 0)
			continue;
		left[(size_t)(counted->life - 1) * MODEL_INITIATORS + counted->part.initiator] -=
			counted->part.ns;
		sampled_ns += (double)counted->part.ns;
		samples++;
		add_spot(spots, &moments->list.items[i], &lives->list.items[counted->life - 1],
			 &counted->part,
			 trace->samples.items[source->index].flags & TRACE_SAMPLE_KERNEL
				 ? BY_SAMPLE_OF_KERNEL
				 : BY_SAMPLE);
	}
	for (size_t i = 0; i < count; i++)
		left_ns += (double)left[i];

	// Which life a lost sample was of is unknown: each has its share, by what it has left.
	const double lost_ns =
		samples > 0 ? (double)trace->summary.samples_lost * sampled_ns / (double)samples
			    : left_ns;
	const double lost_share = lost_ns < left_ns ? lost_ns / left_ns : 1;

	for (size_t i = 0; i < count; i++)
		add_rest(spots, &lives->list.items[i / MODEL_INITIATORS], i % MODEL_INITIATORS,
			 left[i], (uint64_t)((double)left[i] * lost_share));
}

static void add_pauses(struct spots *spots, const struct trace *trace,
		       const struct all_moments *moments, const struct lives *lives)
{
	// By pause: those without a stack are no moments, but took their time.
	CLEANUP(freep) uint32_t *of_pause = xcalloc(trace->pauses.count + 1, sizeof(*of_pause));

	for (size_t i = 0; i < moments->list.count; i++)
		if (moments->sources.items[i].is_pause)
			of_pause[moments->sources.items[i].index] = (uint32_t)i + 1;
	for (size_t i = 0; i < trace->pauses.count; i++) {
		const struct lives_moment *counted = &lives->pauses[i];

		if (counted->part.ns > 0 && model_state_waits(counted->part.state))
			add_spot(spots, of_pause[i] ? &moments->list.items[of_pause[i] - 1] : NULL,
				 &lives->list.items[counted->life - 1], &counted->part, BY_PAUSE);
	}
}

// ---- Lines ----------------------------------------------------------------------------------

static const char *line_at(struct spots *spots, uint32_t object, bool has_vaddr, uint64_t vaddr)
{
	struct elfmap *map = has_vaddr && object != MODEL_NONE
				     ? objects_map(spots->rows->objects, object)
				     : NULL;
	const struct elfmap_code *code = map ? elfmap_code_at(map, vaddr) : NULL;

	if (!code || !code->source)
		return NULL;
	uint32_t row =
		u64map_row(&spots->line_index, XXH3_64bits(code->source, strlen(code->source)),
			   &spots->lines, arena_strdup(&spots->rows->model->arena, code->source));
	return spots->lines.items[row];
}

ORDER_OF_INDEXES(compare_spots, model_spot, ORDER(y->ns, x->ns) ?: ORDER(x, y))

static void find_lines(struct spots *spots, struct model_spot *spot, const struct spot_place *place)
{
	if (place->by)
		spot->source =
			line_at(spots, place->by->object, place->by->has_vaddr, place->by->vaddr);
	if (place->blamed)
		spot->blame_source = line_at(spots, place->blamed->object, place->blamed->has_vaddr,
					     place->blamed->vaddr);
	else if (spot->blame != MODEL_NONE)
		spot->blame_source = spot->source;
}

/** Most time first; those that follow the first LINES_MAX have no lines. */
static void hand_over(struct spots *spots)
{
	struct model_account *account = spots->rows->account;
	size_t count = spots->list.count;
	CLEANUP(freep) uint32_t *order = xcalloc(count + 1, sizeof(*order));
	struct model_spot *list = arena_array(&spots->rows->model->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_spots, spots->list.items);
	for (size_t i = 0; i < count; i++) {
		list[i] = spots->list.items[order[i]];
		if (spots->with_lines && i < LINES_MAX)
			find_lines(spots, &list[i], &spots->places.items[order[i]]);
	}
	account->spots = spots->rows->spots = list;
	account->spot_count = count;
}

void spots_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments,
		const struct lives *lives, const struct blame *blame, const bool *chosen,
		bool with_lines)
{
	CLEANUP(spots_deinit)
	struct spots spots = {
		.rows = rows,
		.blame = blame,
		.chosen = chosen,
		.first_moment = moments->list.items,
		.root = trace->meta.root_pid,
		.with_lines = with_lines,
	};

	if (!rows->account)
		return;
	add_samples(&spots, trace, moments, lives);
	add_pauses(&spots, trace, moments, lives);
	hand_over(&spots);
}

static bool is_of(const struct model_function *functions, uint32_t function, const bool *is_shown,
		  size_t count)
{
	if (function == MODEL_NONE)
		return false;
	uint32_t object = functions[function].object;

	return object < count && is_shown[object];
}

void spots_narrow(struct rows *rows, const bool *is_shown, size_t object_count)
{
	const struct model_function *functions = rows->functions.items;
	size_t spots = rows->spots ? rows->account->spot_count : 0;
	size_t moments = rows->moments ? rows->model->moments->count : 0;

	array_foreach (spot, rows->spots, spots)
		spot->is_left_out |= !is_of(functions, spot->function, is_shown, object_count) &&
				     !is_of(functions, spot->blame, is_shown, object_count);
	array_foreach (moment, rows->moments, moments)
		moment->is_left_out |=
			!is_of(functions, moment->function, is_shown, object_count) &&
			!is_of(functions, moment->blame, is_shown, object_count);
}
