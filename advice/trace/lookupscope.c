// SPDX-License-Identifier: Apache-2.0
// Names are looked up in many libraries one after the other, and each look reads their hash tables,
// symbols and strings.
#include "advice/trace/rule.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"
#include "model/binding.h"
#include "model/relocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** By index of the rule's cures. */
enum {
	CURE_FUNCTIONS = 1 << 0,
	CURE_ALL = 1 << 1,
	CURE_HIDE = 1 << 2,
	CURE_ORDER = 1 << 3,
};

/** Fewer files are worth a word only where searching them takes this share of all time. */
enum { MIN_OBJECTS = 10, LARGE_PERCENT = 10, ORDER_PERCENT = 5, NAMED = 3 };

/** The most ELF files that faulted in one program. */
static uint64_t count_scope(const struct model *model)
{
	uint64_t *objects = xcalloc(model->program_count + 1, sizeof(*objects)), most = 0;
	CLEANUP(pageset_deinit) struct pageset seen = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t program = model_thread(model, fault)->program;

		if (fault->at.object != MODEL_NONE && model->objects[fault->at.object].is_elf &&
		    pageset_add_pair(&seen, program, fault->at.object) && ++objects[program] > most)
			most = objects[program];
	}
	free(objects);
	return most;
}

/** How many names the files look up when they are loaded, and for which files; "": none. */
static const char *describe_names(struct findings *findings, uint64_t *ret_names)
{
	const struct model *model = findings->model;
	uint64_t *wanted = xcalloc(model->object_count + 1, sizeof(*wanted)), names = 0;

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_relocation *relocation = model->objects[i].relocation;

		wanted[i] = relocation ? relocation->lookups_at_load : 0;
		names += wanted[i];
	}
	const char *text =
		names == 0
			? ""
			: arena_printf(findings->arena,
				       " Loading the files of this run looks up %s, most for %s.",
				       kit_plural(findings->arena, names, "name"),
				       rule_most(findings, wanted, NAMED));
	free(wanted);
	*ret_names = names;
	return text;
}

/** Lookups at load that an option of the linker saves. */
struct binding {
	uint64_t names;
	const char *most; // the files that have most of them
};

static struct binding bind_by(struct findings *findings, const char *option)
{
	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *saved = xcalloc(model->object_count + 1, sizeof(*saved));
	struct binding binding = { 0 };

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_relink *relink = rule_relink(&model->objects[i], option);

		saved[i] = relink && relink->lookups < 0 ? (uint64_t)-relink->lookups : 0;
		binding.names += saved[i];
	}
	binding.most = rule_most(findings, saved, NAMED);
	return binding;
}

/** Why @object cannot be linked with @option: who replaces what; NULL: for no such reason. */
static const char *replaced_in(const struct model_object *object, const char *option)
{
	const struct model_relocation *relocation = object->relocation;

	for (size_t i = 0; relocation && i < relocation->relink_count; i++)
		if (strcmp(relocation->relinks[i].option, option) == 0)
			return relocation->relinks[i].replaced;
	return NULL;
}

/** " Not with `-Bsymbolic`: libl3.so (m replaces setting_of_3).", but for those in @unless. */
static const char *describe_replaced(struct findings *findings, const char *option,
				     const char *unless)
{
	const struct model *model = findings->model;
	struct arena *arena = findings->arena;
	const char *text = NULL;
	size_t count = 0;

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];
		const char *replaced = replaced_in(object, option);

		if (!replaced || (unless && replaced_in(object, unless)) || count++ >= NAMED)
			continue;
		text = kit_append(arena, text, ", ",
				  arena_printf(arena, "%s (%s)", rule_label(findings, (uint32_t)i),
					       rule_name(findings, replaced)));
	}
	if (count > NAMED)
		text = arena_printf(arena, "%s and %s more", text,
				    figure_number(arena, count - NAMED));
	return text ? arena_printf(arena, " Not with %s: %s.", option, text) : "";
}

/**
 * The share of @names that the files look up of themselves: those of others stay, however the files
 * are linked. Hiding names saves no others than `-Bsymbolic`.
 */
static double share_of(uint64_t own, uint64_t names)
{
	return own > 0 && own < names ? (double)own / (double)names : 1;
}

/** The files of one program that looks up most; NULL: not known. */
static const struct model_loading *largest_loading(const struct model *model)
{
	const struct model_bindings *bindings = model->bindings;

	return bindings && bindings->count > 0 && !bindings->loadings[0].unknown &&
			       bindings->loadings[0].sum.searches > 0
		       ? &bindings->loadings[0]
		       : NULL;
}

/** "12.5%" of @searches. */
static const char *percent_of(struct arena *arena, uint64_t part, uint64_t searches)
{
	return arena_printf(arena, "%.1f%%", 100 * (double)part / (double)searches);
}

/**
 * How many searches the names of the largest program take, how many find nothing, and in which
 * files most; "": not known.
 */
static const char *describe_searches(struct findings *findings)
{
	const struct model *model = findings->model;
	struct arena *arena = findings->arena;
	const struct model_loading *loading = largest_loading(model);
	CLEANUP(freep) uint64_t *nothing = xcalloc(model->object_count + 1, sizeof(*nothing));

	if (!loading)
		return "";
	array_foreach (file, loading->files, loading->file_count)
		nothing[file->object] += file->in.filtered + file->in.in_vain;
	const struct model_searched *sum = &loading->sum;

	return arena_printf(
		arena,
		" %s has %s names searched for %s times: %s end at a Bloom filter, %s find "
		"nothing behind it, %s find the name. Most find nothing in %s.",
		rule_label(findings, loading->files[0].object), figure_number(arena, sum->names),
		figure_number(arena, sum->searches),
		percent_of(arena, sum->filtered, sum->searches),
		percent_of(arena, sum->in_vain, sum->searches),
		percent_of(arena, sum->found, sum->searches), rule_most(findings, nothing, NAMED));
}

/** The searches that another order of files spares, where these are worth a word; else 0. */
static uint64_t spared_by_order(const struct model *model)
{
	const struct model_loading *loading = largest_loading(model);

	return loading && kit_is_share((double)loading->best_order, (double)loading->sum.searches,
				       ORDER_PERCENT)
		       ? loading->best_order
		       : 0;
}

static void add(struct findings *findings, const struct model_count *cost, uint64_t pages,
		uint64_t scope)
{
	struct arena *arena = findings->arena;
	const struct binding functions = bind_by(findings, "-Bsymbolic-functions");
	const struct binding all = bind_by(findings, "-Bsymbolic");
	uint64_t error_ns, cpu_ns = rule_computing(findings, MODEL_SYMBOL_LOOKUP, &error_ns);
	const uint64_t spared = spared_by_order(findings->model);
	uint64_t names;
	const char *described = describe_names(findings, &names);
	const double share = share_of(all.names, names);

	rule_add_found(findings,
		       &(struct rule_found){
			       .object = MODEL_NONE,
			       .cost = *cost,
			       .pages = pages,
			       .saves = (uint64_t)ceil((double)cost->faults * share),
			       .share = share,
			       .cpu_ns = cpu_ns,
			       .cpu_error_ns = error_ns,
			       .cures = CURE_HIDE | (functions.names > 0 ? CURE_FUNCTIONS : 0) |
					(all.names > 2 * functions.names ? CURE_ALL : 0) |
					(spared > 0 ? CURE_ORDER : 0),
		       },
		       KIT_VALUES({ "files", figure_number(arena, scope) }, { "names", described },
				  { "searches", describe_searches(findings) },
				  { "spared", figure_number(arena, spared) },
				  { "replaced",
				    describe_replaced(findings, "-Bsymbolic-functions", NULL) },
				  { "copied", describe_replaced(findings, "-Bsymbolic",
								"-Bsymbolic-functions") },
				  { "functions", figure_number(arena, functions.names) },
				  { "functions_most", functions.most },
				  { "symbols", figure_number(arena, all.names) },
				  { "symbols_most", all.most }));
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;
	struct model_count cost = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->faults[i].initiator != MODEL_SYMBOL_LOOKUP)
			continue;
		model_count_fault(&cost, &model->faults[i]);
		pageset_add(&pages, model, &model->faults[i]);
	}
	uint64_t error_ns, cpu_ns = rule_computing(findings, MODEL_SYMBOL_LOOKUP, &error_ns);

	if (!rule_is_worth(findings, &cost, cpu_ns, error_ns))
		return;
	const double ns = (double)cost.own_ns + (double)checked_rest(cpu_ns, error_ns);
	const bool is_large = kit_is_share(ns, (double)rule_time_used(findings), LARGE_PERCENT);
	const uint64_t scope = count_scope(model);

	if (scope >= (is_large ? 2 : MIN_OBJECTS))
		add(findings, &cost, pageset_count(&pages), scope);
}

const struct rule rule_lookupscope = {
	.prose = {
		.id = "lookup-scope",
		.title = "Names are searched in up to {files} files",
		.evidence = "A program has up to {files} ELF files, each of which may be searched "
			    "for a name.{names}{searches}{replaced}{copied}",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Bind functions within a library at link time: "
				  "`-Wl,-Bsymbolic-functions`, with `-fno-semantic-interposition` for "
				  "the compiler, saves {functions} of these names: {functions_most}.",
		  "where libraries call themselves by name" },
		{ MODEL_FOR_LINK, "`-Wl,-Bsymbolic` binds data as well and saves {symbols}: "
				  "{symbols_most}. Only where no program has a copy of that data: it is "
				  "compiled with `-fPIE` and `-mno-direct-extern-access`, or uses "
				  "functions alone.",
		  "where that is more than twice as many" },
		{ MODEL_FOR_BUILD, "Export less: names that `-fvisibility=hidden` keeps within a "
				   "library are not looked up." },
		{ MODEL_FOR_LINK, "Put the libraries that have most of the names first when the program "
				  "is linked: files are searched in that order, which saves at least "
				  "{spared} searches.",
		  "where that spares 5 % of the searches" },
	},
	.about = "Each name that relocation binds is searched in the files of the process, one "
		 "after the other.",
	.when = "Reported for the run when symbol lookup reaches the threshold and a program has at "
		"least 10 ELF files in memory, or fewer if lookup takes 10 % of the time.",
	.details = "`-fno-semantic-interposition` tells the compiler what `-Bsymbolic-functions` "
		   "does at link time. `-Bsymbolic-functions` changes which definition wins if "
		   "another file defines the same function (`LD_PRELOAD`) and, in an executable "
		   "that is not position-independent, may give a function two addresses.",
	.limits = "Only what programs of this run define as well keeps a library from being bound "
		  "within, not what other libraries do, or other programs. Searches are computed from the files, and the screen of `analyze` does without. The saving is the share of "
		  "names that files look up of themselves.",
	.where = "initiator=symbol-lookup",
	.saves_storage = true,
	.needs_all_faults = true,
	.find = find,
};
