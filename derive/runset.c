// SPDX-License-Identifier: Apache-2.0
#include "derive/runset.h"

#include "base/hash.h"
#include "base/median.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/account.h"
#include "model/missing.h"
#include "model/shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A file that runs map, in the build of the first of them. */
struct file {
	const char *path, *build_id;
	bool is_mixed;
};

struct run {
	uint64_t figures[MODEL_SET_FIGURES];
};

struct runset {
	struct arena arena;
	const char *path;
	const char *first; // trace of the first run
	const char *command;
	uint64_t arguments_hash;
	VEC(struct run) runs;
	VEC(struct model_plain) plain;
	size_t incomplete, without_times, without_causes;
	// What all threads computed, of all runs together, and the squares of its errors.
	double cpu_ns, by_initiator[MODEL_INITIATORS], squares[MODEL_INITIATORS];
	uint64_t samples;
	VEC(struct file) files;
	struct u64map by_path; // hash of the path -> place in files
};

struct runset *runset_create(const char *path)
{
	struct runset *set = xcalloc(1, sizeof(*set));

	set->path = arena_strdup(&set->arena, path);
	return set;
}

void runset_destroy(struct runset *set)
{
	if (!set)
		return;
	vec_deinit(&set->runs);
	vec_deinit(&set->plain);
	vec_deinit(&set->files);
	u64map_deinit(&set->by_path);
	arena_deinit(&set->arena);
	free(set);
}

/** True if the run is of the command of those before it. */
static bool take_command(struct runset *set, const struct model_trace *trace, struct err *err)
{
	const char *command = model_command_text(trace, &set->arena);
	const char *file = model_trace_file(trace);

	if (set->runs.count == 0) {
		set->first = arena_strdup(&set->arena, file);
		set->command = command;
		set->arguments_hash = trace->arguments_hash;
		return true;
	}
	if (strcmp(set->command, command) != 0)
		return err_set(err, ERR_INPUT,
			       "%s: not a set of one command: %s is of '%s', %s of '%s'; name one "
			       "trace",
			       set->path, set->first, set->command, file, command);
	if (set->arguments_hash != trace->arguments_hash && set->arguments_hash != 0 &&
	    trace->arguments_hash != 0)
		return err_set(err, ERR_INPUT,
			       "%s: not a set of one command: the arguments of '%s' differ in %s "
			       "and %s (--arguments shows them); name one trace",
			       set->path, command, set->first, file);
	return true;
}

/** Note whether @object is of another build than in the runs before. */
static void add_file(struct runset *set, const struct model_object *object)
{
	uint64_t key = hash_text(0, object->path);
	bool is_new;
	uint32_t *place = u64map_put(&set->by_path, key, &is_new);

	if (is_new) {
		*place = (uint32_t)set->files.count; // a process maps at most 2^16 areas
		vec_push(&set->files,
			 (struct file){ arena_strdup(&set->arena, object->path),
					arena_strdup(&set->arena, object->build_id), false });
		return;
	}
	struct file *file = &set->files.items[*place];

	if (strcmp(file->path, object->path) == 0 && strcmp(file->build_id, object->build_id) != 0)
		file->is_mixed = true;
}

static void fill_times(struct run *run, const struct model_account *account)
{
	const struct model_times *times = &account->subject.times;
	uint64_t *figures = run->figures;

	figures[MODEL_SET_OWN] = model_times_used(times);
	figures[MODEL_SET_CPU] = times->ns[MODEL_STATE_CPU];
	figures[MODEL_SET_FAULT] = times->ns[MODEL_STATE_FAULT];
	figures[MODEL_SET_STORAGE] =
		times->ns[MODEL_STATE_FAULT_IO] + times->ns[MODEL_STATE_FILE_IO];
	figures[MODEL_SET_WAIT] = times->ns[MODEL_STATE_WAIT];
	figures[MODEL_SET_LATE] = times->ns[MODEL_STATE_RUNNABLE];
	figures[MODEL_SET_RECORDING] = times->ns[MODEL_STATE_RECORDING];
	figures[MODEL_SET_WALL] =
		model_times_sum(&account->main) - account->main.ns[MODEL_STATE_RECORDING];
	figures[MODEL_SET_PROCESSOR] =
		account->all.ns[MODEL_STATE_CPU] + account->all.ns[MODEL_STATE_FAULT];
}

static void add_computing(struct runset *set, const struct model_account *account)
{
	set->cpu_ns += (double)account->all.ns[MODEL_STATE_CPU];
	set->samples += account->samples;
	set->without_causes += !model_account_knows_causes(account);
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const double error = (double)account->cpu_error_ns[i];

		set->by_initiator[i] += (double)account->by_initiator[i].ns[MODEL_STATE_CPU];
		set->squares[i] += error * error;
	}
}

bool runset_add(struct runset *set, const struct model *model, struct err *err)
{
	struct run run = { 0 };

	if (!take_command(set, &model->trace, err))
		return false;
	run.figures[MODEL_SET_FAULTS] = model->counts.recorded;
	if (model->account) {
		fill_times(&run, model->account);
		add_computing(set, model->account);
	} else {
		set->without_times++;
	}
	if (!model->trace.complete || model_missing(&model->counts).total > 0)
		set->incomplete++;
	if (model->trace.plain)
		vec_push(&set->plain, *model->trace.plain);
	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].is_file && model->objects[i].build_id)
			add_file(set, &model->objects[i]);
	vec_push(&set->runs, run);
	return true;
}

static struct model_spread spread_of(const struct runset *set, enum model_set_figure figure)
{
	CLEANUP(freep) uint64_t *values = xcalloc(set->runs.count + 1, sizeof(*values));
	struct model_spread spread = { .least = UINT64_MAX };

	for (size_t i = 0; i < set->runs.count; i++) {
		values[i] = set->runs.items[i].figures[figure];
		spread.least = values[i] < spread.least ? values[i] : spread.least;
		spread.most = values[i] > spread.most ? values[i] : spread.most;
	}
	spread.median = (uint64_t)median_of(values, set->runs.count);
	return spread;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static struct model_set_plain plain_of(const struct runset *set)
{
	const size_t count = set->plain.count;
	CLEANUP(freep) uint64_t *wall = xcalloc(count + 1, sizeof(*wall));
	CLEANUP(freep) uint64_t *processor = xcalloc(count + 1, sizeof(*processor));
	CLEANUP(freep) uint64_t *faults = xcalloc(count + 1, sizeof(*faults));

	for (size_t i = 0; i < count; i++) {
		const struct model_plain *run = &set->plain.items[i];

		wall[i] = run->wall_ns;
		processor[i] = run->user_ns + run->system_ns;
		faults[i] = run->minor + run->major;
	}
	return (struct model_set_plain){
		.count = count,
		.wall_ns = (uint64_t)median_of(wall, count),
		.processor_ns = (uint64_t)median_of(processor, count),
		.faults = (uint64_t)median_of(faults, count),
	};
}

size_t runset_nearest(const struct runset *set)
{
	const enum model_set_figure figure =
		set->without_times == 0 ? MODEL_SET_OWN : MODEL_SET_FAULTS;
	const uint64_t middle = spread_of(set, figure).median;
	const uint64_t faults = spread_of(set, MODEL_SET_FAULTS).median;
	uint64_t best = UINT64_MAX, best_faults = UINT64_MAX;
	size_t nearest = 0;

	for (size_t i = 0; i < set->runs.count; i++) {
		const uint64_t *figures = set->runs.items[i].figures;
		const uint64_t by = distance(figures[figure], middle);
		const uint64_t by_faults = distance(figures[MODEL_SET_FAULTS], faults);

		// Of several that are as near, the one nearest in faults.
		if (by > best || (by == best && by_faults >= best_faults))
			continue;
		best = by;
		best_faults = by_faults;
		nearest = i;
	}
	return nearest;
}

void runset_tell(const struct runset *set, struct model *model)
{
	struct model_set *sums = arena_alloc(&model->arena, sizeof(*sums));
	const char **mixed = arena_array(&model->arena, set->files.count + 1, sizeof(*mixed));

	*sums = (struct model_set){
		.path = arena_strdup(&model->arena, set->path),
		.count = set->runs.count,
		.incomplete = set->incomplete,
		.shown = model_trace_file(&model->trace),
		.has_times = set->without_times == 0,
		.plain = plain_of(set),
		.mixed = mixed,
	};
	sums->knows_causes = set->cpu_ns > 0 && set->without_times + set->without_causes == 0;
	if (sums->knows_causes) {
		sums->samples = set->samples;
		for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
			sums->computing[i] = set->by_initiator[i] / set->cpu_ns;
			sums->computing_error[i] = sqrt(set->squares[i]) / set->cpu_ns;
		}
	}
	for (enum model_set_figure i = 0; i < MODEL_SET_FIGURES; i++)
		if (sums->has_times || i == MODEL_SET_FAULTS)
			sums->figures[i] = spread_of(set, i);
	vec_foreach (file, &set->files)
		if (file->is_mixed)
			mixed[sums->mixed_count++] = arena_strdup(&model->arena, file->path);
	model->set = sums;
}
