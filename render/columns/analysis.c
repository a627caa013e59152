// SPDX-License-Identifier: Apache-2.0
// The document of `analyze --format json`.
#include "render/columns/objects.h"

#include "model/missing.h"
#include "model/model.h"
#include "model/prefault.h"
#include "model/search.h"
#include "render/columns/node.h"

KNOWN_OF(knows_kinds, model_counts, !row->kinds_unknown)
VALUE_IN(missing_new, json_object_new_uint64(model_missing(row).total))

static const struct model_function *function_of(const void *row, const void *context)
{
	const struct model *model = ((const struct object_context *)context)->model;
	uint32_t function = ((const struct model_toucher *)row)->function;

	return function == MODEL_NONE ? NULL : &model->functions[function];
}

static struct json_object *toucher_function(const void *row, const void *context)
{
	const struct model_function *function = function_of(row, context);

	return node_text(function ? function->name : NULL);
}

static struct json_object *toucher_object(const void *row, const void *context)
{
	const struct model *model = ((const struct object_context *)context)->model;
	const struct model_function *function = function_of(row, context);

	return node_text(function && function->object != MODEL_NONE
				 ? model->objects[function->object].path
				 : NULL);
}

static const char *origin_word(unsigned value)
{
	return model_origin_name(value);
}

VALUE_OF(search_pid, model_search,
	 json_object_new_uint64(((const struct model *)context)->programs[row->program].pid))

static struct json_object *search_owner(const void *row, const void *context)
{
	const uint32_t owner = ((const struct model_search *)row)->owner;

	return node_text(
		owner == MODEL_NONE ? NULL : ((const struct model *)context)->objects[owner].path);
}

// clang-format off
const struct row_column analysis_columns[] = {
	ROW("attached_process",
	    "the process that ran already, by record -p; null: a command was started"),
	{ "pid", "number" },
	{ "comm", "text?" },
	{ "cgroup", "text?",
	  "all of whose processes were recorded, by record --cgroup; pid is the first that executed a "
	  "program there" },

	ROW("plain_run", "as wait4 gives it, from the command's release before exec to its end"),
	{ "wall_ns", "number>0" },
	{ "user_ns", "number" },
	{ "system_ns", "number" },
	{ "minor", "number" },
	{ "major", "number" },

	ROW("window", "times since the start of the recording"),
	{ "from_ns", "number" },
	{ "until_ns", "number>0", "what happened then is no longer counted, unless the recording "
				   "ends then" },

	ROW("trace", NULL),
	{ "path", "text" },
	{ "command", "[text]",
	  "the program and the names of its options, … for other words unless --arguments is "
	  "given" },
	{ "process", "attached_process?",
	  "the process that ran already, by record -p; null: a command was started" },
	{ "backend", "bpf|perf|perf-script|bpftrace|offsets?",
	  "what recorded; the last three: a log that was imported" },
	{ "kernel", "text?" },
	{ "machine", "text?" },
	{ "page_size", "number" },
	{ "duration_ns", "number?", "null: no times were recorded" },
	{ "window", "window?",
	  "the part of the recording that is counted, by --from and --until; null: all of it" },
	{ "complete", "bool",
	  "the trace has its end, no fault is missing (counts.missing), and no mapping or task "
	  "record was lost" },
	{ "truncated", "bool", "the trace ends early" },
	{ "has_stacks", "bool" },
	{ "has_reads", "bool", "what faults read is known" },
	{ "plain", "plain_run?",
	  "the command unrecorded, run just before by record --repeat; null: it was not run so, "
	  "or this is of a window" },

	ROW("counts", NULL),
	{ "recorded", "number", "attributed + unattributed", AT(model_counts, recorded) },
	{ "attributed", "number", NULL, AT(model_counts, attributed) },
	{ "unattributed", "number", NULL, AT(model_counts, unattributed) },
	{ "lost", "number", "of the whole recording", AT(model_counts, lost) },
	{ "minor", "number?", "null: not recorded; faults show as minor then",
	  AT_WHERE(model_counts, minor, knows_kinds) },
	{ "major", "number?", NULL, AT_WHERE(model_counts, major, knows_kinds) },
	{ "rusage_minor", "number?",
	  "the kernel's own count; with rusage_major it is recorded + lost + before_exec + "
	  "unsampled", AT_IF(model_counts, rusage_minor, has_rusage) },
	{ "rusage_major", "number?", NULL, AT_IF(model_counts, rusage_major, has_rusage) },
	{ "unsampled", "number?", "counted by the kernel, but raising no event",
	  AT_IF(model_counts, unsampled, has_unsampled) },
	{ "exec_unsampled", "number?",
	  "of those: taken in exec; with the perf backend, which cannot tell, at most so many in exec "
	  "and, without privilege, fork. "
	  "null: not recorded (an older trace)",
	  AT_IF(model_counts, exec_unsampled, has_unrecorded) },
	{ "call_unsampled", "number?",
	  "of those: taken in other system calls, such as mlock; null: not recorded",
	  AT_IF(model_counts, call_unsampled, has_unrecorded) },
	{ "hidden", "number?",
	  "faults of programs that the recorder's user may not trace (setuid, with file "
	  "capabilities or unreadable); null: not recorded",
	  AT_IF(model_counts, hidden, has_unrecorded) },
	{ "unseen_programs", "number?",
	  "such programs of which the perf backend saw nothing; null: not recorded",
	  AT_IF(model_counts, unseen_programs, has_unrecorded) },
	{ "missing", "number",
	  "faults that happened and are not in the trace, for whatever reason; at least one "
	  "for each unseen program", BY(missing_new) },
	{ "before_exec", "number",
	  "of the command's process before it was the command; not in the trace",
	  AT(model_counts, before_exec) },
	{ "lost_other", "number", "records of mappings and tasks that were lost",
	  AT(model_counts, lost_other) },
	{ "stacks_lost", "number",
	  "recorded faults whose stack was lost in recording or has no callers, as the "
	  "recorder counted", AT(model_counts, stacks_lost) },
	{ "without_stack", "number",
	  "recorded faults without a call stack, or with one of a single frame; not those of "
	  "exec, nor of a trace without stacks", AT(model_counts, without_stack) },
	{ "without_stack_unknown", "number", "of these, how many have an unknown initiator",
	  AT(model_counts, without_stack_unknown) },
	{ "processes", "number", NULL, AT(model_counts, processes) },
	{ "threads", "number", NULL, AT(model_counts, threads) },
	{ "programs", "number", NULL, AT(model_counts, programs) },
	{ "read_bytes", "number?", "brought into the page cache by faults; null: not known",
	  AT_IF(model_counts, read_bytes, has_reads) },
	{ "read_again_bytes", "number?",
	  "of files that were mapped: that storage delivered though the run had had them in memory; "
	  "null: storage was not recorded", AT_IF(model_counts, read_again_bytes, has_read_again) },
	{ "in_elf", "number", "faults in ELF files that could be read", AT(model_counts, in_elf) },
	{ "in_elf_section", "number", "of in_elf: with a section",
	  AT(model_counts, in_elf_section) },
	{ "in_elf_symbol", "number", "of in_elf: with a symbol or a named entry",
	  AT(model_counts, in_elf_symbol) },

	ROW("toucher", NULL),
	{ "function", "text?", NULL, BY(toucher_function) },
	{ "object", "text?", NULL, BY(toucher_object) },
	{ "faults", "number", NULL, AT(model_toucher, count.faults) },
	{ "major", "number", NULL, AT(model_toucher, count.major) },

	CLOSED_ROW("prefault", NULL),
	{ "call", "text?", "null: unknown, or of 32 bits", AT(model_prefault, call) },
	{ "file", "text?", "its path, or [heap] and the like; null: several, or unknown",
	  AT(model_prefault, file) },
	{ "section", "text?", "null: several, or unknown", AT(model_prefault, section) },
	{ "faults", "number>0", NULL, AT(model_prefault, faults) },

	CLOSED_ROW("search", "a system call by which the dynamic linker looked for a library"),
	{ "pid", "number", NULL, BY(search_pid) },
	{ "time_ns", "number", "when it returned, since the start of the recording",
	  AT(model_search, time_ns) },
	{ "duration_ns", "number?", NULL, AT_NONZERO(model_search, duration_ns) },
	{ "call", "text?", NULL, AT(model_search, call) },
	{ "path", "text", "as the linker made it", AT(model_search, path) },
	{ "library", "text?", "the name it looked for; null: path is no library's but a folder's, "
	  "or the cache's", AT(model_search, library) },
	{ "folder", "text?", "of the search path, without folders for kinds of processors below it",
	  AT(model_search, folder) },
	{ "error", "number", "errno; 0: it is there", AT(model_search, error) },
	{ "origin", "origin", NULL, WORD_AT(model_search, origin, origin_word) },
	{ "owner", "text?", "of rpath and runpath: the file that has it", BY(search_owner) },

	CLOSED_ROW("library_search", "where the dynamic linker looked for libraries"),
	{ "opened", "number", "files", AT(model_searches, opened) },
	{ "missed", "number", "that were not there", AT(model_searches, missed) },
	{ "duration_ns", "number?", "of all calls", AT_IF(model_searches, ns, has_times) },
	{ "untold", "number",
	  "calls left out, of a linker that is the C library as well (musl): which of them look "
	  "for libraries is not known", AT(model_searches, untold) },
	{ "lost", "number", "records of calls that were dropped, of whatever kind",
	  AT(model_searches, lost) },
	{ "calls", "[search]", "in order of time", LIST_AT(model_searches, list, count) },

	DOCUMENT("analysis", "elfault analyze --format json",
		 "Addresses are strings, offsets and sizes bytes, times nanoseconds; null where "
		 "it does not apply or is not known. Lists are ordered by faults, then name. "
		 "Keys may be added."),
	{ "schema", "elfault.analysis/1" },
	{ "trace", "trace" },
	{ "filter", "text?",
	  "the condition that all faults of objects meet, in the words of --where; counts are "
	  "of the whole trace" },
	{ "counts", "counts" },
	{ "account", "account?" },
	{ "set", "run_set?", "the runs of which this is the nearest to their median; null: one trace was given" },
	{ "objects", "[object]" },
	{ "by_blame", "[toucher]",
	  "the same of all faults shown: the innermost frame outside libc, libstdc++, the "
	  "dynamic linker and the like; faults without one are left out" },
	{ "prefaults", "[prefault]",
	  "faults that system calls other than exec took without an event (populated and "
	  "locked memory, buffers of direct I/O), of the whole trace; most first. They are in "
	  "counts.call_unsampled, not in counts.recorded. Empty with the perf backend" },
	{ "library_search", "library_search?",
	  "of the whole trace; null where it was not recorded: with the perf backend, and by older "
	  "recorders" },
	{ "bindings", "[loading]",
	  "names that the dynamic linker binds when it loads programs, computed from the files; "
	  "analyze --bindings has each name. Of the whole trace, most names first" },
	{ "storage", "disk_reads?",
	  "what disks read while recording, and for what (docs/inside/trace-format.md); null where it "
	  "was not recorded. Of the whole run, whatever is shown. The by_ causes add up to "
	  "device_bytes" },
	{ "findings", "[finding]", "what costs most first" },
	{ "notes", "[text]" },
	{ "listings?", "[listing]",
	  "with --function: the functions of that name, what costs most first, at most 64" },
	{ "faults?", "[fault]", "with --faults" },
	{ 0 },
};
// clang-format on
