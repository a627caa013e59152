// SPDX-License-Identifier: Apache-2.0
// Advice on what the text of perf script lacks: how to record or print it.
#include "import/perfscript.h"

#include "base/cleanup.h"
#include "base/figure.h"

static void note_kinds(struct perfscript *script)
{
	struct imported *to = script->to;

	to->meta.kinds_unknown = script->begins > 0 && script->ends == 0;
	if (script->begins == 0)
		return;
	if (script->ends == 0)
		notes_add(&to->notes,
			  "%s: page-faults does not tell minor from major (all show as minor), nor "
			  "how long a fault took; record -e page-faults,minor-faults,major-faults",
			  to->source);
	else
		notes_add_counted(
			&to->notes, script->begins - script->joined,
			"%s: a fault has no minor-faults or major-faults event: it failed, "
			"or the event was lost; it shows as minor",
			to->source);
	if (script->joined > 0)
		notes_add(&to->notes,
			  "%s: durations are from page-faults to minor-faults or major-faults, and "
			  "include the time in which perf recorded the first",
			  to->source);
}

static void note_stacks(struct perfscript *script)
{
	struct imported *to = script->to;

	to->meta.stacks_have_gaps = to->meta.has_stacks && !script->is_dwarf;
	if (to->meta.stacks_have_gaps)
		notes_add(
			&to->notes,
			"%s: call chains by frame pointers, as far as the log tells, miss callers "
			"of code built without: they are shown, but decide nothing; record "
			"--call-graph dwarf and print with --header",
			to->source);
	notes_add_counted(
		&to->notes, script->unplaced,
		"%s: a call chain ends at a frame that is in no known mapping of its file; "
		"print -F ...,ip,dso with --show-mmap-events",
		to->source);
	notes_add_counted(
		&to->notes, script->kernel_ip_unknown,
		"%s: a fault that the kernel took has no call chain that says which of the "
		"program's instructions it was for; record -g",
		to->source);
	notes_add_counted(&to->notes, script->ambiguous,
			  "%s: several numbers of a line may be the instruction; print with -F "
			  "comm,pid,tid,time,period,event,addr,ip",
			  to->source);
}

static void note_sampling(struct perfscript *script)
{
	struct imported *to = script->to;
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (script->sampled > 0)
		notes_add(
			&to->notes,
			"%s: perf took samples: %s faults have none and count as lost; record -c 1",
			to->source, figure_number(&arena, script->unsampled_faults));
	if (script->without_period > 0)
		notes_add(&to->notes,
			  "%s: whether each fault has a sample is unknown: print -F ...,period",
			  to->source);
	notes_add_counted(&to->notes, script->others.count,
			  "%s: a sample of another event is left out; the first is line %llu",
			  to->source, (unsigned long long)script->others.first);
	if (to->meta.machine && !script->has_arch)
		notes_add(&to->notes, "%s: pages of 4 KiB are assumed: the log does not tell",
			  to->source);
}

static bool has_build_ids(const struct imported *to)
{
	vec_foreach (mapping, &to->mappings)
		if (mapping->build_id_size > 0)
			return true;
	return false;
}

void perfscript_note(struct perfscript *script)
{
	struct imported *to = script->to;

	notes_add(&to->notes,
		  "imported from perf script (%s%s%s): no error codes (read or write is inferred), "
		  "no "
		  "fault-around, no bytes read by faults, no mremap, no count of the kernel's to "
		  "check against",
		  to->source, script->version ? ", perf " : "",
		  script->version ? script->version : "");
	note_kinds(script);
	note_stacks(script);
	note_sampling(script);
	if (to->mappings.count > 0 && !script->first_exec)
		notes_add(&to->notes,
			  "%s: has no exec: how far a program had come is unknown; print with "
			  "--show-task-events",
			  to->source);
	if (to->mappings.count == 0)
		notes_add(&to->notes,
			  "%s: has no mappings: nothing can be attributed; print with "
			  "--show-mmap-events --show-task-events",
			  to->source);
	else if (!has_build_ids(to))
		notes_add(&to->notes, "%s: has no build-ids; record --buildid-mmap", to->source);
}
