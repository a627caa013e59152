// SPDX-License-Identifier: Apache-2.0
// same-files: every file is the same on both sides, so that what differs is not the build.
//
// Speaks only where something differs. Files are the same by their build-ids: where one has none,
// or is on one side only, nothing is said.
#include "changes/rule.h"

#include <math.h>
#include <string.h>

/** One run each may differ by this much without any reason that could be named. */
enum { MIN_PERCENT = 5 };

/** Is every file on both sides, with one build-id? False also if there is none. */
static bool are_same(const struct comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->object_count; i++) {
		const struct compare_object *object = &comparison->objects[i];
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
	return fabs(figure->difference) * 100 >=
	       fmax(figure->median[COMPARE_BEFORE], figure->median[COMPARE_AFTER]) * MIN_PERCENT;
}

/** What the faults read from storage, where that is known. */
static const char *describe_reads(struct changes *changes)
{
	const struct compare_figure *read = &changes->comparison->total.figures[COMPARE_READ];

	if (!changes->comparison->has_reads || read->difference == 0)
		return "";
	return change_text(changes, "; they read %s from storage",
			   change_sizes(changes, (uint64_t)read->median[COMPARE_BEFORE],
					(uint64_t)read->median[COMPARE_AFTER]));
}

void change_condition(struct changes *changes)
{
	const struct comparison *comparison = changes->comparison;
	const struct compare_figure *figures = comparison->total.figures;
	const struct compare_figure *major = &figures[COMPARE_MAJOR];
	const struct compare_figure *faults = &figures[COMPARE_FAULTS];
	bool is_disk = change_is_believed(major) && fabs(major->difference) >= CHANGE_MIN_FAULTS &&
		       is_share(major);

	if (!are_same(comparison) ||
	    (!is_disk && (!change_is_worth(changes, faults) || !is_share(faults))))
		return;
	change_add(changes,
		   &(struct compare_finding){
			   .id = "same-files",
			   .title = is_disk ? change_text(changes,
							  "Both sides run the same files: %s major "
							  "faults differ by the page cache, not by "
							  "the build",
							  change_arrow(changes, major))
					    : change_text(changes,
							  "Both sides run the same files: the "
							  "difference of %s is not of the build",
							  change_count(changes, faults)),
			   .object = MODEL_NONE,
			   .where = is_disk ? "kind=major" : NULL,
			   .metric = is_disk ? COMPARE_MAJOR : COMPARE_FAULTS,
			   .figure = is_disk ? *major : *faults,
			   .is_cause = is_disk,
			   .evidence = change_text(
				   changes,
				   "The build-ids of all ELF files are the same. %s faults in "
				   "all%s.",
				   change_arrow(changes, faults), describe_reads(changes)),
		   });
}
