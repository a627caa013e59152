// SPDX-License-Identifier: Apache-2.0
// Conditions choose among faults: what is counted here stands for one fault each, which has the
// words that it can have.
#include "budget/parts.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "model/marks.h"
#include "model/storage.h"

#include <string.h>

static const struct model_ip no_ip = { .object = MODEL_NONE, .name = MODEL_NONE };
static const struct model_thread no_thread = { .comm = MODEL_NONE };

static struct model_fault stand_in(enum model_initiator initiator)
{
	return (struct model_fault){
		.at = { .object = MODEL_NONE, .section = MODEL_NONE, .name = MODEL_NONE },
		.by = &no_ip,
		.initiator = (uint8_t)initiator,
		.initializer = MODEL_NONE,
		.blame = MODEL_NONE,
	};
}

/** By stand-in, whether it is chosen; to be freed. */
static bool *choose(const struct model *model, const struct filter *filter,
		    const struct model_fault *faults, size_t count,
		    struct filter_strangers *strangers)
{
	bool *chosen = xcalloc(count + 1, sizeof(*chosen));

	memset(chosen, true, count);
	if (filter)
		filter_choose(filter, model, faults, count, chosen, strangers);
	return chosen;
}

// ---- Time -----------------------------------------------------------------------------------

static uint64_t add_times(const struct model_times *by_initiator, unsigned states,
			  const bool *initiators, struct parts *parts, uint32_t run)
{
	uint64_t sum = 0;

	parts->words[0] = "initiator";
	parts->words[1] = "state";
	parts->word_count = 2;
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		for (enum model_state state = 0; state < MODEL_STATES; state++) {
			uint64_t ns = by_initiator[i].ns[state];

			if (!initiators[i] || !(states >> state & 1) || ns == 0)
				continue;
			sum += ns;
			vec_push(&parts->list, (struct part){ .values = { model_initiator_name(i),
									  model_state_name(state) },
							      .run = run,
							      .value = ns });
		}
	return sum;
}

uint64_t amounts_wall(const struct model_account *account, bool is_of_subject, unsigned states,
		      struct parts *parts, uint32_t run)
{
	const struct model_subject *subject = &account->subject;
	bool all[MODEL_INITIATORS];

	memset(all, true, sizeof(all));
	if (is_of_subject && subject->is_known) {
		add_times(subject->by_initiator, states, all, parts, run);
		return model_times_wall(&subject->times, subject->wall_ns);
	}
	add_times(account->main_by_initiator, states, all, parts, run);
	return model_times_wall(&account->main, account->wall_ns);
}

/** Why the account cannot tell the time in these states; NULL: it can. */
static const char *time_failure(const struct model *model, const struct budget_limit *limit,
				struct arena *arena)
{
	const struct model_account *account = model->account;
	const unsigned of_faults = 1u << MODEL_STATE_CPU | 1u << MODEL_STATE_FAULT |
				   1u << MODEL_STATE_FAULT_IO | 1u << MODEL_STATE_FILE_IO;

	if (!account)
		return arena_printf(arena,
				    "%s has no account of time: an older elfault recorded it; "
				    "record it again",
				    model_trace_file(&model->trace));
	if (limit->metric == BUDGET_WALL)
		return NULL;
	if ((limit->states & of_faults) && model->total.own_ns == 0 && model->total.faults > 0)
		return arena_printf(arena,
				    "%s: the %s backend does not tell computing, faults and "
				    "storage apart; record with --backend bpf",
				    model_trace_file(&model->trace), model->trace.backend);
	// A limit is not held against what only faults around it say.
	if ((limit->states >> MODEL_STATE_CPU & 1) && limit->filter && account->samples == 0)
		return arena_printf(arena,
				    "%s has no samples that divide cpu by initiator; record "
				    "without --cpu off",
				    model_trace_file(&model->trace));
	return NULL;
}

static uint64_t measure_time(const struct model *model, const struct budget_limit *limit,
			     struct filter_strangers *strangers, struct parts *parts, uint32_t run)
{
	const struct model_account *account = model->account;
	struct model_fault faults[MODEL_INITIATORS];
	struct model fields = *model;

	fields.threads = &no_thread;
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		faults[i] = stand_in(i);
	CLEANUP(freep)
	bool *chosen = choose(&fields, limit->filter, faults, MODEL_INITIATORS, strangers);

	return add_times(account->by_initiator, limit->states, chosen, parts, run);
}

// ---- Marks ----------------------------------------------------------------------------------

static uint64_t measure_mark(const struct model *model, const struct budget_limit *limit,
			     struct arena *arena, const char **ret_failure)
{
	const char *file = model_trace_file(&model->trace);
	bool is_known = false;

	array_foreach (mark, model->marks, model->mark_count) {
		if (limit->mark ? strcmp(limit->mark, mark->name) != 0 : !mark->is_end)
			continue;
		is_known = true;
		if (mark->held)
			return mark->since_ns;
	}
	*ret_failure =
		is_known ? arena_printf(arena, "%s: %s did not hold before the recording ended",
					file, limit->mark)
		: limit->mark
			? arena_printf(arena, "%s has no mark %s; record --mark %s=CONDITION", file,
				       limit->mark, limit->mark)
			: arena_printf(arena, "%s does not end at a condition; record --until",
				       file);
	return 0;
}

// ---- Storage --------------------------------------------------------------------------------

/** Parts as faults on sections of objects: also of those that were never mapped. */
struct places {
	VEC(struct model_object) objects;
	VEC(struct model_section) sections;
	VEC(struct model_fault) faults;
};

static void places_deinit(struct places *places)
{
	vec_deinit(&places->objects);
	vec_deinit(&places->sections);
	vec_deinit(&places->faults);
}

static void add_place(struct places *places, const struct model_storage_part *part)
{
	struct model_fault fault = stand_in(part->initiator);

	fault.at.object = part->object;
	if (part->object == MODEL_NONE && part->path) {
		vec_push(&places->objects,
			 (struct model_object){ .path = part->path, .is_file = true });
		fault.at.object = (uint32_t)places->objects.count - 1;
	}
	if (fault.at.object != MODEL_NONE) {
		vec_push(
			&places->sections,
			(struct model_section){ .object = fault.at.object,
						.name = part->section ? part->section : "[file]" });
		fault.at.section = (uint32_t)places->sections.count - 1;
	}
	vec_push(&places->faults, fault);
}

/** The parts, behind the model's own objects and sections: names that nothing was read of. */
static void find_places(const struct model *model, struct places *places)
{
	const struct model_storage *storage = model->storage;

	for (size_t i = 0; i < model->object_count; i++)
		vec_push(&places->objects, model->objects[i]);
	for (size_t i = 0; i < model->section_count; i++)
		vec_push(&places->sections, model->sections[i]);
	for (size_t i = 0; i < storage->part_count; i++)
		add_place(places, &storage->parts[i]);
}

static const char *file_name(const struct places *places, uint32_t object, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	if (object == MODEL_NONE)
		return NULL;
	const struct model_object *row = &places->objects.items[object];

	if (row->soname || row->is_elf)
		return files_name(row);
	homepath_shorten(&path, row->path);
	return arena_strdup(arena, strbuf_text(&path));
}

static uint64_t measure_bytes(const struct model *model, const struct budget_limit *limit,
			      struct filter_strangers *strangers, struct parts *parts, uint32_t run,
			      struct arena *arena)
{
	CLEANUP(places_deinit) struct places places = { 0 };
	struct model fields = *model;
	uint64_t sum = 0;

	find_places(model, &places);
	fields.objects = places.objects.items;
	fields.object_count = places.objects.count;
	fields.sections = places.sections.items;
	fields.section_count = places.sections.count;
	fields.threads = &no_thread;
	CLEANUP(freep)
	bool *chosen =
		choose(&fields, limit->filter, places.faults.items, places.faults.count, strangers);
	parts->words[0] = "initiator";
	parts->words[1] = "object";
	parts->words[2] = "section";
	parts->word_count = 3;
	for (size_t i = 0; i < places.faults.count; i++) {
		const struct model_storage_part *part = &model->storage->parts[i];

		const struct model_place *at = &places.faults.items[i].at;

		// Other processes are not the command.
		if (!chosen[i] || part->cause == MODEL_STORAGE_OTHERS)
			continue;
		sum += part->bytes;
		vec_push(&parts->list,
			 (struct part){
				 .values = { model_initiator_name(part->initiator),
					     file_name(&places, at->object, arena),
					     at->section == MODEL_NONE
						     ? "[metadata]"
						     : places.sections.items[at->section].name },
				 .run = run,
				 .value = part->bytes });
	}
	return sum;
}

uint64_t amounts_measure(const struct model *model, const struct budget_limit *limit,
			 struct filter_strangers *strangers, struct parts *parts, uint32_t run,
			 struct arena *arena, uint64_t *ret_lost, const char **ret_failure)
{
	if (limit->metric == BUDGET_UNTIL)
		return measure_mark(model, limit, arena, ret_failure);
	if (limit->metric != BUDGET_READ_BYTES) {
		*ret_failure = time_failure(model, limit, arena);
		if (*ret_failure)
			return 0;
		if (limit->metric == BUDGET_WALL)
			return amounts_wall(model->account, true, limit->states, parts, run);
		*ret_lost = model->account->pauses_lost;
		return measure_time(model, limit, strangers, parts, run);
	}
	if (!model->storage) {
		*ret_failure =
			arena_printf(arena,
				     "%s has no record of what storage delivered; record with "
				     "--backend bpf, and without --no-storage",
				     model_trace_file(&model->trace));
		return 0;
	}
	*ret_lost = model->storage->lost;
	return measure_bytes(model, limit, strangers, parts, run, arena);
}
