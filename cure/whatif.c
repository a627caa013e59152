// SPDX-License-Identifier: Apache-2.0
#include "cure/whatifkit.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "derive/executables.h"
#include "model/relocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The run --------------------------------------------------------------------------------

/** The executable whose programs fault most, among those asked for where some are. */
static uint32_t choose_program(const struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	CLEANUP(freep) uint64_t *faults = xcalloc(model->object_count + 1, sizeof(*faults));
	uint32_t best = MODEL_NONE;

	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t program = model_thread(model, fault)->program;
		uint32_t object = program == MODEL_NONE ? MODEL_NONE : kit->executables[program];

		if (object != MODEL_NONE && ++faults[object] > 0 && whatif_is_asked(kit, object) &&
		    (best == MODEL_NONE || faults[object] > faults[best]))
			best = object;
	}
	return best;
}

/** Fault-around of Linux since 3.15, if the recording does not state it. */
enum { USUAL_AROUND = 65536, AROUND_PAGES_MAX = 513, ASKED_MIN = 16 };

/** Whether every window of fault-around is in the trace: BPF, since Linux 6.12. */
static bool shows_around(const struct model *model)
{
	unsigned major = 0, minor = 0;

	return model->trace.backend && strcmp(model->trace.backend, "bpf") == 0 &&
	       model->trace.kernel && sscanf(model->trace.kernel, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

/**
 * The window that faults map most often: at the ends of mappings it is smaller, and folios that
 * reach out of it are mapped whole (Linux 6.18). In a cold start without read-ahead each fault
 * brings its own page and no other, however large windows are, but for files that stayed in memory.
 */
static uint64_t around_of(const struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	uint64_t counts[AROUND_PAGES_MAX] = { 0 };
	uint64_t best = 0, asked = 0;

	if (kit->answer->was_cold && model->total.read_pages <= model->total.major * 5 / 4)
		return kit->page_size;
	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t pages = model_around_pages(fault);

		if (!whatif_maps_around(fault))
			continue;
		asked++;
		if (pages > 0 && pages < AROUND_PAGES_MAX)
			counts[pages]++;
	}
	for (uint64_t pages = 1; pages < AROUND_PAGES_MAX; pages++)
		if (counts[pages] > 0 && counts[pages] >= counts[best])
			best = pages;
	if (best > 0)
		return best * kit->page_size;
	// With windows of one page the kernel maps nothing around a fault, and says nothing.
	return asked >= ASKED_MIN && shows_around(model) ? kit->page_size : USUAL_AROUND;
}

static void sum_up(struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	struct whatif_answer *answer = kit->answer;

	answer->before = (struct whatif_sum){
		.faults = model->total.faults,
		.major = model->total.major,
		.read_bytes = model_read_bytes(model, &model->total),
	};
	answer->has_reads = model->trace.has_reads;
	answer->was_cold = model->total.major > 0 && model->total.major * 20 >= model->total.faults;
	// Without the time of faults, none is known of what saves them.
	answer->has_time = model->account && model->account->subject.wall_ns > 0 &&
			   !model->account->faults_in_cpu;
	if (answer->has_time)
		answer->before.duration_ns = model_times_used(&model->account->subject.times);
	answer->around = around_of(kit);
}

// ---- What dynamic linking cost --------------------------------------------------------------

bool whatif_is_linking(enum model_initiator initiator)
{
	return model_initiator_work(initiator) == MODEL_WORK_SYSTEM && initiator != MODEL_EXEC &&
	       initiator != MODEL_TLS_SETUP;
}

static int compare_files(const void *a, const void *b, void *context)
{
	const struct model_object *objects = ((const struct model *)context)->objects;
	const struct whatif_file *x = a, *y = b;

	return ORDER(y->relative + y->cxx + y->other, x->relative + x->cxx + x->other)
		       ?: strcmp(objects[x->object].path, objects[y->object].path);
}

static void count_pages(struct whatif_file *file, const struct model_relocation *relocation)
{
	const unsigned relative = 1 << MODEL_TARGET_SELF, cxx = relative | 1 << MODEL_TARGET_CXX;

	array_foreach (page, relocation->written, relocation->written_count) {
		if ((page->targets & ~relative) == 0)
			file->relative++;
		else if ((page->targets & ~cxx) == 0)
			file->cxx++;
		else
			file->other++;
	}
}

static void count_linking(struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	struct whatif_linking *linking = &kit->answer->linking;
	struct whatif_file *files =
		arena_array(kit->arena, model->object_count + 1, sizeof(*files));
	struct whatif_change cost = { 0 };

	array_foreach (fault, model->faults, model->fault_count)
		if (whatif_is_linking(fault->initiator))
			whatif_drop(&cost, kit, fault);
	for (int i = 0; i < MODEL_INITIATORS; i++)
		cost.cpu_ns += whatif_is_linking(i) ? whatif_cpu(kit, i) : 0;
	linking->sum = (struct whatif_sum){
		.faults = figure_whole(cost.faults),
		.major = cost.major,
		.read_bytes = cost.read_bytes,
		.duration_ns = cost.fault_ns + cost.cpu_ns,
	};
	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_relocation *relocation = model->objects[i].relocation;

		if (!relocation || relocation->written_count == 0)
			continue;
		files[linking->file_count] = (struct whatif_file){ .object = i };
		count_pages(&files[linking->file_count++], relocation);
	}
	if (linking->file_count > 0)
		qsort_r(files, linking->file_count, sizeof(*files), compare_files, (void *)model);
	linking->files = files;
}

// ---- The answer -----------------------------------------------------------------------------

struct whatif_answer *whatif_predict(const struct model *model,
				     const struct whatif_options *options)
{
	static const struct whatif_options all = { 0 };
	struct whatif_answer *answer = xcalloc(1, sizeof(*answer));
	struct whatif_kit kit = {
		.model = model,
		.options = options ? options : &all,
		.answer = answer,
		.arena = &answer->arena,
		.page_size = model_page_size(model),
	};

	CLEANUP(freep) uint32_t *executables = executables_find(model);

	kit.executables = executables;
	answer->program = choose_program(&kit);
	sum_up(&kit);
	count_linking(&kit);
	whatif_relr(&kit);
	whatif_link(&kit);
	if (kit.options->order)
		whatif_order(&kit);
	if (!kit.options->links_only) {
		whatif_around(&kit);
		whatif_huge(&kit);
		whatif_readahead(&kit);
	}
	answer->items = vec_keep_counted(&kit.list, &answer->arena, &answer->count);
	return answer;
}

void whatif_destroy(struct whatif_answer *answer)
{
	if (!answer)
		return;
	arena_deinit(&answer->arena);
	free(answer);
}

const struct whatif *whatif_named(const struct whatif_answer *answer, const char *cure)
{
	array_foreach (row, answer->items, answer->count)
		if (strcmp(row->cure, cure) == 0)
			return row;
	return NULL;
}

const char *whatif_group_name(enum whatif_group group)
{
	static const char *const words[] = {
		[WHATIF_LINK] = "link",
		[WHATIF_SYSTEM] = "system",
		[WHATIF_COLD_START] = "cold-start",
	};

	return words[group];
}
