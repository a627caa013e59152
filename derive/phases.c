// SPDX-License-Identifier: Apache-2.0
#include "derive/phases.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/u64map.h"
#include "derive/lifetime.h"
#include "model/words.def"

#include <stdlib.h>

const char *phase_name(enum phase phase)
{
	static const char *const names[PHASES] = {
		[PHASE_LOAD] = "load",
		[PHASE_RELOCATE] = "relocate",
		[PHASE_INITIALIZE] = "initialize",
		[PHASE_MAIN] = "main",
		[PHASE_EXIT] = "exit",
	};

	return names[phase];
}

#define PHASE_OF(id, word, meaning, color, letter, phase, ...) [MODEL_##id] = PHASE_##phase,

enum phase phase_of_initiator(enum model_initiator initiator)
{
	static const enum phase phases[] = { INITIATOR_WORDS(PHASE_OF) };

	return phases[initiator];
}

/** The cheapest way to have come as far as a fault, by the phase it is in. */
struct step {
	uint8_t from[PHASES]; // the phase of the fault before
};

/** The faults of one program that speak for a phase, and the best phases so far. */
struct search {
	VEC(uint32_t) faults;
	VEC(struct step) steps; // beside faults
	uint64_t costs[PHASES];
};

static void take(struct search *search, uint32_t fault, enum phase phase)
{
	struct step step;
	uint8_t best = 0;

	// Backwards, since each cost rests on those of earlier phases.
	for (int to = PHASES - 1; to >= 0; to--) {
		best = 0;
		for (uint8_t from = 1; from <= to; from++)
			if (search->costs[from] <= search->costs[best])
				best = from;
		step.from[to] = best;
		search->costs[to] = search->costs[best] + (to != (int)phase);
	}
	vec_push(&search->faults, fault);
	vec_push(&search->steps, step);
}

/** The time that phases divide: that of the program, else that of the faults that speak for one. */
static struct range time_of(const struct search *search, const struct model *model,
			    const struct lifetimes *lifetimes, const struct phases *phases)
{
	const uint64_t first = model->faults[search->faults.items[0]].time_ns;
	const uint64_t last = model->faults[search->faults.items[search->faults.count - 1]].time_ns;
	const struct lifetime *program = lifetimes_at(lifetimes, phases->pid, last);

	if (program)
		return (struct range){ program->time.start < first ? program->time.start : first,
				       program->time.end > last ? program->time.end : last };
	// The command's end is the program's where it ran no other.
	return (struct range){ first,
			       model->program_count == 1 ? lifetime_of_command(model).end : last };
}

/** Follow the cheapest way back, and set where each phase begins in @time. */
static void read_back(const struct search *search, const struct model *model, struct range time,
		      struct phases *phases)
{
	unsigned phase = 0, there = 0;
	uint64_t end = time.end;

	for (unsigned i = 1; i < PHASES; i++)
		if (search->costs[i] < search->costs[phase])
			phase = i;
	for (size_t i = search->faults.count; i-- > 0;) {
		struct phase_span *span = &phases->spans[phase];
		uint64_t first =
			i == 0 ? time.start : model->faults[search->faults.items[i]].time_ns;

		if (!span->is_there) {
			*span = (struct phase_span){ true, first, end };
			there++;
		}
		span->first_ns = first;
		unsigned before = search->steps.items[i].from[phase];

		if (before != phase)
			end = first;
		phase = before;
	}
	phases->are_shown = there > 1;
}

static void search_deinit(struct search *search)
{
	vec_deinit(&search->faults);
	vec_deinit(&search->steps);
}

ORDER_OF(compare_uses, program_use,
	 ORDER(x->object, y->object) ?: ORDER(y->faults, x->faults)
		 ?: ORDER(x->program, y->program))

void phases_init(struct program_phases *phases, const struct model *model)
{
	CLEANUP(u64map_deinit) struct u64map numbers = { 0 }; // -> index of the program
	CLEANUP(u64map_deinit) struct u64map uses = { 0 };
	CLEANUP(lifetimes_deinit) struct lifetimes lifetimes;
	VEC(struct search) searches = { 0 }; // beside the programs

	*phases = (struct program_phases){ 0 };
	lifetimes_init(&lifetimes, model);
	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		enum phase phase = phase_of_initiator((enum model_initiator)fault->initiator);
		const struct model_thread *thread = model_thread(model, fault);
		uint32_t program = u64map_row(&numbers, thread->program, &phases->programs,
					      (struct phases){ .pid = thread->pid });

		if (program == searches.count)
			vec_push(&searches, (struct search){ 0 });
		if (phase < PHASES)
			take(&searches.items[program], (uint32_t)i, phase);
		uint32_t use =
			u64map_row(&uses, (uint64_t)fault->at.object << 32 | program, &phases->uses,
				   (struct program_use){ fault->at.object, program, 0 });
		phases->uses.items[use].faults++;
	}
	for (size_t i = 0; i < searches.count; i++) {
		const struct search *search = &searches.items[i];
		struct phases *program = &phases->programs.items[i];

		if (search->faults.count > 0)
			read_back(search, model, time_of(search, model, &lifetimes, program),
				  program);
		search_deinit(&searches.items[i]);
	}
	vec_deinit(&searches);
	vec_sort(&phases->uses, compare_uses);
}

void phases_deinit(struct program_phases *phases)
{
	vec_deinit(&phases->programs);
	vec_deinit(&phases->uses);
}

const struct program_use *phases_uses(const struct program_phases *phases, uint32_t object,
				      size_t *ret_count)
{
	const struct program_use *uses = phases->uses.items;
	size_t low = search_first(phases->uses.count, i, uses[i].object >= object);
	size_t end = low;

	while (end < phases->uses.count && uses[end].object == object)
		end++;
	*ret_count = end - low;
	return uses ? uses + low : NULL;
}

/** The program that faults most, of all objects together. */
static uint32_t busiest_program(const struct program_phases *phases)
{
	CLEANUP(freep) uint64_t *faults = xcalloc(phases->programs.count, sizeof(*faults));
	uint32_t busiest = 0;

	vec_foreach (use, &phases->uses)
		faults[use->program] += use->faults;
	for (uint32_t i = 1; i < phases->programs.count; i++)
		if (faults[i] > faults[busiest])
			busiest = i;
	return busiest;
}

void phases_find(const struct model *model, uint32_t object, struct phases *ret_phases)
{
	CLEANUP(phases_deinit) struct program_phases phases;

	phases_init(&phases, model);
	size_t count = phases.uses.count;
	const struct program_use *uses =
		object == MODEL_NONE ? NULL : phases_uses(&phases, object, &count);

	*ret_phases = (struct phases){ 0 };
	if (count > 0)
		*ret_phases =
			phases.programs.items[uses ? uses->program : busiest_program(&phases)];
}
