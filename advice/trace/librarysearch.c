// SPDX-License-Identifier: Apache-2.0
// The dynamic linker looks for libraries in many folders that do not have them.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "model/search.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_MISSED = 100, NAMED = 3 };

/** By index of the rule's cures. */
enum {
	CURE_ENVIRONMENT = 1 << 0,
	CURE_CACHE = 1 << 1,
	CURE_RUNPATH = 1 << 2,
	CURE_NAMES = 1 << 3,
};

/** The files that were not in one folder. */
struct place {
	const char *folder;
	uint64_t missed;
};

ORDER_OF(compare_places, place, ORDER(y->missed, x->missed) ?: strcmp(x->folder, y->folder))

/** "/opt/a/lib 120, /opt/b/lib 80" */
static const char *describe_folders(struct findings *findings)
{
	const struct model_searches *searches = findings->model->searches;
	struct arena *arena = findings->arena;
	CLEANUP(freep) const char **folders = xcalloc(searches->count + 1, sizeof(*folders));
	CLEANUP(freep) struct place *places = xcalloc(searches->count + 1, sizeof(*places));
	size_t count = 0, place_count = 0;
	const char *list = NULL;

	array_foreach (search, searches->list, searches->count)
		if (model_search_missed(search))
			folders[count++] = search->folder ?: "(unknown)";
	qsort((void *)folders, count, sizeof(*folders), order_texts);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(folders[i - 1], folders[i]) != 0)
			places[place_count++].folder = folders[i];
		places[place_count - 1].missed++;
	}
	qsort(places, place_count, sizeof(*places), compare_places);
	for (size_t i = 0; i < place_count && i < NAMED; i++)
		list = kit_append(arena, list, ", ",
				  arena_printf(arena, "%s %s", places[i].folder,
					       figure_number(arena, places[i].missed)));
	return list;
}

/** "2,100 by LD_LIBRARY_PATH, 40 by RUNPATH": @by counts by origin. */
static const char *describe_origins(struct findings *findings, const uint64_t *by)
{
	static const char *const words[MODEL_ORIGINS] = {
		[MODEL_ORIGIN_RPATH] = "DT_RPATH",
		[MODEL_ORIGIN_RUNPATH] = "DT_RUNPATH",
		[MODEL_ORIGIN_LIBRARY_PATH] = "LD_LIBRARY_PATH",
		[MODEL_ORIGIN_CACHE] = "ld.so.cache",
		[MODEL_ORIGIN_DEFAULT] = "default folders",
		[MODEL_ORIGIN_NAMED] = "paths as named",
		[MODEL_ORIGIN_UNKNOWN] = "an unknown reason",
	};
	const char *list = NULL;

	for (enum model_origin origin = 0; origin < MODEL_ORIGINS; origin++)
		if (by[origin] > 0)
			list = kit_append(findings->arena, list, ", ",
					  arena_printf(findings->arena, "%s by %s",
						       figure_number(findings->arena, by[origin]),
						       words[origin]));
	return list;
}

static void find(struct findings *findings)
{
	const struct model_searches *searches = findings->model->searches;
	uint64_t by[MODEL_ORIGINS] = { 0 }, ns = 0;
	struct arena *arena = findings->arena;

	if (!searches || searches->missed < MIN_MISSED)
		return;
	array_foreach (search, searches->list, searches->count) {
		by[search->origin] += model_search_missed(search);
		// With asking whether the folder is there, which follows.
		if (search->error || (!search->library && search->origin != MODEL_ORIGIN_CACHE))
			ns += search->duration_ns;
	}
	const struct model_saving saves = {
		.duration_ns = ns,
		.is = MODEL_AT_MOST,
	};

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = MODEL_NONE,
			.cpu_ns = ns,
			.cures = CURE_NAMES |
				 (by[MODEL_ORIGIN_LIBRARY_PATH] > 0 ? CURE_ENVIRONMENT | CURE_CACHE
								    : 0) |
				 (by[MODEL_ORIGIN_RPATH] + by[MODEL_ORIGIN_RUNPATH] > 0
					  ? CURE_RUNPATH
					  : 0),
			.predicted = &saves,
		},
		KIT_VALUES({ "missed", figure_number(arena, searches->missed) },
			   { "opened", figure_number(arena, searches->opened) },
			   { "time", searches->has_times
					     ? arena_printf(arena, ", %s in these calls",
							    rule_time(findings, ns))
					     : "" },
			   { "origins", describe_origins(findings, by) },
			   { "folders", describe_folders(findings) }));
}

const struct rule rule_librarysearch = {
	.prose = {
		.id = "library-search",
		.title = "Libraries are looked for in many places",
		.evidence = "The dynamic linker looked in vain {missed} times and opened {opened} "
			    "files{time}: {origins}. Most in vain: {folders}.",
	},
	.cures = {
		{ MODEL_FOR_RUN, "Put the folder that has most of the libraries first in "
				 "`LD_LIBRARY_PATH`, and leave out folders that have none: each costs "
				 "a call for each library, and the first some twenty more.",
		  "of LD_LIBRARY_PATH" },
		{ MODEL_FOR_PACKAGE, "Name the folder in `/etc/ld.so.conf.d` and run `ldconfig` "
				     "instead: the cache answers without looking.",
		  "of LD_LIBRARY_PATH" },
		{ MODEL_FOR_LINK, "Put the folder that has most of the libraries first in "
				  "`-Wl,-rpath`, and no folder that has none; "
				  "`patchelf --shrink-rpath` removes those.",
		  "of DT_RPATH and DT_RUNPATH" },
		{ MODEL_FOR_PACKAGE, "Name libraries by their paths: `patchelf --replace-needed "
				     "libfoo.so /path/libfoo.so`." },
	},
	.about = "For each library ld.so tries the folders of `DT_RPATH`, `LD_LIBRARY_PATH` and "
		 "`DT_RUNPATH` in turn, before it asks `/etc/ld.so.cache`.",
	.when = "Reported for the run from 100 files on that the dynamic linker tried to open and "
		"that were not there.",
	.details = "`elfault analyze --full` has a line for each folder and whose path it is of, "
		   "JSON each call. Time is that of the calls; on a network's file system each may "
		   "take milliseconds.",
	.limits = "`LD_LIBRARY_PATH` is not recorded: it is known by what ld.so tries before it "
		  "opens its cache. Known only from traces of the BPF backend.",
	.needs_all_faults = true,
	.find = find,
};
