// SPDX-License-Identifier: Apache-2.0
// Measurements of models for each subject of a budget.
#include "budget/budget.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/median.h"
#include "base/runnotes.h"
#include "base/strbuf.h"
#include "base/symbolname.h"
#include "budget/parts.h"
#include "model/missing.h"
#include "model/pivot.h"
#include "model/shown.h"

#include <string.h>

// What a baseline keeps of a limit: noise has most rows, and files are to be read in a review. Of
// initializers each counts one, so that only the list of all says which is new.
enum { ROWS_MAX = 200, INITIALIZERS_MAX = 5000 };

typedef VEC(uint64_t) run_values;

/** One subject. */
struct entry {
	const struct budget_limit *limit; // the first that is on it
	run_values runs;
	const char *failure;
	uint64_t lost; // of the run that lost most
	struct parts parts[BUDGET_TABLES];
	struct strangers strangers;
};

/** The program whose wall time is judged: the account's subject, if that is one in all runs. */
struct judged {
	const char *subject, *command; // their names in the first run; NULL: unknown
	bool is_other, is_one;
	run_values command_runs; // what the command took
	struct parts command_parts;
};

struct budget_meter {
	struct budget_measures *measures;
	struct judged judged;
	bool other_builds;
	VEC(struct entry) entries;
	uint32_t run_count;
	struct runnotes run_notes;
};

struct budget_meter *budget_meter_create(const struct budget *budget, bool other_builds)
{
	struct budget_meter *meter = xcalloc(1, sizeof(*meter));

	meter->measures = xcalloc(1, sizeof(*meter->measures));
	meter->measures->complete = true;
	meter->other_builds = other_builds;
	vec_foreach (limit, &budget->limits) {
		bool is_known = false;

		vec_foreach (entry, &meter->entries)
			is_known |= strcmp(entry->limit->subject, limit->subject) == 0;
		if (!is_known)
			vec_push(&meter->entries, (struct entry){ .limit = limit });
	}
	return meter;
}

// ---- Rows -----------------------------------------------------------------------------------

/** Fields to break faults down by, except those that the conditions restrict to one value. */
static struct pivot_fields fields_of(const struct filter *filter, const char *const *words,
				     size_t count)
{
	struct pivot_fields fields = { 0 };

	for (size_t i = 0; i < count; i++)
		if (!filter || !filter_pinned(filter, words[i]))
			fields.items[fields.count++] =
				field_find(words[i], strlen(words[i]), &(struct err){ 0 });
	return fields;
}

/** Causes first; then who it was: an initializer, a symbol that was touched, or a function. */
static struct pivot_fields table_fields(const struct filter *filter, size_t table)
{
	static const char *const causes[] = { "initiator", "object", "section" };
	static const char *const initializers[] = { "init_object", "initializer" };
	static const char *const symbols[] = { "object", "symbol" };
	static const char *const functions[] = { "by_object", "function" };
	const char *initiator = filter ? filter_pinned(filter, "initiator") : NULL;

	if (table == 0)
		return fields_of(filter, causes, 3);
	if (initiator && (strcmp(initiator, "static-init") == 0))
		return fields_of(filter, initializers, 2);
	if (filter && filter_pinned(filter, "symbol"))
		return fields_of(filter, functions, 2);
	return fields_of(filter, symbols, 2);
}

/** A name without numbers that differ between builds: "&.rodata+0x12" is "&.rodata+0x…". */
static const char *without_number(struct arena *arena, const char *name)
{
	size_t length = strlen(name), digits = length;

	if (symbolname_is_address(name))
		return *name == 'f' ? "fn@0x\u2026" : "data@0x\u2026";
	while (digits > 0 && strchr("0123456789abcdef", name[digits - 1]))
		digits--;
	if (digits == length || digits < 3 || strncmp(name + digits - 3, "+0x", 3) != 0)
		return name;
	return arena_printf(arena, "%.*s\u2026", (int)digits, name);
}

/** The name by which another build knows a symbol or function of @length bytes, too. */
static const char *stable_symbol(struct budget_meter *meter, const char *name, size_t length)
{
	struct arena *arena = &meter->measures->arena;
	const char *stable = arena_strndup(arena, name, length);

	return homepath_shortened(arena,
				  meter->other_builds ? without_number(arena, stable) : stable);
}

/** The name by which another build knows a value, too. */
static const char *stable_name(struct budget_meter *meter, const struct model *model,
			       const struct pivot_axis *axis, const struct pivot_value *value)
{
	struct arena *arena = &meter->measures->arena;
	const char *name = value->name;

	if (!name)
		return NULL;
	if (axis->kind == PIVOT_OBJECTS)
		return arena_strdup(arena, files_name(&model->objects[value->key]));
	if (axis->kind != PIVOT_NAMES)
		return arena_strdup(arena, name);
	size_t length = symbolname_length(name);
	if (strcmp(axis->word, "symbol") == 0 && model->symbols[value->key].kind == MODEL_ENTRY)
		length = symbolname_entry_length(name);
	return stable_symbol(meter, name, length);
}

static uint64_t of_count(const struct model *model, enum budget_metric metric,
			 const struct model_count *count, uint64_t pages)
{
	switch (metric) {
	case BUDGET_MAJOR:
		return count->major;
	case BUDGET_MINOR:
		return count->faults - count->major;
	case BUDGET_PAGES:
		return pages;
	case BUDGET_DURATION:
		return count->own_ns;
	case BUDGET_READ:
		return model_read_bytes(model, count);
	default:
		return count->faults;
	}
}

/** Add the rows of one table. Returns the value of all. */
static uint64_t add_rows(struct budget_meter *meter, struct entry *entry, const struct model *model,
			 size_t table)
{
	struct pivot_fields fields = table_fields(entry->limit->filter, table);
	enum budget_metric metric = entry->limit->metric;
	struct parts *parts = &entry->parts[table];

	fields.without_pages = metric != BUDGET_PAGES;
	CLEANUP(pivot_destroyp) struct pivot *pivot = pivot_create(model, &fields);
	parts->word_count = fields.count;
	for (size_t i = 0; i < fields.count; i++)
		parts->words[i] = fields.items[i]->name;
	for (size_t i = 0; fields.count > 0 && i < pivot->row_count; i++) {
		const struct pivot_row *row = &pivot->rows[i];
		struct part part = { .run = meter->run_count,
				     .value = of_count(model, metric, &row->count, row->pages) };

		if (part.value == 0)
			continue;
		for (size_t axis = 0; axis < fields.count; axis++)
			part.values[axis] =
				stable_name(meter, model, &pivot->axes[axis],
					    &pivot->axes[axis].values[row->values[axis]]);
		vec_push(&parts->list, part);
	}
	return of_count(model, metric, &pivot->total, pivot->pages);
}

// ---- One model ------------------------------------------------------------------------------

/** A copy of @model that shows those of its faults that meet the conditions. */
static struct model narrowed(const struct model *model, struct entry *entry, struct arena *arena,
			     struct model_fault **ret_faults)
{
	CLEANUP(freep) bool *chosen = xcalloc(model->fault_count + 1, sizeof(*chosen));
	struct filter_strangers found = { 0 };
	struct model copy = *model;

	size_t count = filter_choose(entry->limit->filter, model, model->faults, model->fault_count,
				     chosen, &found);
	strangers_add(&entry->strangers, &found, model, arena);
	*ret_faults = xcalloc(count + 1, sizeof(**ret_faults));
	copy.fault_count = 0;
	for (size_t i = 0; i < model->fault_count; i++)
		if (chosen[i])
			(*ret_faults)[copy.fault_count++] = model->faults[i];
	copy.faults = *ret_faults;
	return copy;
}

static bool has_durations(const struct model *model)
{
	for (size_t i = 0; i < model->fault_count; i++)
		if (model->faults[i].has_duration)
			return true;
	return model->fault_count == 0;
}

static bool counts_faults(enum budget_metric metric)
{
	return metric == BUDGET_FAULTS || metric == BUDGET_MINOR || metric == BUDGET_MAJOR ||
	       metric == BUDGET_PAGES;
}

static void measure_faults(struct budget_meter *meter, struct entry *entry,
			   const struct model *model)
{
	CLEANUP(freep) struct model_fault *faults = NULL;
	struct arena *arena = &meter->measures->arena;
	uint64_t lost = model_missing(&model->counts).total + model->counts.lost_other;
	bool is_of_all = entry->limit->metric == BUDGET_FAULTS && !entry->limit->filter;
	struct model shown = *model;
	uint64_t value = 0;

	if (entry->limit->filter)
		shown = narrowed(model, entry, arena, &faults);
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		value = add_rows(meter, entry, &shown, table);
	// Faults in system calls have no event that would tell whether they meet conditions.
	if (is_of_all)
		value += model->counts.call_unsampled;
	else if (counts_faults(entry->limit->metric))
		lost += model->counts.call_unsampled;
	vec_push(&entry->runs, value);
	entry->lost = entry->lost > lost ? entry->lost : lost;
	if (entry->limit->metric == BUDGET_READ && !model->trace.has_reads)
		entry->failure =
			arena_printf(arena,
				     "%s: the %s backend did not count bytes read by faults; "
				     "record with --backend bpf",
				     model_trace_file(&model->trace), model->trace.backend);
	if ((entry->limit->metric == BUDGET_MAJOR || entry->limit->metric == BUDGET_MINOR) &&
	    model->counts.kinds_unknown)
		entry->failure =
			arena_printf(arena,
				     "%s: %s does not tell minor from major; record with "
				     "elfault record",
				     model_trace_file(&model->trace), model->trace.backend);
	if (entry->limit->metric == BUDGET_DURATION && !has_durations(model))
		entry->failure =
			arena_printf(arena,
				     "%s: the %s backend records no durations; record "
				     "with --backend bpf",
				     model_trace_file(&model->trace), model->trace.backend);
}

static void measure_files(struct budget_meter *meter, struct entry *entry,
			  const struct model *model)
{
	struct arena *arena = &meter->measures->arena;
	struct filter_strangers found = { 0 };
	struct parts *parts = &entry->parts[0];
	const char *failure = NULL;
	size_t first = parts->list.count;

	uint64_t value = files_measure(model, entry->limit->metric, entry->limit->filter, &found,
				       parts, meter->run_count, &failure);
	strangers_add(&entry->strangers, &found, model, arena);
	vec_push(&entry->runs, value);
	for (size_t i = first; i < parts->list.count; i++) {
		const char **values = parts->list.items[i].values;

		values[0] = arena_strdup(arena, values[0]);
		if (values[1])
			values[1] = stable_symbol(meter, values[1], symbolname_length(values[1]));
	}
	if (failure)
		entry->failure =
			arena_printf(arena, "%s could not be read; the notes say why", failure);
}

static void measure_amounts(struct budget_meter *meter, struct entry *entry,
			    const struct model *model)
{
	struct arena *arena = &meter->measures->arena;
	struct filter_strangers found = { 0 };
	struct parts *parts = &entry->parts[0];
	const char *failure = NULL;
	size_t first = parts->list.count;
	uint64_t lost = 0;
	uint64_t value = amounts_measure(model, entry->limit, &found, parts, meter->run_count,
					 arena, &lost, &failure);

	vec_push(&entry->runs, value);
	if (failure) {
		entry->failure = failure;
		return;
	}
	strangers_add(&entry->strangers, &found, model, arena);
	entry->lost = entry->lost > lost ? entry->lost : lost;
	for (size_t i = first; i < parts->list.count; i++)
		for (size_t word = 0; word < parts->word_count; word++) {
			const char **text = &parts->list.items[i].values[word];

			*text = arena_strdup(arena, *text);
		}
}

static const char *program_name(const struct model *model, uint32_t process, struct arena *arena)
{
	const uint32_t comm =
		process == MODEL_NONE ? MODEL_NONE : model->account->processes[process].comm;

	return comm == MODEL_NONE ? NULL : arena_strdup(arena, model->comms[comm]);
}

static void judge_run(struct budget_meter *meter, const struct model *model)
{
	const struct model_subject *subject = &model->account->subject;
	struct arena *arena = &meter->measures->arena;
	struct judged *judged = &meter->judged;
	const char *name = subject->is_known ? program_name(model, subject->process, arena) : NULL;

	if (meter->run_count == 0) {
		judged->subject = name;
		judged->command =
			subject->is_known ? program_name(model, subject->command, arena) : NULL;
		judged->is_one = name;
	}
	judged->is_other |= subject->is_known && subject->is_other;
	judged->is_one = judged->is_one && name && strcmp(name, judged->subject) == 0;
}

/** The time of the command as well: only in the end it is known if the subject's is of use. */
static void measure_command(struct budget_meter *meter, const struct entry *entry,
			    const struct model *model)
{
	struct judged *judged = &meter->judged;

	if (!model->account)
		return;
	judge_run(meter, model);
	vec_push(&judged->command_runs, amounts_wall(model->account, false, entry->limit->states,
						     &judged->command_parts, meter->run_count));
}

/** Take the facts that all runs share from the first. */
static void start(struct budget_measures *measures, const struct model *model)
{
	const struct model_trace *trace = &model->trace;
	struct arena *arena = &measures->arena;

	measures->command = homepath_shortened(arena, model_command_text(trace, arena));
	measures->arguments_hash = trace->arguments_hash;
	measures->backend = arena_strdup(arena, trace->backend ? trace->backend : "");
	measures->kernel = arena_strdup(arena, trace->kernel ? trace->kernel : "");
	measures->machine = arena_strdup(arena, trace->machine ? trace->machine : "");
	measures->page_size = trace->page_size;
	measures->objects = files_list(model, arena, &measures->object_count);
}

/** Runs of another program or another build are no repeats. */
static void check_run(struct budget_measures *measures, const struct model *model)
{
	CLEANUP(arena_deinit) struct arena scratch = { 0 };
	const char *command =
		homepath_shortened(&scratch, model_command_text(&model->trace, &scratch));
	size_t count;
	const struct budget_object *objects = files_list(model, &scratch, &count);

	if (strcmp(command, measures->command) != 0 ||
	    (model->trace.arguments_hash != measures->arguments_hash &&
	     model->trace.arguments_hash != 0 && measures->arguments_hash != 0))
		notes_add(&measures->notes,
			  "%s: records another command, %s%s; medians are over all traces",
			  model_trace_file(&model->trace), command,
			  strcmp(command, measures->command) != 0
				  ? ""
				  : " with other arguments, which --arguments shows");
	for (size_t i = 0, k = 0; i < count && k < measures->object_count;) {
		const struct budget_object *is = &objects[i], *was = &measures->objects[k];
		int order = strcmp(is->name, was->name);

		if (order == 0 && is->build_id && was->build_id &&
		    strcmp(is->build_id, was->build_id) != 0)
			notes_add(&measures->notes, "%s: %s is a different build than in the first",
				  model_trace_file(&model->trace), is->name);
		i += order <= 0;
		k += order >= 0;
	}
}

void budget_meter_add(struct budget_meter *meter, const struct model *model)
{
	struct budget_measures *measures = meter->measures;

	if (meter->run_count == 0)
		start(measures, model);
	else
		check_run(measures, model);
	measures->complete &= model_is_complete(model);
	measures->truncated |= !model->trace.complete;
	runnotes_add(&meter->run_notes, &model->notes);
	vec_foreach (entry, &meter->entries) {
		if (budget_metric_is_of_files(entry->limit->metric))
			measure_files(meter, entry, model);
		else if (budget_metric_is_of_amounts(entry->limit->metric))
			measure_amounts(meter, entry, model);
		else
			measure_faults(meter, entry, model);
		if (entry->limit->metric == BUDGET_WALL)
			measure_command(meter, entry, model);
	}
	meter->run_count++;
}

// ---- The end --------------------------------------------------------------------------------

static void warn(struct budget_measures *measures, const struct entry *entry)
{
	struct arena *arena = &measures->arena;

	vec_foreach (stranger, &entry->strangers.list) {
		const char *text = arena_printf(
			arena,
			"no %s of the trace%s is named %s%s%s%s: the limit on %s may be "
			"misspelled",
			stranger->name.field->name, measures->run_count > 1 ? "s" : "",
			stranger->name.text, stranger->near ? " (did you mean " : "",
			stranger->near ? stranger->near : "", stranger->near ? "?)" : "",
			entry->limit->subject);

		vec_push(&measures->warnings, (struct budget_warning){ entry->limit->line, text });
	}
}

/** Say whose wall time is judged: where programs take turns, as jobs do, it is the command's. */
static void choose_judged(struct budget_meter *meter)
{
	struct budget_measures *measures = meter->measures;
	struct judged *judged = &meter->judged;

	vec_foreach (entry, &meter->entries) {
		if (entry->limit->metric != BUDGET_WALL || entry->failure)
			continue;
		measures->program = judged->is_one ? judged->subject : judged->command;
		measures->is_of_child = judged->is_one && judged->is_other;
		if (judged->is_one || !judged->is_other)
			continue;

		vec_deinit(&entry->runs);
		parts_deinit(&entry->parts[0]);
		entry->runs = judged->command_runs;
		entry->parts[0] = judged->command_parts;
		judged->command_runs = (run_values){ 0 };
		judged->command_parts = (struct parts){ 0 };
		notes_add(&measures->notes,
			  "the ends of the runs waited most for different programs, so wall is "
			  "the command's; --program NAME judges one of them");
	}
}

static struct budget_measure finish_entry(struct budget_measures *measures, struct entry *entry)
{
	struct arena *arena = &measures->arena;
	bool is_of_initializers = entry->limit->metric == BUDGET_INITIALIZERS;
	size_t size = entry->runs.count * sizeof(*entry->runs.items);
	uint64_t *runs = arena_copy(arena, entry->runs.items, size);
	struct budget_measure measure = {
		.subject = arena_strdup(arena, entry->limit->subject),
		.metric = entry->limit->metric,
		.failure = entry->failure,
		.runs = runs,
		.run_count = entry->runs.count,
		.value = median_of(runs, entry->runs.count),
		.spread = median_spread(runs, entry->runs.count),
		.lost = (double)entry->lost,
	};
	for (size_t i = 0; i < BUDGET_TABLES; i++)
		measure.tables[i] =
			parts_table(&entry->parts[i], measures->run_count,
				    is_of_initializers ? INITIALIZERS_MAX : ROWS_MAX, arena);
	return measure;
}

struct budget_measures *budget_meter_finish(struct budget_meter *meter)
{
	struct budget_measures *measures = meter->measures;
	struct budget_measure *list =
		arena_array(&measures->arena, meter->entries.count + 1, sizeof(*list));

	measures->run_count = meter->run_count;
	choose_judged(meter);
	for (size_t i = 0; i < meter->entries.count; i++) {
		list[i] = finish_entry(measures, &meter->entries.items[i]);
		warn(measures, &meter->entries.items[i]);
	}
	vec_foreach (note, &meter->run_notes.list) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		runnote_print(&meter->run_notes, note, &text);
		notes_add_text(&measures->notes, strbuf_text(&text), 1);
	}
	measures->list = list;
	measures->count = meter->entries.count;
	meter->measures = NULL;
	return measures;
}

void budget_meter_destroy(struct budget_meter *meter)
{
	if (!meter)
		return;
	vec_foreach (entry, &meter->entries) {
		vec_deinit(&entry->runs);
		for (size_t i = 0; i < BUDGET_TABLES; i++)
			parts_deinit(&entry->parts[i]);
		vec_deinit(&entry->strangers.list);
	}
	vec_deinit(&meter->entries);
	vec_deinit(&meter->judged.command_runs);
	parts_deinit(&meter->judged.command_parts);
	runnotes_deinit(&meter->run_notes);
	budget_measures_close(meter->measures);
	free(meter);
}

const struct budget_measure *budget_measure_of(const struct budget_measures *measures,
					       const char *subject)
{
	for (size_t i = 0; i < measures->count; i++)
		if (strcmp(measures->list[i].subject, subject) == 0)
			return &measures->list[i];
	return NULL;
}

void budget_measures_close(struct budget_measures *measures)
{
	if (!measures)
		return;
	notes_deinit(&measures->notes);
	vec_deinit(&measures->warnings);
	arena_deinit(&measures->arena);
	free(measures);
}
