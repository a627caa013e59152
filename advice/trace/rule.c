// SPDX-License-Identifier: Apache-2.0
#include "advice/trace/rule.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/companion.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "derive/relocating.h"
#include "model/account.h"
#include "model/library.h"
#include "model/relocation.h"
#include "model/set.h"
#include "model/shown.h"

#include <math.h>
#include <string.h>

/** A name of C++ may be kilobytes long; a sentence with it says no more. */
enum { NAME_BYTES = 72 };

/** Return the time of the faults of @cost once files are in memory. */
static double warm_ns(const struct findings *findings, const struct model_count *cost)
{
	const struct model_count *total = &findings->model->total;
	double minor = (double)(total->faults - total->major);
	double each = minor > 0 ? (double)(total->own_ns - total->major_ns) / minor : 0;
	double waiting = (double)cost->major_ns, as_minor = each * (double)cost->major;

	return (double)(cost->own_ns - cost->major_ns) + (as_minor < waiting ? as_minor : waiting);
}

uint64_t rule_time_used(const struct findings *findings)
{
	const struct model_account *account = findings->model->account;

	return account && !findings->is_partial ? model_times_used(&account->all)
						: findings->model->total.own_ns;
}

bool rule_is_worth(const struct findings *findings, const struct model_count *cost, uint64_t cpu_ns,
		   uint64_t cpu_error_ns)
{
	if (cost->faults >= RULE_MIN_FAULTS &&
	    kit_is_share((double)cost->faults, (double)findings->model->total.faults,
			 RULE_MIN_PERCENT))
		return true;
	const double in_faults =
		findings->rule->saves_storage ? (double)cost->own_ns : warm_ns(findings, cost);
	const double ns = in_faults + (double)checked_rest(cpu_ns, cpu_error_ns);

	return ns >= RULE_MIN_NS &&
	       kit_is_share(ns, (double)rule_time_used(findings), RULE_MIN_PERCENT);
}

uint64_t rule_computing(const struct findings *findings, enum model_initiator initiator,
			uint64_t *ret_error_ns)
{
	const struct model_account *account = findings->model->account;

	*ret_error_ns = 0;
	if (!account || !model_account_knows_causes(account) || findings->is_partial)
		return 0;
	return model_computing(findings->model, initiator, ret_error_ns);
}

uint64_t rule_error(const struct findings *findings, uint64_t ns)
{
	const struct model_account *account = findings->model->account;

	if (!account || account->samples == 0 || account->all.ns[MODEL_STATE_CPU] == 0)
		return 0;
	double all = (double)account->all.ns[MODEL_STATE_CPU];
	// Of a binomial sample, as if there were one more: the account's is the same.
	double count = (double)model_computing_samples(findings->model), share = (double)ns / all;
	double likely = (share * count + 1) / (count + 2);

	return likely < 1 ? model_error_ns(all * all * likely * (1 - likely) / (count + 2)) : 0;
}

static uint64_t share_of(uint64_t ns, uint64_t part, uint64_t whole)
{
	return whole > 0 ? (uint64_t)((double)ns * (double)part / (double)whole) : 0;
}

uint64_t rule_relocating(const struct findings *findings, uint64_t relocations)
{
	uint64_t ns;

	return relocating_share(findings->model, relocations, &ns) ? ns : 0;
}

uint64_t rule_loading(const struct findings *findings, uint32_t object)
{
	const struct model *model = findings->model;
	const struct model_object *row = &model->objects[object];
	uint64_t error_ns, names = 0, ns = 0;

	if (findings->is_partial)
		return 0;
	for (size_t i = 0; i < row->initializer_count; i++)
		ns += model->initializers[row->first_initializer + i].cpu_ns;
	if (!row->relocation)
		return ns;
	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].relocation)
			names += model->objects[i].relocation->lookups_at_load;
	return ns + rule_relocating(findings, relocating_count(row->relocation)) +
	       share_of(rule_computing(findings, MODEL_SYMBOL_LOOKUP, &error_ns),
			row->relocation->lookups_at_load, names);
}

const struct model_relink *rule_relink(const struct model_object *object, const char *option)
{
	const struct model_relocation *relocation = object->relocation;

	for (size_t i = 0; relocation && i < relocation->relink_count; i++)
		if (relocation->relinks[i].applies &&
		    strcmp(relocation->relinks[i].option, option) == 0)
			return &relocation->relinks[i];
	return NULL;
}

bool rule_has_glibc(const struct findings *findings)
{
	const struct model *model = findings->model;

	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].soname && strcmp(model->objects[i].soname, "libc.so.6") == 0)
			return true;
	return false;
}

static struct model_saving saving_of(const struct findings *findings,
				     const struct rule_found *found)
{
	const struct rule *rule = findings->rule;
	const struct model_count *cost = found->gone ? found->gone : &found->cost;
	const uint64_t saves = found->gone ? found->gone->faults : found->saves;
	double whole = (double)(rule->saves_waits ? cost->major : cost->faults);
	double share = found->share > 0		? found->share
		       : (double)saves >= whole ? 1
						: (double)saves / whole;
	double warm = warm_ns(findings, cost), storage = (double)cost->own_ns - warm;

	if (found->predicted)
		return *found->predicted;
	if (rule->saves_waits)
		warm = 0;
	if (!rule->saves_storage || storage < 0)
		storage = 0;
	// Where faults have no times, what is computed for the same cause is neither part nor
	// whole.
	const struct model_account *account = findings->model->account;
	const bool has_times = !account || !account->faults_in_cpu;
	const double in_faults = (warm + storage) * share;
	const double computing = has_times ? (double)found->cpu_ns : 0;
	struct model_saving saving = {
		.faults = saves,
		.read_bytes = rule->saves_storage && !rule->saves_waits
				      ? (uint64_t)((double)model_read_bytes(findings->model, cost) *
						   share)
				      : 0,
		.duration_ns = (uint64_t)((warm + storage + computing) * share),
		.storage_ns = (uint64_t)(storage * share),
		.is = MODEL_AT_MOST,
		.are_waits = rule->saves_waits,
	};

	if (rule->error_percent == 0)
		return saving;
	const double error = (double)rule->error_percent / 100;

	saving.is = MODEL_PREDICTION;
	saving.error_faults = (uint64_t)ceil((double)saves * error);
	saving.error_ns =
		has_times ? (uint64_t)hypot(in_faults * error, (double)found->cpu_error_ns * share)
			  : 0;
	return saving;
}

/** Is it of the C library, which comes with the system? */
static bool is_of_system(const struct findings *findings, uint32_t object)
{
	enum model_library library = object == MODEL_NONE
					     ? MODEL_LIBRARY_OTHER
					     : model_library_of(&findings->model->objects[object]);

	return library == MODEL_LIBRARY_SYSTEM || library == MODEL_LIBRARY_LOADER;
}

static const char *trace_path(const struct findings *findings)
{
	const char *path = findings->model->trace.path;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_put_word(&text, path && path[0] ? path : "TRACE");
	return arena_strdup(findings->arena, strbuf_text(&text));
}

/** Name the program that a list and a command follow, to have the list's ranges asked for. */
static const char *prefetch_word(struct arena *arena)
{
	return companion_prefetch(arena).word ?: "elfault prefetch --from";
}

/** @cure, by those who can follow it: a library of the system is of another build. */
static struct model_cure addressed(const struct findings *findings, struct model_cure cure,
				   bool is_of_others)
{
	if (!is_of_others || (cure.who != MODEL_FOR_BUILD && cure.who != MODEL_FOR_LINK))
		return cure;
	return (struct model_cure){
		MODEL_FOR_PACKAGE,
		arena_printf(findings->arena, "In the build of the library itself: %s", cure.text)
	};
}

/** Is what stands from @text on, between backticks, to be typed? */
static bool is_command(const char *text)
{
	static const char *const starts[] = { "elfault ", "env ", "{prefetch} " };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(text, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/** The commands in a cure's @text, one after the other; NULL: it has none. */
static const char *command_of(struct findings *findings, const char *text,
			      const struct kit_value *values)
{
	struct arena *arena = findings->arena;
	const char *command = NULL;

	for (const char *start = strchr(text, '`'); start; start = strchr(start, '`')) {
		const char *end = strchr(++start, '`');

		if (!end)
			break;
		if (is_command(start))
			command = kit_append(
				arena, command, " && ",
				kit_fill(arena, arena_strndup(arena, start, (size_t)(end - start)),
					 values));
		start = end + 1;
	}
	return command;
}

static void add_cures(struct findings *findings, unsigned chosen, const struct kit_value *values,
		      struct model_finding *finding)
{
	const struct rule *rule = findings->rule;
	struct arena *arena = findings->arena;
	struct model_cure *cures = arena_array(arena, RULE_CURES_MAX, sizeof(*cures));
	const bool is_of_others = (rule->relinks || rule->rebuilds) &&
				  finding->object != MODEL_NONE &&
				  owner_is_system(findings->model, finding->object);

	for (size_t i = 0; i < RULE_CURES_MAX && rule->cures[i].text; i++)
		if (chosen == RULE_ALL_CURES || chosen & 1U << i) {
			cures[finding->cure_count++] =
				(struct model_cure){ rule->cures[i].who,
						     kit_fill(arena, rule->cures[i].text, values) };
			if (!finding->command)
				finding->command =
					command_of(findings, rule->cures[i].text, values);
		}
	if (finding->cure_count == 0)
		cures[finding->cure_count++] =
			(struct model_cure){ rule->who, kit_fill(arena, rule->prose.fix, values) };
	for (size_t i = 0; i < finding->cure_count; i++)
		cures[i] = addressed(findings, cures[i], is_of_others);
	for (size_t i = 0; i < finding->cure_count; i++)
		finding->advice = kit_append(arena, finding->advice, " ", cures[i].text);
	finding->cures = cures;
}

/** With the values that all rules have. */
static const struct kit_value *with_common(struct findings *findings, uint32_t object,
					   const struct kit_value *values)
{
	struct arena *arena = findings->arena;

	if (object != MODEL_NONE && strcmp(values->name ? values->name : "", "object") != 0)
		values = kit_prepend(
			arena,
			(struct kit_value){
				"object",
				kit_escape(arena, findings->model->objects[object].path) },
			values);
	values = kit_prepend(arena, (struct kit_value){ "trace", trace_path(findings) }, values);

	values = kit_prepend(arena, (struct kit_value){ "prefetch", prefetch_word(arena) }, values);

	return kit_prepend(
		arena,
		(struct kit_value){ "run", model_command_line(&findings->model->trace, arena) },
		values);
}

void rule_add_found(struct findings *findings, const struct rule_found *found,
		    const struct kit_value *values)
{
	const struct rule *rule = findings->rule;
	struct arena *arena = findings->arena;

	if (rule->relinks && is_of_system(findings, found->object))
		return;
	values = with_common(findings, found->object, values);
	struct model_finding finding = {
		.id = rule->prose.id,
		.title = kit_fill(arena, rule->prose.title, values),
		.object = found->object,
		.where = kit_fill(arena, rule->where, values),
		.faults = found->cost.faults,
		.pages = found->pages,
		.duration_ns = found->cost.duration_ns,
		.own_ns = found->cost.own_ns,
		.major_ns = found->cost.major_ns,
		.cpu_ns = found->cpu_ns,
		.cpu_error_ns = found->cpu_ns > 0 ? found->cpu_error_ns : 0,
		.saves = saving_of(findings, found),
		.evidence = kit_fill(arena, rule->prose.evidence, values),
		.names = found->names,
	};
	add_cures(findings, found->cures, values, &finding);
	if (found->object != MODEL_NONE) {
		const struct model_finding_file file = { found->object,	  finding.faults,
							 finding.pages,	  finding.duration_ns,
							 finding.own_ns,  finding.saves,
							 finding.evidence };

		finding.files = arena_copy(arena, &file, sizeof(file));
		finding.file_count = 1;
	}
	vec_push(&findings->list, finding);
}

void rule_add(struct findings *findings, uint32_t object, const struct model_count *cost,
	      uint64_t pages, uint64_t saves, const struct kit_value *values)
{
	rule_add_found(findings,
		       &(struct rule_found){
			       .object = object, .cost = *cost, .pages = pages, .saves = saves },
		       values);
}

const char *rule_read(struct findings *findings, const struct model_count *count)
{
	if (count->read_pages == 0)
		return "";
	return arena_printf(findings->arena, " They read %s.",
			    figure_size(findings->arena, model_read_bytes(findings->model, count)));
}

const char *rule_time(struct findings *findings, uint64_t ns)
{
	bool is_short = ns < 1000000;

	return arena_printf(findings->arena, "%.1f %s", (double)ns / (is_short ? 1e3 : 1e6),
			    is_short ? "us" : "ms");
}

struct model_count rule_on_section(const struct findings *findings,
				   const struct model_object *object, const char *section,
				   enum model_initiator initiator)
{
	struct model_count count = { 0 };

	for (size_t i = 0; i < object->section_count; i++) {
		const char *name = findings->model->sections[object->sections[i]].name;

		if (name && strcmp(name, section) == 0)
			model_count_add(&count,
					&findings->by_section[object->sections[i]].by[initiator]);
	}
	return count;
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80; // of a character of UTF-8
}

const char *rule_name(struct findings *findings, const char *name)
{
	if (!name)
		return "(no name)";
	size_t length = strlen(name), head = NAME_BYTES / 2, tail = length - NAME_BYTES / 2;

	if (length <= NAME_BYTES)
		return arena_strdup(findings->arena, name);
	while (head > 0 && is_continuation(name[head]))
		head--;
	while (tail < length && is_continuation(name[tail]))
		tail++;
	return arena_printf(findings->arena, "%.*s...%s", (int)head, name, name + tail);
}

const char *rule_label(struct findings *findings, uint32_t object)
{
	const struct model *model = findings->model;
	const char *name = model_object_name(&model->objects[object]);

	for (uint32_t i = 0; i < model->object_count; i++)
		if (i != object && strcmp(model_object_name(&model->objects[i]), name) == 0)
			name = model->objects[object].path;
	return model_rooted_name(findings->arena, rule_name(findings, name),
				 &model->objects[object]);
}

const char *rule_command(struct findings *findings, const uint64_t *counts)
{
	const struct model *model = findings->model;

	if (model->comm_count == 0)
		return "(no name)";
	return rule_name(findings, model->comms[kit_largest(counts, model->comm_count)]);
}

const char *rule_busiest(struct findings *findings, const char *words, const uint64_t *by_function)
{
	const struct model *model = findings->model;
	size_t most = kit_largest(by_function, model->function_count);

	if (by_function[most] == 0)
		return "";
	return arena_printf(findings->arena, " %s %s, %s.", words,
			    rule_name(findings, model->functions[most].name),
			    figure_number(findings->arena, by_function[most]));
}

const char *rule_most(struct findings *findings, const uint64_t *counts, size_t most)
{
	const struct model *model = findings->model;
	const char *text = NULL;
	size_t last = SIZE_MAX;

	for (size_t n = 0; n < most; n++) {
		size_t best = SIZE_MAX;

		// The next after the last one, by count and then by index.
		for (size_t i = 0; i < model->object_count; i++) {
			bool is_left = last == SIZE_MAX || counts[i] < counts[last] ||
				       (counts[i] == counts[last] && i > last);

			if (is_left && counts[i] > 0 &&
			    (best == SIZE_MAX || counts[i] > counts[best]))
				best = i;
		}
		if (best == SIZE_MAX)
			break;
		last = best;
		text = kit_append(findings->arena, text, ", ",
				  arena_printf(findings->arena, "%s %s",
					       rule_label(findings, (uint32_t)best),
					       figure_number(findings->arena, counts[best])));
	}
	return text ? text : "nothing";
}
