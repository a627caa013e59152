// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/initiator.h"

#include "base/cleanup.h"
#include "correlate/why/bracket.h"
#include "correlate/why/context.h"
#include "correlate/why/linking.h"
#include "correlate/why/loader.h"
#include "correlate/why/role.h"
#include "correlate/why/rule.h"
#include "correlate/why/touch.h"
#include "machine/disassembler.h"

#include <stdlib.h>

/** Everything that decisions need; released together. */
struct initiators {
	const struct rows *rows;
	const struct process_program *programs;
	size_t program_count;
	enum part *parts;
	struct roles *roles;
	struct contexts *contexts;
	struct touches *touches;
	struct linking *linking;
	struct brackets *brackets;
	struct phase *phases; // by program
	bool *has_phase;      // beside phases
	size_t *start_until;  // by program; see find_starts()
	uint8_t *touch;	      // enum touch, by fault
};

static void initiators_deinit(struct initiators *initiators)
{
	free(initiators->touch);
	free(initiators->has_phase);
	free(initiators->start_until);
	free(initiators->phases);
	brackets_destroy(initiators->brackets);
	linking_destroy(initiators->linking);
	touches_destroy(initiators->touches);
	contexts_destroy(initiators->contexts);
	roles_destroy(initiators->roles);
	free(initiators->parts);
}

/** The phase of a program; one that was forked starts where its parent is at its first fault. */
static struct phase *phase_of(struct initiators *initiators, uint32_t program)
{
	uint32_t at = program;

	while (!initiators->has_phase[at] && initiators->programs[at].parent != UINT32_MAX)
		at = initiators->programs[at].parent;
	if (!initiators->has_phase[at]) {
		bool runs_already = initiators->programs[at].is_attached;

		initiators->phases[at] = (struct phase){ .has_entered = runs_already,
							 .has_left_loader = runs_already };
		initiators->has_phase[at] = true;
	}
	if (at != program) {
		initiators->phases[program] = initiators->phases[at];
		initiators->has_phase[program] = true;
	}
	return &initiators->phases[program];
}

/** Advance the phase of the program by what the fault shows. */
static void advance(struct initiators *initiators, struct phase *phase,
		    const struct model_fault *fault, const struct context *context)
{
	uint32_t roles = roles_of(initiators->roles, fault->by->name);

	if (context && context->is_in_main)
		phase->was_in_main = true;
	if (context && context->has_entered)
		phase->has_entered = true;
	if (context && context->builds_tls)
		phase->has_built_tls = true;
	if (fault->by->name != MODEL_NONE && !(roles & (ROLE_LOADER | ROLE_RESOLVER)))
		phase->has_left_loader = true;
	if (context && context->is_complete)
		return;
	// Before, the dynamic linker runs nothing of the program but resolvers and .preinit_array.
	if ((roles & ROLE_PROGRAM) && !(roles & (ROLE_RESOLVER | ROLE_INITIALIZER)))
		phase->has_entered = true;
	if (roles & ROLE_MAIN)
		phase->was_in_main = true;
}

/**
 * Up to which fault each program is known not to have come to main: the last one on whose stack its
 * start has not called main, before the first on whose stack it has.
 */
static void find_starts(struct initiators *initiators, const struct all_faults *faults)
{
	// SIZE_MAX: it has come to main
	CLEANUP(freep) size_t *last = xcalloc(initiators->program_count, sizeof(*last));

	for (size_t i = 0; i < faults->list.count; i++) {
		const struct model_fault *fault = &faults->list.items[i];
		uint32_t program = initiators->rows->threads.items[fault->thread].program;

		if (fault->stack == MODEL_NONE || last[program] == SIZE_MAX)
			continue;
		const struct context *context = contexts_of(initiators->contexts, fault->stack);
		if (context->is_in_main)
			last[program] = SIZE_MAX;
		else if (context->initiator == MODEL_STARTUP)
			initiators->start_until[program] = i;
	}
}

/** True if @rule, of an unknown initiator, held since no disassembler could tell a write. */
static bool is_told_by_access(const struct rule_case *asked, const struct rule *rule)
{
	struct model_fault write = *asked->fault;
	struct rule_case other = *asked;

	if (rule->initiator != MODEL_INITIATOR_UNKNOWN || write.access != MODEL_ACCESS_UNKNOWN ||
	    !disassembler_missing())
		return false;
	write.access = MODEL_ACCESS_WRITE;
	other.fault = &write;
	return rules_of_fault(&other)->initiator != MODEL_INITIATOR_UNKNOWN;
}

/**
 * Fill what the bracket says of the initializer that @fault is in: the same as its stack where that
 * says anything.
 */
static void fill_initializer(const struct rows *rows, struct model_fault *fault,
			     const struct bracket *bracket)
{
	if (fault->initiator != MODEL_STATIC_INIT || bracket->stay != STAY_INITIALIZER ||
	    bracket->initializer == MODEL_NONE)
		return;
	fault->initializer = bracket->initializer;
	fault->init_object = rows->initializers.items[bracket->initializer].object;
	if (bracket->dlopen != MODEL_DLOPEN_UNKNOWN)
		fault->dlopen = bracket->dlopen & 3;
}

/** @index: of @fault among all, or of the fault behind a moment. */
static void decide(struct initiators *initiators, struct model_fault *fault, enum touch touch,
		   const struct bracket *bracket, bool is_moment, size_t index)
{
	const struct context *context =
		fault->stack == MODEL_NONE ? NULL : contexts_of(initiators->contexts, fault->stack);
	uint32_t program = initiators->rows->threads.items[fault->thread].program;
	struct phase *phase = phase_of(initiators, program);

	if (!is_moment)
		advance(initiators, phase, fault, context);
	const struct rule_case asked = {
		.rows = initiators->rows,
		.linking = initiators->linking,
		.phase = phase,
		.fault = fault,
		.context = context,
		.touch = touch,
		.bracket = bracket,
		.is_before_main = index < initiators->start_until[program],
		.has_main_behind = brackets_has_main_behind(initiators->brackets, program, index),
		.roles = roles_of(initiators->roles, fault->by->name),
	};
	const struct rule *rule = rules_of_fault(&asked);
	// What the place alone shows is as certain as a stack that shows the same.
	bool agrees =
		rule->certainty == MODEL_RULE && context && context->initiator == rule->initiator;
	// The model's fields hold small enums.
	fault->initiator = (uint8_t)rule->initiator;
	fault->is_unread = !is_moment && is_told_by_access(&asked, rule);
	fault->certainty = (agrees ? MODEL_STACK : rule->certainty) & 3;
	if (rule->of == OF_FRAMES && context && context->is_behind_gap)
		fault->certainty = MODEL_RULE;
	bool is_exec = !fault->has_ip && !fault->is_ip_unknown;

	fault->dlopen = (is_exec   ? MODEL_DLOPEN_NO
			 : context ? context->dlopen
				   : MODEL_DLOPEN_UNKNOWN) &
			3;
	if (context) {
		fault->initializer = context->initializer;
		fault->init_object = context->init_object;
	}
	fill_initializer(initiators->rows, fault, bracket);
}

/** By stack, the initializer that all its faults are in; MODEL_NONE where there is none. */
static uint32_t *find_by_stack(const struct all_faults *faults, size_t stack_count, bool *is_seen)
{
	uint32_t *by_stack = xcalloc(stack_count + 1, sizeof(*by_stack));

	vec_foreach (fault, &faults->list) {
		if (fault->stack == MODEL_NONE)
			continue;
		if (is_seen[fault->stack] && by_stack[fault->stack] != fault->initializer)
			by_stack[fault->stack] = MODEL_NONE;
		else
			by_stack[fault->stack] = fault->initializer;
		is_seen[fault->stack] = true;
	}
	return by_stack;
}

/** List where on the stacks initializers run, also those that run others by dlopen. */
static void list_runs(struct initiators *initiators, const struct all_faults *faults,
		      struct init_runs *runs)
{
	const struct rows *rows = initiators->rows;
	bool *is_seen = xcalloc(rows->stacks.count + 1, sizeof(*is_seen));
	CLEANUP(freep) uint32_t *by_stack = find_by_stack(faults, rows->stacks.count, is_seen);

	runs->is_of_fault = is_seen;

	for (size_t i = 0; i < rows->stacks.count; i++) {
		uint32_t stack = (uint32_t)i; // model_fault.stack is 32 bits wide
		const struct context *context = contexts_of(initiators->contexts, stack);
		uint32_t initializer = by_stack[i], frame = context->initializer_frame;

		if (!is_seen[i])
			continue;
		while (frame < rows->stacks.items[i].frame_count) {
			vec_push(&runs->list, (struct init_run){ stack, frame, initializer });
			initializer = contexts_initializer(initiators->contexts, stack, frame + 1,
							   &frame);
		}
	}
}

/** In order of time: a moment is asked about when all faults before it have been. */
static void decide_all(struct initiators *initiators, struct all_faults *faults,
		       struct all_moments *moments)
{
	size_t moment = 0, count = faults->list.count;

	for (size_t i = 0; i <= count; i++) {
		for (; moment < moments->list.count &&
		       (i == count || moments->sources.items[moment].fault_count <= i);
		     moment++)
			decide(initiators, &moments->list.items[moment], TOUCH_OTHER,
			       brackets_of_moment(initiators->brackets, moment), true, i);
		if (i < count)
			decide(initiators, &faults->list.items[i], (enum touch)initiators->touch[i],
			       brackets_of_fault(initiators->brackets, i), false, i);
	}
}

void initiators_decide(const struct rows *rows, const struct processes *processes,
		       struct all_faults *faults, struct all_moments *moments,
		       struct init_runs *ret_runs)
{
	CLEANUP(initiators_deinit) struct initiators initiators = { .rows = rows };
	size_t count = faults->list.count;

	initiators.programs = processes_programs(processes, &initiators.program_count);
	initiators.parts = loader_find_parts(rows->objects, processes);
	initiators.roles = roles_create(rows, initiators.parts);
	roles_learn_threads(initiators.roles, initiators.programs, faults);
	initiators.contexts = contexts_create(rows, initiators.roles);
	initiators.touches =
		touches_create(rows->objects, rows->sections.items, rows->symbol_sources.items);
	initiators.touch = xcalloc(count, sizeof(*initiators.touch));
	for (size_t i = 0; i < count; i++)
		initiators.touch[i] =
			(uint8_t)touches_of(initiators.touches, &faults->list.items[i]);
	initiators.linking =
		linking_learn(rows, initiators.roles, contexts_list(initiators.contexts), faults,
			      initiators.touch);
	initiators.brackets = brackets_read(rows, processes, initiators.contexts, initiators.roles,
					    faults, moments);
	initiators.start_until = xcalloc(initiators.program_count, sizeof(*initiators.start_until));
	find_starts(&initiators, faults);
	initiators.phases = xcalloc(initiators.program_count, sizeof(*initiators.phases));
	initiators.has_phase = xcalloc(initiators.program_count, sizeof(*initiators.has_phase));
	decide_all(&initiators, faults, moments);
	*ret_runs = (struct init_runs){ 0 };
	initorder_name(rows, initiators.contexts, faults);
	list_runs(&initiators, faults, ret_runs);
}
