// SPDX-License-Identifier: Apache-2.0
#include "export/tracks.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/u64map.h"

/** Tracks while they are found. */
struct finding {
	const struct model *model;
	struct tracks *tracks;
	struct u64map index; // (pid, tid) -> tracks.list
	uint32_t *of_thread; // by model.threads: into tracks.list, MODEL_NONE: none
};

bool tracks_shows(const struct model_moment *moment)
{
	if (moment->is_left_out || moment->ns == 0 || moment->thread == MODEL_NONE)
		return false;
	return moment->is_sample ||
	       (model_state_waits(moment->state) && moment->wait != MODEL_WAIT_FAULT);
}

static uint64_t key_of(const struct model_thread *thread)
{
	return (uint64_t)thread->pid << 32 | thread->tid;
}

static void find(struct finding *finding, uint32_t index, uint64_t time_ns)
{
	const struct model_thread *thread = &finding->model->threads[index];
	struct track new = { .pid = thread->pid, .tid = thread->tid, .first_ns = time_ns };
	uint32_t at = u64map_row(&finding->index, key_of(thread), &finding->tracks->list, new);

	if (finding->tracks->list.items[at].first_ns > time_ns)
		finding->tracks->list.items[at].first_ns = time_ns;
}

static void find_all(struct finding *finding)
{
	const struct model *model = finding->model;

	for (size_t i = 0; i < model->fault_count; i++)
		find(finding, model->faults[i].thread, model->faults[i].time_ns);
	for (size_t i = 0; model->moments && i < model->moments->count; i++) {
		const struct model_moment *moment = &model->moments->items[i];

		if (tracks_shows(moment))
			find(finding, moment->thread, moment->time_ns);
	}
}

struct process {
	uint32_t pid;
	uint64_t first_ns;
};

struct processes {
	VEC(struct process) list;
	struct u64map index; // pid -> list
};

static uint64_t process_begins(const struct processes *processes, const struct track *track)
{
	return processes->list.items[*u64map_get(&processes->index, track->pid)].first_ns;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct track *a = left, *b = right;
	int order = ORDER(process_begins(context, a), process_begins(context, b));

	order = order ?: ORDER(a->pid, b->pid) ?: ORDER(a->tid != a->pid, b->tid != b->pid);
	return order ?: ORDER(a->first_ns, b->first_ns) ?: ORDER(a->tid, b->tid);
}

static void sort(struct tracks *tracks)
{
	struct processes processes = { 0 };

	vec_foreach (track, &tracks->list) {
		uint32_t at = u64map_row(&processes.index, track->pid, &processes.list,
					 (struct process){ track->pid, track->first_ns });

		if (processes.list.items[at].first_ns > track->first_ns)
			processes.list.items[at].first_ns = track->first_ns;
	}
	if (tracks->list.count > 0)
		qsort_r(tracks->list.items, tracks->list.count, sizeof(*tracks->list.items),
			compare, &processes);
	vec_deinit(&processes.list);
	u64map_deinit(&processes.index);
}

/** Learn the track of each row of threads, now that they are in order. */
static void learn_threads(struct finding *finding)
{
	const struct model *model = finding->model;

	for (size_t i = 0; i < finding->tracks->list.count; i++) {
		const struct track *track = &finding->tracks->list.items[i];

		*u64map_put(&finding->index, (uint64_t)track->pid << 32 | track->tid, NULL) =
			(uint32_t)i;
	}
	finding->of_thread = xcalloc(model->thread_count + 1, sizeof(*finding->of_thread));
	for (size_t i = 0; i < model->thread_count; i++) {
		const uint32_t *at = u64map_get(&finding->index, key_of(&model->threads[i]));

		finding->of_thread[i] = at ? *at : MODEL_NONE;
	}
}

static struct track *track_of(struct finding *finding, uint32_t thread)
{
	uint32_t at = thread == MODEL_NONE ? MODEL_NONE : finding->of_thread[thread];

	return at == MODEL_NONE ? NULL : &finding->tracks->list.items[at];
}

static void count(struct finding *finding)
{
	const struct model *model = finding->model;
	uint64_t faults = 0, moments = 0;

	for (size_t i = 0; i < model->fault_count; i++)
		track_of(finding, model->faults[i].thread)->fault_count++;
	for (size_t i = 0; model->moments && i < model->moments->count; i++) {
		struct track *track = track_of(finding, model->moments->items[i].thread);

		if (track)
			track->moment_count++;
	}
	vec_foreach (track, &finding->tracks->list) {
		track->first_fault = faults;
		track->first_moment = moments;
		faults += track->fault_count;
		moments += track->moment_count;
		track->fault_count = track->moment_count = 0;
	}
}

static void fill(struct finding *finding)
{
	const struct model *model = finding->model;
	struct tracks *tracks = finding->tracks;
	size_t moments = model->moments ? model->moments->count : 0;

	tracks->faults = xcalloc(model->fault_count + 1, sizeof(*tracks->faults));
	tracks->moments = xcalloc(moments + 1, sizeof(*tracks->moments));
	for (size_t i = 0; i < moments; i++) {
		uint32_t thread = model->moments->items[i].thread;
		struct track *track = track_of(finding, thread);

		if (!track)
			continue;
		tracks->moments[track->first_moment + track->moment_count++] = (uint32_t)i;
		track->comm = model->threads[thread].comm;
	}
	for (size_t i = 0; i < model->fault_count; i++) {
		uint32_t thread = model->faults[i].thread;
		struct track *track = track_of(finding, thread);

		tracks->faults[track->first_fault + track->fault_count++] = (uint32_t)i;
		track->comm = model->threads[thread].comm;
	}
}

void tracks_init(struct tracks *tracks, const struct model *model)
{
	struct finding finding = { .model = model, .tracks = tracks };

	*tracks = (struct tracks){ 0 };
	find_all(&finding);
	sort(tracks);
	learn_threads(&finding);
	count(&finding);
	fill(&finding);
	u64map_deinit(&finding.index);
	free(finding.of_thread);
}

void tracks_deinit(struct tracks *tracks)
{
	vec_deinit(&tracks->list);
	free(tracks->faults);
	free(tracks->moments);
}

size_t tracks_of_process(const struct tracks *tracks, size_t first)
{
	size_t next = first + 1;

	while (next < tracks->list.count &&
	       tracks->list.items[next].pid == tracks->list.items[first].pid)
		next++;
	return next - first;
}
