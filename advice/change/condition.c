// SPDX-License-Identifier: Apache-2.0
// Every file is the same on both sides, so that what differs is not the build.
//
// Speaks only where something differs. Files are the same by their build-ids: where one has none,
// or is on one side only, nothing is said.
#include "advice/change/rule.h"

#include "base/figure.h"

#include <math.h>
#include <string.h>

enum { CACHE, UNEXPLAINED };
enum {
	MIN_PERCENT = 5,     // runs may differ by less without any reason that could be named
	MIN_BYTES = 1 << 20, // read from storage
};

/** Is every file on both sides, with one build-id? False also if there is none. */
static bool are_same(const struct comparison *comparison)
{
	size_t count = 0;

	array_foreach (object, comparison->objects, comparison->object_count) {
		const char *before = object->layout[COMPARE_BEFORE].build_id;
		const char *after = object->layout[COMPARE_AFTER].build_id;

		if (!object->is_file)
			continue;
		if (!object->path[COMPARE_BEFORE] || !object->path[COMPARE_AFTER])
			return false;
		// What is no ELF file was not built.
		if (!object->layout[COMPARE_BEFORE].is_known &&
		    !object->layout[COMPARE_AFTER].is_known)
			continue;
		if (!before || !after || strcmp(before, after) != 0)
			return false;
		count++;
	}
	return count > 0;
}

static bool is_share(const struct compare_figure *figure)
{
	return kit_is_share(fabs(figure->difference), change_larger(figure), MIN_PERCENT);
}

/** "; read 187.8 MiB -> 0 B from storage", where that is known. */
static const char *describe_reads(struct changes *changes)
{
	const struct compare_figure *read = &changes->comparison->total.figures[COMPARE_READ];

	if (!changes->comparison->has_reads || read->difference == 0)
		return "";
	return arena_printf(changes->arena, "; read %s from storage",
			    change_sizes(changes, figure_whole(read->median[COMPARE_BEFORE]),
					 figure_whole(read->median[COMPARE_AFTER])));
}

/** Find the number which shows that the page cache was another; COMPARE_FAULTS: none does. */
static enum compare_metric of_cache(const struct comparison *comparison)
{
	const struct compare_figure *major = &comparison->total.figures[COMPARE_MAJOR];
	const struct compare_figure *read = &comparison->total.figures[COMPARE_READ];

	if (change_is_believed(major) && fabs(major->difference) >= CHANGE_MIN_FAULTS &&
	    is_share(major))
		return COMPARE_MAJOR;
	// Few faults may read much at once.
	if (comparison->has_reads && change_is_believed(read) &&
	    fabs(read->difference) >= MIN_BYTES && is_share(read))
		return COMPARE_READ;
	return COMPARE_FAULTS;
}

static void find(struct changes *changes)
{
	const struct comparison *comparison = changes->comparison;
	const struct compare_figure *figures = comparison->total.figures;
	const struct compare_figure *faults = &figures[COMPARE_FAULTS];
	enum compare_metric metric = of_cache(comparison);

	if (!are_same(comparison) ||
	    (metric == COMPARE_FAULTS && (!change_is_worth(changes, faults) || !is_share(faults))))
		return;
	change_add(
		changes, metric == COMPARE_FAULTS ? UNEXPLAINED : CACHE,
		&(struct compare_finding){ .object = MODEL_NONE,
					   .where = metric == COMPARE_MAJOR ? "kind=major" : NULL,
					   .figure = figures[metric],
					   .is_cause = metric != COMPARE_FAULTS },
		KIT_VALUES({ "difference", change_fewer(changes, faults) },
			   { "major", change_arrow(changes, &figures[COMPARE_MAJOR]) },
			   { "reads", describe_reads(changes) },
			   { "faults", change_arrow(changes, faults) }));
}

#define EVIDENCE "All ELF files have the same build-ids on both sides. Total faults: {faults}."

const struct change_rule change_condition = {
	.prose = {
		[CACHE] = {
			.id = "same-files",
			.title = "The page cache differs, not the build: {major} major "
				 "faults{reads}",
			.evidence = EVIDENCE,
		},
		[UNEXPLAINED] = {
			.id = "same-files",
			.title = "Both sides run the same files: the build does not explain "
				 "{difference}",
			.evidence = EVIDENCE,
		},
	},
	.counts = "major faults, bytes read from 1 MiB on, or all faults, each from 5 % on",
	.shown_by = "every ELF file of the run has the same build-id on both sides",
	.cause = "if major faults or bytes read differ: the page cache is the cause",
	.find = find,
};
