// SPDX-License-Identifier: Apache-2.0
#include "derive/phases.h"

#include "base/u64map.h"
#include "base/vec.h"
#include "model/words.def"

#include <string.h>

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

/** Numbers the programs that each process runs, fault by fault. */
struct programs {
	struct u64map by_pid; // twice the number of the last one, and 1 if exec was at work last
};

/** The program that @fault is of: its pid and number. Faults come in time order. */
static uint64_t program_of(struct programs *programs, const struct model_fault *fault)
{
	uint32_t *state = u64map_put(&programs->by_pid, fault->pid, NULL);
	bool is_exec = fault->initiator == MODEL_EXEC, was_exec = *state & 1;
	uint32_t number = *state / 2 + (is_exec && !was_exec);

	*state = 2 * number + is_exec;
	return (uint64_t)number << 32 | fault->pid;
}

/** The program that faulted most in @object; false if none did. */
static bool find_program(const struct model *model, uint32_t object, uint64_t *ret_program)
{
	struct programs programs = { 0 };
	struct u64map counts = { 0 };
	uint32_t most = 0;

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		uint64_t program = program_of(&programs, fault);

		if (object != MODEL_NONE && fault->at_object != object)
			continue;
		uint32_t count = ++*u64map_put(&counts, program, NULL);

		if (count > most) {
			most = count;
			*ret_program = program;
		}
	}
	u64map_deinit(&counts);
	u64map_deinit(&programs.by_pid);
	return most > 0;
}

/** The cheapest way to have come as far as a fault, by the phase it is in. */
struct step {
	uint8_t from[PHASES]; // the phase of the fault before
};

/** The faults of one process that speak for a phase, and the best phases so far. */
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

/** Follow the cheapest way back, and set where each phase begins. */
static void read_back(const struct search *search, const struct model *model, struct phases *phases)
{
	unsigned phase = 0;

	for (unsigned i = 1; i < PHASES; i++)
		if (search->costs[i] < search->costs[phase])
			phase = i;
	uint64_t end = model->faults[search->faults.items[search->faults.count - 1]].time_ns;

	for (size_t i = search->faults.count; i-- > 0;) {
		struct phase_span *span = &phases->spans[phase];
		uint64_t time = model->faults[search->faults.items[i]].time_ns;

		if (!span->is_there)
			*span = (struct phase_span){ true, time, end };
		span->first_ns = time;
		unsigned before = search->steps.items[i].from[phase];

		if (before != phase)
			end = time;
		phase = before;
	}
}

void phases_find(const struct model *model, uint32_t object, struct phases *ret_phases)
{
	struct programs programs = { 0 };
	struct search search = { 0 };
	uint64_t program;
	unsigned there = 0;

	*ret_phases = (struct phases){ 0 };
	if (!find_program(model, object, &program))
		return;
	ret_phases->pid = (uint32_t)program;
	for (size_t i = 0; i < model->fault_count; i++) {
		enum phase phase =
			phase_of_initiator((enum model_initiator)model->faults[i].initiator);

		if (program_of(&programs, &model->faults[i]) == program && phase < PHASES)
			take(&search, (uint32_t)i, phase);
	}
	if (search.faults.count > 0)
		read_back(&search, model, ret_phases);
	for (unsigned i = 0; i < PHASES; i++)
		there += ret_phases->spans[i].is_there;
	ret_phases->are_shown = there > 1;
	u64map_deinit(&programs.by_pid);
	vec_deinit(&search.faults);
	vec_deinit(&search.steps);
}
