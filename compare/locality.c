// SPDX-License-Identifier: Apache-2.0

#include "base/cleanup.h"
#include "base/median.h"
#include "base/order.h"
#include "compare/judge.h"
#include "compare/gather.h"

#include <string.h>

static bool divide(const struct compare_locality *locality, enum compare_side side,
		   enum compare_locality_metric part, enum compare_locality_metric whole,
		   double *ret_share)
{
	double divisor = locality->figures[whole].median[side];

	if (divisor == 0)
		return false;
	*ret_share = locality->figures[part].median[side] / divisor;
	return true;
}

bool compare_packing(const struct compare_locality *locality, enum compare_side side,
		     double *ret_packing)
{
	return divide(locality, side, COMPARE_LEAST_AREA, COMPARE_AREA, ret_packing);
}

bool compare_pages_per_function(const struct compare_locality *locality, enum compare_side side,
				double *ret_pages)
{
	return divide(locality, side, COMPARE_CODE_PAGES, COMPARE_FUNCTIONS, ret_pages);
}

static size_t all_runs(const struct gathering *gathering)
{
	return gathering->run_count[COMPARE_BEFORE] + gathering->run_count[COMPARE_AFTER];
}

static struct gathered *object_of(struct gathering *gathering, uint32_t id)
{
	while (gathering->objects.count <= id)
		vec_push(&gathering->objects, (struct gathered){ 0 });
	struct gathered *object = &gathering->objects.items[id];
	if (!object->curves) {
		size_t runs = all_runs(gathering);

		object->curves = arena_array(gathering->arena, runs, sizeof(*object->curves));
		object->row.runs = arena_array(gathering->arena, runs * COMPARE_LOCALITY_METRICS,
					       sizeof(uint64_t));
	}
	return object;
}

static void count(uint64_t *counts, const struct locality *from)
{
	counts[COMPARE_FUNCTIONS] = from->function_count;
	counts[COMPARE_CODE_PAGES] = from->area.code_pages;
	counts[COMPARE_CODE_BYTES] = from->area.code_bytes;
	counts[COMPARE_AREA] = from->area.area;
	counts[COMPARE_LEAST_AREA] = from->area.least_area;
	counts[COMPARE_STEP_SAME] = from->steps[MODEL_STEP_SAME];
	counts[COMPARE_STEP_NEXT] = from->steps[MODEL_STEP_NEXT];
	counts[COMPARE_STEP_FORWARD] = from->steps[MODEL_STEP_FORWARD];
	counts[COMPARE_STEP_BACKWARD] = from->steps[MODEL_STEP_BACKWARD];
	counts[COMPARE_STEP_RANDOM] =
		from->steps[MODEL_STEP_FORWARD] + from->steps[MODEL_STEP_BACKWARD];
}

static struct compare_curves copy_curves(const struct locality *from, struct arena *arena)
{
	size_t count =
		from->function_count < LOCALITY_POINTS ? from->function_count : LOCALITY_POINTS;
	struct locality_point *code = arena_array(arena, count + 1, sizeof(*code));
	struct locality_point *file = arena_array(arena, from->point_count + 1, sizeof(*file));

	for (size_t i = 0; i < count; i++) {
		uint64_t at = locality_sample(i, from->function_count);

		code[i] = (struct locality_point){ .count = at + 1,
						   .time_ns = from->functions[at].first_ns,
						   .pages = from->functions[at].pages };
	}
	if (from->point_count > 0)
		memcpy(file, from->points, from->point_count * sizeof(*file));
	return (struct compare_curves){
		.code = code, .code_count = count, .file = file, .file_count = from->point_count
	};
}

static void gather_functions(struct gathering *gathering, struct gathered_side *side, size_t run,
			     const struct model *model, const struct locality *from)
{
	struct arena *arena = gathering->arena;

	for (size_t i = 0; i < from->function_count; i++) {
		const struct locality_function *seen = &from->functions[i];
		const struct model_function *function = &model->functions[seen->function];
		uint32_t index = u64map_row(
			&side->by_vaddr, seen->vaddr, &side->functions,
			(struct gathered_function){
				.name = arena_strdup(arena, function->name),
				.section = arena_strdup(arena, function->section),
				.vaddr = seen->vaddr,
				.size = seen->size,
				.first_uses =
					arena_array(arena, all_runs(gathering), sizeof(uint64_t)),
				.faults = arena_array(arena, all_runs(gathering), sizeof(uint64_t)),
			});
		struct gathered_function *row = &side->functions.items[index];

		if (row->first_uses[run] == 0)
			row->first_uses[run] = i + 1;
		row->faults[run] += seen->faults;
	}
}

void locality_add(struct gathering *gathering, enum compare_side side, size_t run,
		  const struct model *model, const uint32_t *object_ids)
{
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);

	gathering->page_size = model_page_size(model);
	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];
		const struct locality *from = &localities->objects[i];

		if (!object->is_file)
			continue;
		struct gathered *to = object_of(gathering, object_ids[i]);
		struct gathered_side *here = &to->sides[side];
		count(to->row.runs + run * COMPARE_LOCALITY_METRICS, from);
		to->curves[run] = copy_curves(from, gathering->arena);
		if (!here->is_there)
			here->build_id = arena_strdup(gathering->arena, object->build_id);
		here->is_there = true;
		if (is_same_text(here->build_id, object->build_id))
			gather_functions(gathering, here, run, model, from);
	}
}

/** The middle run of the side by area, the lower of two: its curves stand for the side. */
static size_t middle_run(const struct gathering *gathering, const struct gathered *object,
			 enum compare_side side)
{
	size_t start = side == COMPARE_BEFORE ? 0 : gathering->run_count[COMPARE_BEFORE];
	size_t runs = gathering->run_count[side];
	const uint64_t *areas = object->row.runs + COMPARE_AREA;

	for (size_t run = start; run < start + runs; run++) {
		size_t less = 0, same_before = 0;

		for (size_t other = start; other < start + runs; other++) {
			uint64_t area = areas[run * COMPARE_LOCALITY_METRICS];
			uint64_t of_other = areas[other * COMPARE_LOCALITY_METRICS];

			less += of_other < area;
			same_before += of_other == area && other < run;
		}
		if (less + same_before == (runs - 1) / 2)
			return run;
	}
	return start;
}

/** The functions of a side with the medians over its runs. */
static struct placed *place_functions(const struct gathering *gathering,
				      const struct gathered_side *side, enum compare_side which)
{
	size_t start = which == COMPARE_BEFORE ? 0 : gathering->run_count[COMPARE_BEFORE];
	size_t runs = gathering->run_count[which];
	struct placed *functions = xcalloc(side->functions.count + 1, sizeof(*functions));
	CLEANUP(freep) uint64_t *seen = xcalloc(runs + 1, sizeof(*seen));

	for (size_t i = 0; i < side->functions.count; i++) {
		const struct gathered_function *from = &side->functions.items[i];
		size_t times = 0;

		for (size_t run = start; run < start + runs; run++)
			if (from->first_uses[run] > 0)
				seen[times++] = from->first_uses[run];
		functions[i] = (struct placed){
			.name = from->name,
			.section = from->section,
			.vaddr = from->vaddr,
			.size = from->size,
			.first_use = median_of(seen, times),
			.faults = median_of(from->faults + start, runs),
		};
	}
	return functions;
}

static void find_moves(struct gathering *gathering, struct gathered *object)
{
	const char *before = object->sides[COMPARE_BEFORE].build_id;
	const char *after = object->sides[COMPARE_AFTER].build_id;
	struct placed_side sides[COMPARE_SIDES];

	for (int side = 0; side < COMPARE_SIDES; side++)
		sides[side] = (struct placed_side){
			.functions = place_functions(gathering, &object->sides[side],
						     (enum compare_side)side),
			.count = object->sides[side].functions.count,
		};
	moves_find(&object->row, sides, before && after && strcmp(before, after) == 0,
		   gathering->page_size, gathering->arena);
	for (int side = 0; side < COMPARE_SIDES; side++)
		free(sides[side].functions);
}

void locality_finish(struct gathering *gathering, struct compare_object *objects, size_t count)
{
	CLEANUP(freep)
	struct judged *items = xcalloc(count * COMPARE_LOCALITY_METRICS + 1, sizeof(*items));
	size_t judged = 0;

	for (size_t i = 0; i < count && i < gathering->objects.count; i++) {
		struct gathered *from = &gathering->objects.items[i];

		if (!from->curves)
			continue;
		struct compare_locality *row = arena_alloc(gathering->arena, sizeof(*row));
		for (int side = 0; side < COMPARE_SIDES; side++) {
			size_t run = middle_run(gathering, from, (enum compare_side)side);
			size_t start =
				side == COMPARE_BEFORE ? 0 : gathering->run_count[COMPARE_BEFORE];

			from->row.curves[side] = from->curves[run];
			from->row.curves[side].run = run - start;
		}
		find_moves(gathering, from);
		*row = from->row;
		objects[i].locality = row;
		for (int metric = 0; metric < COMPARE_LOCALITY_METRICS; metric++)
			items[judged++] = (struct judged){ .figure = &row->figures[metric],
							   .values = row->runs + metric,
							   .stride = COMPARE_LOCALITY_METRICS,
							   .unit = 1 };
	}
	// One family, as all of them tell of the same: that code or the order of faults is another.
	judge(items, judged, gathering->run_count);
}

void gathering_deinit(struct gathering *gathering)
{
	vec_foreach (object, &gathering->objects)
		for (int side = 0; side < COMPARE_SIDES; side++) {
			vec_deinit(&object->sides[side].functions);
			u64map_deinit(&object->sides[side].by_vaddr);
		}
	vec_deinit(&gathering->objects);
}
