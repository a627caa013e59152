// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/bracket.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "base/u64map.h"
#include "correlate/why/rule.h"

#include <stdlib.h>

/** A fault or a moment, in order of time. */
struct instant {
	const struct model_fault *fault;
	struct bracket *bracket;
	struct bracket shown; // by its own stack
	uint32_t thread;      // into reading.states
	uint32_t base;	      // outermost frame of a stack that goes on elsewhere
	bool tells;	      // whether that says anything: a stay, or that there is none
	bool loads;	      // that the dynamic linker loads, for whomever
	bool calls;	      // the same, or that an initializer runs
	bool is_moment;
};

struct brackets {
	struct bracket *of_faults, *of_moments;
	size_t *main_until; // by program: the last fault before which its main is shown
};

struct reading {
	const struct rows *rows;
	const struct process_program *programs;
	const struct process_code *code;
	size_t code_count;
	const struct contexts *contexts;
	struct roles *roles;
	VEC(struct instant) instants;
	size_t program_count;
	bool *was_in_main; // by program
	bool *are_apart;   // likewise: on a stack of its own, and shows nothing else
	bool *show_makers; // likewise: its first thread's stacks do
	// What each thread is in. A thread has a row for each name that it had.
	VEC(struct bracket) states;
	VEC(bool) are_first;	   // beside them
	VEC(struct range) loads;   // likewise: of the stack that showed such a call
	VEC(bool) are_in_main;	   // likewise: outside it, since nothing else was shown
	VEC(uint32_t) exit_bases;  // likewise: of the stack where the end is shown
	VEC(struct range) exits;   // likewise
	VEC(uint64_t) shown_times; // likewise: when the stay was shown last
	VEC(uint64_t) load_times;  // likewise: that, if the linker was seen to load since
	struct u64map index;	   // of program and tid into these, less 1
};

static const struct bracket nothing = { .initializer = MODEL_NONE, .dlopen = MODEL_DLOPEN_UNKNOWN };
static const struct bracket in_main = { STAY_PROGRAM, MODEL_NONE, MODEL_DLOPEN_UNKNOWN };

/** No call that loads was seen; several were, and it is not known which are left. */
static const struct range no_range = { 0, 0 }, lost_range = { 1, 1 };

static bool is_first_thread(const struct model_thread *thread)
{
	return thread->tid == thread->pid;
}

/** The function that an array names, running before main: its address tells without a stack. */
static bool is_named_initializer(struct reading *reading, const struct model_fault *fault,
				 struct bracket *ret_shown)
{
	const struct model_thread *thread = &reading->rows->threads.items[fault->thread];

	ret_shown->initializer = roles_initializer(reading->roles, fault->by->name);
	if (ret_shown->initializer == MODEL_NONE || !is_first_thread(thread) ||
	    reading->was_in_main[thread->program])
		return false;
	ret_shown->stay = STAY_INITIALIZER;
	return true;
}

/**
 * True if the stack of @fault is one that clone() began: it does not show who made the process.
 * musl's dynamic linker has stacks that look alike, at the start.
 */
static bool begins_apart(const struct reading *reading, const struct model_fault *fault)
{
	const struct model_thread *thread = &reading->rows->threads.items[fault->thread];
	const struct context *context =
		fault->stack == MODEL_NONE ? NULL : contexts_of(reading->contexts, fault->stack);

	return context && context->rule && context->is_complete && is_first_thread(thread) &&
	       (context->rule->of_threads || context->rule->before_entry);
}

/** Read what the instant's own stack shows. */
static void read_shown(struct reading *reading, struct instant *instant)
{
	const struct model_fault *fault = instant->fault;
	const struct model_thread *thread = &reading->rows->threads.items[fault->thread];
	const struct model_initializer *initializers = reading->rows->initializers.items;
	struct bracket *shown = &instant->shown;

	*shown = nothing;
	instant->tells = true;
	instant->base = MODEL_NONE;
	if (fault->stack == MODEL_NONE) {
		instant->tells = is_named_initializer(reading, fault, shown);
		return;
	}
	if (begins_apart(reading, fault)) {
		reading->are_apart[thread->program] = true;
		instant->tells = false;
		return;
	}

	const struct context *context = contexts_of(reading->contexts, fault->stack);
	const struct model_stack *stack = &reading->rows->stacks.items[fault->stack];

	if (stack->is_elsewhere)
		instant->base = stack->frames[stack->frame_count - 1]->id;
	if (context->is_in_main)
		reading->was_in_main[thread->program] = true;
	if (context->is_in_exit) {
		shown->stay = STAY_EXIT;
	} else if (context->initializer_frame < stack->frame_count) {
		// Go's packages and the modules of other languages run in no call of the linker's.
		instant->calls = context->initializer == MODEL_NONE ||
				 !initializers[context->initializer].package;
		if (context->initializer != MODEL_NONE && !context->is_nested)
			*shown = (struct bracket){ STAY_INITIALIZER, context->initializer,
						   context->dlopen };
	} else if (context->dlopen == MODEL_DLOPEN_YES) {
		instant->loads = true;
	} else if (context->initiator == MODEL_STATIC_INIT && context->is_complete &&
		   !context->is_in_main) {
		shown->stay = STAY_INITIALIZER; // one without a name, as Go's
		shown->dlopen = MODEL_DLOPEN_NO;
	} else if (context->is_in_main || (context->is_complete && !is_first_thread(thread) &&
					   context->initiator == MODEL_PROGRAM)) {
		shown->stay = STAY_PROGRAM;
	} else {
		// The dynamic linker loads where it is not known for whom: initializers may follow.
		// A stack that goes on elsewhere shows all that called it there.
		instant->loads = context->initiator == MODEL_LOADER && !stack->is_elsewhere;
		instant->tells = (context->is_complete && !context->is_behind_gap) ||
				 instant->loads || is_named_initializer(reading, fault, shown);
	}
	instant->calls = instant->calls || instant->loads;
	if (is_first_thread(thread) &&
	    (shown->stay == STAY_PROGRAM || shown->stay == STAY_INITIALIZER))
		reading->show_makers[thread->program] = true;
}

static uint32_t thread_of(struct reading *reading, const struct model_fault *fault)
{
	const struct model_thread *thread = &reading->rows->threads.items[fault->thread];
	uint32_t *row =
		u64map_put(&reading->index, (uint64_t)thread->program << 32 | thread->tid, NULL);

	if (!*row) {
		vec_push(&reading->states, nothing);
		vec_push(&reading->are_first, is_first_thread(thread));
		vec_push(&reading->loads, no_range);
		vec_push(&reading->are_in_main, false);
		vec_push(&reading->exit_bases, MODEL_NONE);
		vec_push(&reading->exits, (struct range){ 0 });
		vec_push(&reading->shown_times, 0);
		vec_push(&reading->load_times, UINT64_MAX);
		*row = (uint32_t)reading->states.count; // threads
	}
	return *row - 1;
}

static void add_instant(struct reading *reading, const struct model_fault *fault,
			struct bracket *bracket, bool is_moment)
{
	vec_push(&reading->instants, (struct instant){ .fault = fault,
						       .bracket = bracket,
						       .thread = thread_of(reading, fault),
						       .is_moment = is_moment });
}

/** Put faults and moments in order of time: a moment is behind the faults that it counts. */
static void list_instants(struct reading *reading, struct brackets *brackets,
			  const struct all_faults *faults, const struct all_moments *moments)
{
	size_t moment = 0;

	vec_reserve(&reading->instants, faults->list.count + moments->list.count);
	for (size_t i = 0; i <= faults->list.count; i++) {
		for (; moment < moments->list.count &&
		       (i == faults->list.count || moments->sources.items[moment].fault_count <= i);
		     moment++)
			add_instant(reading, &moments->list.items[moment],
				    &brackets->of_moments[moment], true);
		if (i < faults->list.count)
			add_instant(reading, &faults->list.items[i], &brackets->of_faults[i],
				    false);
	}
}

/** Begin before, or behind, all that the stacks of a thread show. */
static void reset_states(struct reading *reading)
{
	for (size_t i = 0; i < reading->states.count; i++) {
		reading->states.items[i] = nothing;
		reading->loads.items[i] = no_range;
		reading->are_in_main.items[i] = false;
		if (!reading->are_first.items[i])
			reading->states.items[i].stay = STAY_PROGRAM;
	}
}

/** The part of @instant's stack that is shown outside of exit() and the dynamic linker. */
static struct range shown_of(const struct reading *reading, const struct instant *instant)
{
	const uint32_t stack = instant->fault->stack;

	return stack == MODEL_NONE ? (struct range){ 0 } : reading->rows->stacks.items[stack].shown;
}

/** Tell whether @instant is before the exit that its stack went on to, or that called from it. */
static bool is_before_exit(const struct reading *reading, const struct instant *instant)
{
	if (instant->bracket->stay != STAY_PROGRAM)
		return false;
	return (instant->base != MODEL_NONE &&
		instant->base == reading->exit_bases.items[instant->thread]) ||
	       range_overlaps(shown_of(reading, instant), reading->exits.items[instant->thread]);
}

static bool is_same(const struct bracket *a, const struct bracket *b)
{
	return a->stay == b->stay && a->initializer == b->initializer;
}

/** True if @program mapped code from @from_ns to @to_ns. */
static bool maps_code(const struct reading *reading, uint32_t program, uint64_t from_ns,
		      uint64_t to_ns)
{
	const struct process_code *code = reading->code;
	size_t at = search_first(reading->code_count, i, code[i].time_ns >= from_ns);

	for (; at < reading->code_count && code[at].time_ns <= to_ns; at++)
		if (code[at].program == program)
			return true;
	return false;
}

/**
 * A stay outlasts that the linker is seen to load for as long as no code has been mapped since it
 * was shown: a dlopen() that finds nothing, or what is there, runs no initializers.
 */
static void outlast_loading(struct reading *reading, struct instant *instant, struct bracket *state)
{
	const uint32_t program = reading->rows->threads.items[instant->fault->thread].program;
	uint64_t *since_ns = &reading->load_times.items[instant->thread];

	if (instant->loads && *since_ns == UINT64_MAX && state->stay != STAY_UNKNOWN)
		*since_ns = reading->shown_times.items[instant->thread];
	if (*since_ns == UINT64_MAX || state->stay == STAY_EXIT)
		return;
	if (!maps_code(reading, program, *since_ns, instant->fault->time_ns)) {
		instant->tells = instant->tells && !instant->loads;
		return;
	}
	reading->are_in_main.items[instant->thread] = state->stay == STAY_PROGRAM;
	*state = nothing;
	*since_ns = UINT64_MAX;
}

/** Let @instant, whose stack tells, replace what the thread is in. */
static void enter(struct reading *reading, const struct instant *instant, struct bracket *state)
{
	bool *is_in_main = &reading->are_in_main.items[instant->thread];

	*is_in_main = instant->calls && (*is_in_main || state->stay == STAY_PROGRAM);
	if (!instant->calls)
		reading->loads.items[instant->thread] = no_range;
	*state = instant->shown;
}

/**
 * A call that loads, in main, is over, or going back has not begun, where the stack outside it is
 * shown without the call.
 */
static void leave_loading(struct reading *reading, const struct instant *instant,
			  struct bracket *state)
{
	struct range *loads = &reading->loads.items[instant->thread];
	const struct range shown = shown_of(reading, instant);
	bool *is_in_main = &reading->are_in_main.items[instant->thread];

	if (instant->calls) {
		// Of two that overlap the first is over. Others may be within each other.
		if (shown.end && (!loads->end || range_overlaps(*loads, shown)))
			*loads = shown;
		else
			*loads = lost_range;
	} else if (*is_in_main && range_overlaps(*loads, shown)) {
		*state = in_main;
		*is_in_main = false;
		*loads = no_range;
		reading->shown_times.items[instant->thread] = instant->fault->time_ns;
	}
}

static void go_forward(struct reading *reading)
{
	reset_states(reading);
	vec_foreach (instant, &reading->instants) {
		struct bracket *state = &reading->states.items[instant->thread];

		read_shown(reading, instant);
		outlast_loading(reading, instant, state);
		if (state->stay != STAY_EXIT && instant->tells) {
			enter(reading, instant, state);
			reading->shown_times.items[instant->thread] = instant->fault->time_ns;
			reading->load_times.items[instant->thread] = UINT64_MAX;
		}
		if (state->stay != STAY_EXIT)
			leave_loading(reading, instant, state);
		*instant->bracket = *state;
	}
}

/** True if all initializers of one file run from @a to @b, or all its packages or modules. */
static bool is_one_run(const struct reading *reading, const struct bracket *a,
		       const struct bracket *b)
{
	const struct model_initializer *initializers = reading->rows->initializers.items;

	if (a->stay != STAY_INITIALIZER || b->stay != STAY_INITIALIZER)
		return false;
	// Go's runtime before the first package that works, or between two.
	if (a->initializer == MODEL_NONE || b->initializer == MODEL_NONE) {
		const uint32_t named =
			a->initializer == MODEL_NONE ? b->initializer : a->initializer;

		return named != MODEL_NONE && initializers[named].package;
	}
	return initializers[a->initializer].object == initializers[b->initializer].object &&
	       !initializers[a->initializer].package == !initializers[b->initializer].package;
}

/**
 * Return what lies between @before and @behind, which differ: all initializers of a file run before
 * anything else does, and so do all packages or modules.
 */
static struct bracket between(const struct reading *reading, const struct bracket *before,
			      const struct bracket *behind)
{
	struct bracket bracket = nothing;

	if (!is_one_run(reading, before, behind))
		return bracket;
	bracket.stay = STAY_INITIALIZER;
	if (before->dlopen == behind->dlopen)
		bracket.dlopen = before->dlopen;
	return bracket;
}

static void go_back(struct reading *reading)
{
	reset_states(reading);
	for (size_t i = reading->instants.count; i-- > 0;) {
		const struct instant *instant = &reading->instants.items[i];
		struct bracket *state = &reading->states.items[instant->thread];

		if (instant->tells) {
			const bool ends = instant->shown.stay == STAY_EXIT;

			enter(reading, instant, state);
			reading->exit_bases.items[instant->thread] =
				ends ? instant->base : MODEL_NONE;
			reading->exits.items[instant->thread] =
				ends ? shown_of(reading, instant) : no_range;
		}
		leave_loading(reading, instant, state);
		if (is_before_exit(reading, instant))
			*state = *instant->bracket;
		if (instant->bracket->stay != STAY_EXIT && !is_same(state, instant->bracket))
			*instant->bracket = between(reading, instant->bracket, state);
		else if (instant->bracket->dlopen == MODEL_DLOPEN_UNKNOWN)
			instant->bracket->dlopen = state->dlopen;
	}
}

/** The call that the maker of @program is in at the instant that is being read. */
static struct bracket state_of_maker(const struct reading *reading, size_t program)
{
	const struct process_program *made = &reading->programs[program];
	const uint32_t *row =
		u64map_get(&reading->index, (uint64_t)made->parent << 32 | made->fork_tid);

	if (row)
		return reading->states.items[*row - 1];
	return made->fork_tid == reading->programs[made->parent].row.pid ? nothing : in_main;
}

/** Note in @made what the maker of @program is in at this instant: the last before it was made. */
static void read_before(const struct reading *reading, size_t program, struct bracket *made)
{
	if (reading->programs[program].parent != UINT32_MAX)
		made[program] = state_of_maker(reading, program);
	else
		made[program] = reading->programs[program].is_attached ? in_main : nothing;
}

/** The same, behind which it was: that is what it was made in, if both are of one call. */
static void read_behind(const struct reading *reading, size_t program, struct bracket *made)
{
	if (reading->programs[program].parent == UINT32_MAX || made[program].stay == STAY_EXIT)
		return;
	const struct bracket behind = state_of_maker(reading, program);

	if (!is_same(&made[program], &behind))
		made[program] = between(reading, &made[program], &behind);
	else if (made[program].dlopen == MODEL_DLOPEN_UNKNOWN)
		made[program].dlopen = behind.dlopen;
}

/** Fill @made, by program, with what the makers of processes were in as they made them. */
static void find_makers(struct reading *reading, struct bracket *made)
{
	const struct process_program *programs = reading->programs;
	const size_t count = reading->program_count;
	size_t next = 0;

	reset_states(reading);
	vec_foreach (instant, &reading->instants) {
		for (; next < count && programs[next].fork_ns <= instant->fault->time_ns; next++)
			read_before(reading, next, made);
		reading->states.items[instant->thread] = *instant->bracket;
	}
	for (; next < count; next++)
		read_before(reading, next, made);
	reset_states(reading);
	for (size_t i = reading->instants.count; i-- > 0;) {
		const struct instant *instant = &reading->instants.items[i];

		// Those that an exec began have no time.
		for (; next > 0 && (programs[next - 1].parent == UINT32_MAX ||
				    programs[next - 1].fork_ns > instant->fault->time_ns);
		     next--)
			read_behind(reading, next - 1, made);
		reading->states.items[instant->thread] = *instant->bracket;
	}
	for (; next > 0; next--)
		read_behind(reading, next - 1, made);
}

static bool is_apart(const struct reading *reading, uint32_t program)
{
	return reading->are_apart[program] && !reading->show_makers[program];
}

/**
 * A process whose stacks do not show who made it, by clone() on a stack of its own, goes on with
 * what its maker was at; so does any that is made at the end, as that is never over.
 */
static void inherit(struct reading *reading)
{
	CLEANUP(freep)
	struct bracket *made = xcalloc(reading->program_count, sizeof(*made));

	find_makers(reading, made);
	for (size_t i = 0; i < reading->program_count; i++) {
		const uint32_t parent = reading->programs[i].parent;

		if (parent != UINT32_MAX && made[i].stay == STAY_UNKNOWN &&
		    is_apart(reading, parent))
			made[i] = made[parent];
	}
	vec_foreach (instant, &reading->instants) {
		const struct model_thread *thread =
			&reading->rows->threads.items[instant->fault->thread];
		const struct bracket *maker = &made[thread->program];

		if (instant->bracket->stay != STAY_UNKNOWN || !is_first_thread(thread))
			continue;
		if (maker->stay == STAY_EXIT ||
		    (is_apart(reading, thread->program) && begins_apart(reading, instant->fault)))
			*instant->bracket = *maker;
	}
}

/** Note up to which fault each program's first thread is shown to be in main. */
static void find_ends(const struct reading *reading, struct brackets *brackets)
{
	size_t fault = 0;

	vec_foreach (instant, &reading->instants) {
		const struct model_thread *thread =
			&reading->rows->threads.items[instant->fault->thread];

		fault += !instant->is_moment;
		if (instant->shown.stay == STAY_PROGRAM && is_first_thread(thread))
			brackets->main_until[thread->program] = fault;
	}
}

struct brackets *brackets_read(const struct rows *rows, const struct processes *processes,
			       const struct contexts *contexts, struct roles *roles,
			       const struct all_faults *faults, const struct all_moments *moments)
{
	struct brackets *brackets = xcalloc(1, sizeof(*brackets));
	size_t program_count, code_count;
	const struct process_program *programs = processes_programs(processes, &program_count);
	const struct process_code *code = processes_code(processes, &code_count);

	brackets->of_faults = xcalloc(faults->list.count + 1, sizeof(struct bracket));
	brackets->of_moments = xcalloc(moments->list.count + 1, sizeof(struct bracket));
	brackets->main_until = xcalloc(program_count, sizeof(size_t));

	CLEANUP(freep) bool *was_in_main = xcalloc(program_count, sizeof(bool));
	CLEANUP(freep) bool *are_apart = xcalloc(program_count, sizeof(bool));
	CLEANUP(freep) bool *show_makers = xcalloc(program_count, sizeof(bool));
	struct reading reading = {
		.rows = rows,
		.programs = programs,
		.code = code,
		.code_count = code_count,
		.contexts = contexts,
		.roles = roles,
		.program_count = program_count,
		.was_in_main = was_in_main,
		.are_apart = are_apart,
		.show_makers = show_makers,
	};

	list_instants(&reading, brackets, faults, moments);
	go_forward(&reading);
	go_back(&reading);
	inherit(&reading);
	find_ends(&reading, brackets);
	vec_deinit(&reading.instants);
	vec_deinit(&reading.states);
	vec_deinit(&reading.are_first);
	vec_deinit(&reading.loads);
	vec_deinit(&reading.are_in_main);
	vec_deinit(&reading.exit_bases);
	vec_deinit(&reading.exits);
	vec_deinit(&reading.shown_times);
	vec_deinit(&reading.load_times);
	u64map_deinit(&reading.index);
	return brackets;
}

void brackets_destroy(struct brackets *brackets)
{
	if (!brackets)
		return;
	free(brackets->of_faults);
	free(brackets->of_moments);
	free(brackets->main_until);
	free(brackets);
}

const struct bracket *brackets_of_fault(const struct brackets *brackets, size_t index)
{
	return &brackets->of_faults[index];
}

const struct bracket *brackets_of_moment(const struct brackets *brackets, size_t index)
{
	return &brackets->of_moments[index];
}

bool brackets_has_main_behind(const struct brackets *brackets, uint32_t program, size_t fault)
{
	return fault < brackets->main_until[program];
}
