// SPDX-License-Identifier: Apache-2.0
// The dynamic linker takes a large part of the run, which another link would save.
#include "advice/trace/rule.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "cure/whatif.h"
#include "derive/pageset.h"

#include <math.h>
#include <string.h>

/** Of all faults, or of all time: what the finding speaks of, and what a link has to save. Small
 * programs count. */
enum { MIN_PERCENT = 10, MIN_SAVED_PERCENT = 5, NEARLY_PERCENT = 80, FILES = 3 };

/** Nobody links more archives than this into a program by hand. */
enum { ARCHIVES_MAX = 10 };

/** " Relocation wrote 24 pages of libfoo.so: 20 with relative relocations only, …" */
static const char *describe_files(struct findings *findings, const struct whatif_linking *linking)
{
	struct arena *arena = findings->arena;
	const char *list = NULL;

	for (size_t i = 0; i < linking->file_count && i < FILES; i++) {
		const struct whatif_file *file = &linking->files[i];

		list = kit_append(arena, list, "; ",
				  arena_printf(arena, "%s %s, %s, %s",
					       rule_label(findings, file->object),
					       figure_number(arena, file->relative),
					       figure_number(arena, file->cxx),
					       figure_number(arena, file->other)));
	}
	if (!list)
		return "";
	return arena_printf(arena,
			    " Relocation wrote pages with relative relocations only, with names "
			    "of libstdc++ only, and others: %s.",
			    list);
}

/** Can it be done here? */
static bool can_be_done(const struct whatif *link)
{
	return link && link->applies && link->archives_missing == 0 &&
	       link->archive_count <= ARCHIVES_MAX;
}

/** 0 of a link that cannot be done here. */
static uint64_t saved_by(const struct whatif *link)
{
	return can_be_done(link) ? link->saves.faults : 0;
}

/** Does it save @percent of the faults, or of the time? */
static bool saves_share(const struct findings *findings, const struct whatif *link,
			unsigned percent)
{
	return can_be_done(link) && (kit_is_share((double)link->saves.faults,
						  (double)findings->model->total.faults, percent) ||
				     kit_is_share((double)link->saves.duration_ns,
						  (double)rule_time_used(findings), percent));
}

/**
 * The links that save something: "-no-pie 1,795 of them (60%); -static 2,400 of them (80%)".
 * @ret_best: the first, since they go further and further, that saves nearly as much as any
 */
static const char *describe_links(struct findings *findings, const struct whatif_answer *answer,
				  const struct whatif **ret_best)
{
	static const char *const cures[] = { "no-pie", "static-libstdc++",
					     "no-pie-static-libstdc++", "static" };
	struct arena *arena = findings->arena;
	const char *list = NULL, *last = "";
	uint64_t most = 0;

	*ret_best = NULL;
	for (size_t i = 0; i < sizeof(cures) / sizeof(cures[0]); i++) {
		const struct whatif *link = whatif_named(answer, cures[i]);

		if (saved_by(link) > most)
			most = saved_by(link);
	}
	for (size_t i = 0; i < sizeof(cures) / sizeof(cures[0]); i++) {
		const struct whatif *link = whatif_named(answer, cures[i]);
		uint64_t saved = saved_by(link);

		// Without libraries to link in, two of them are the same.
		if (!saves_share(findings, link, 1) || strcmp(link->how, last) == 0)
			continue;
		last = link->how;
		list = kit_append(
			arena, list, "; ",
			arena_printf(arena, "%s %s of them (%s)", link->how,
				     figure_number(arena, saved),
				     figure_percent(arena, saved, answer->before.faults)));
		if (!*ret_best && kit_is_share((double)saved, (double)most, NEARLY_PERCENT))
			*ret_best = link;
	}
	return list;
}

/** Add the computing of all threads for the same causes. */
static void add_computing(struct findings *findings, struct rule_found *found)
{
	double squares = 0;

	for (enum model_initiator initiator = 0; initiator < MODEL_INITIATORS; initiator++) {
		uint64_t error_ns;

		if (!whatif_is_linking(initiator))
			continue;
		found->cpu_ns += rule_computing(findings, initiator, &error_ns);
		squares += (double)error_ns * (double)error_ns;
	}
	found->cpu_error_ns = (uint64_t)sqrt(squares);
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	struct model_count cost = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (!whatif_is_linking(fault->initiator))
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
	}
	struct rule_found found = {
		.cost = cost,
		.pages = pageset_count(&pages),
	};

	add_computing(findings, &found);
	const double ns =
		(double)cost.own_ns + (double)checked_rest(found.cpu_ns, found.cpu_error_ns);

	if (!kit_is_share((double)cost.faults, (double)model->total.faults, MIN_PERCENT) &&
	    !kit_is_share(ns, (double)rule_time_used(findings), MIN_PERCENT))
		return;

	CLEANUP(whatif_destroyp)
	struct whatif_answer *answer =
		whatif_predict(model, &(struct whatif_options){ .links_only = true });
	const struct whatif *best;
	const char *links = describe_links(findings, answer, &best);

	if (!best || !saves_share(findings, best, MIN_SAVED_PERCENT))
		return;
	const uint64_t spent = answer->has_time ? answer->linking.sum.duration_ns : 0;

	found.object = answer->program;
	found.predicted = &best->saves;
	rule_add_found(
		findings, &found,
		KIT_VALUES({ "faults", figure_number(findings->arena, cost.faults) },
			   { "all", kit_plural(findings->arena, model->total.faults, "fault") },
			   { "time", spent ? arena_printf(findings->arena, " and %.1f ms",
							  (double)spent / 1e6)
					   : "" },
			   { "read", rule_read(findings, &cost) },
			   { "files", describe_files(findings, &answer->linking) },
			   { "links", links }, { "best", best->how },
			   { "archives",
			     best->archives ? arena_printf(findings->arena, " (%s)", best->archives)
					    : "" },
			   { "program", rule_label(findings, answer->program) }));
}

const struct rule rule_dynamiclinking = {
	.prose = {
		.id = "dynamic-linking",
		.title = "Dynamic linking takes a large part",
		.evidence = "Loading, symbol lookup, relocation, IFUNC resolvers and lazy binding "
			    "take {faults} of {all}{time}.{read}{files} Predicted to save: {links}.",
		.fix = "Link {program} with {best}{archives}; `elfault whatif` compares the links.",
	},
	.about = "The dynamic linker maps each library, looks names up in it and writes addresses "
		 "to its data, at every start. What is linked into the program needs none of that, "
		 "and in a program at a fixed address the linker has written the addresses already.",
	.when = "Reported for the executable with the most faults when these initiators take at "
		"least 10 % of the faults or of the time, however few these are, and a link that can be done "
		"where the trace is analyzed is predicted to save at least 5 % of either: an archive "
		"(`lib*.a`) lies beside each library that it takes, and it takes at most 10.",
	.details = "The links are `-no-pie` with static libraries (not for a file that has a fixed "
		   "address already, which keeps it), `-static-libstdc++ -static-libgcc`, both, "
		   "and `-static` (not for programs that call dlopen, or that loaded plugins or "
		   "NSS modules in this run). docs/whatif.md compares predictions with programs "
		   "that were linked so.",
	.limits = "Whether an archive fits its library is not known; those of the compiler "
		  "(libstdc++, libgcc) are taken to be there. A program at a fixed "
		  "address, or with libraries in it, is not randomised as before, or does not get "
		  "their security updates.",
	.where = "initiator=loader|symbol-lookup|relocation|ifunc|lazy-binding",
	.who = MODEL_FOR_LINK,
	.needs_all_faults = true,
	.find = find,
};
