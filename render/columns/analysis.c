// SPDX-License-Identifier: Apache-2.0
// The document of `analyze --format json`.
#include "render/columns/columns.h"

#include "model/prefault.h"

// clang-format off
const struct column analysis_columns[] = {
	ROW("attached_process",
	    "the process that ran already, by record -p; null: a command was started"),
	{ "pid", "number" },
	{ "comm", "text?" },

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
	{ "complete", "bool",
	  "the trace has its end, no fault is missing (counts.missing), and no mapping or task "
	  "record was lost" },
	{ "truncated", "bool", "the trace ends early" },
	{ "has_stacks", "bool" },
	{ "has_reads", "bool", "what faults read is known" },

	ROW("counts", NULL),
	{ "recorded", "number", "attributed + unattributed" },
	{ "attributed", "number" },
	{ "unattributed", "number" },
	{ "lost", "number" },
	{ "minor", "number?", "null: not recorded; faults show as minor then" },
	{ "major", "number?" },
	{ "rusage_minor", "number?",
	  "the kernel's own count; with rusage_major it is recorded + lost + before_exec + "
	  "unsampled" },
	{ "rusage_major", "number?" },
	{ "unsampled", "number?", "counted by the kernel, but raising no event" },
	{ "exec_unsampled", "number?",
	  "of those: taken in exec; with the perf backend, which cannot tell, at most so many. "
	  "null: not recorded (an older trace)" },
	{ "call_unsampled", "number?",
	  "of those: taken in other system calls, such as mlock; null: not recorded" },
	{ "hidden", "number?",
	  "faults of programs that the recorder's user may not trace (setuid, with file "
	  "capabilities or unreadable); null: not recorded" },
	{ "unseen_programs", "number?",
	  "such programs of which the perf backend saw nothing; null: not recorded" },
	{ "missing", "number",
	  "faults that happened and are not in the trace, for whatever reason; at least one "
	  "for each unseen program" },
	{ "before_exec", "number",
	  "of the command's process before it was the command; not in the trace" },
	{ "lost_other", "number", "records of mappings and tasks that were lost" },
	{ "stacks_lost", "number",
	  "recorded faults whose stack was lost in recording or has no callers, as the "
	  "recorder counted" },
	{ "without_stack", "number",
	  "recorded faults without a call stack, or with one of a single frame; not those of "
	  "exec, nor of a trace without stacks" },
	{ "without_stack_unknown", "number", "of these, how many have an unknown initiator" },
	{ "processes", "number" },
	{ "threads", "number" },
	{ "programs", "number" },
	{ "read_bytes", "number?", "brought into the page cache by faults; null: not known" },
	{ "in_elf", "number", "faults in ELF files that could be read" },
	{ "in_elf_section", "number", "of in_elf: with a section" },
	{ "in_elf_symbol", "number", "of in_elf: with a symbol or a named entry" },

	ROW("toucher", NULL),
	{ "function", "text?" },
	{ "object", "text?" },
	{ "faults", "number" },
	{ "major", "number" },

	CLOSED_ROW("prefault", NULL),
	{ "call", "text?", "null: unknown, or of 32 bits", AT(model_prefault, call) },
	{ "file", "text?", "its path, or [heap] and the like; null: several, or unknown",
	  AT(model_prefault, file) },
	{ "section", "text?", "null: several, or unknown", AT(model_prefault, section) },
	{ "faults", "number>0", NULL, AT(model_prefault, faults) },

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
	{ "objects", "[object]" },
	{ "by_blame", "[toucher]",
	  "the same of all faults shown: the innermost frame outside libc, libstdc++, the "
	  "dynamic linker and the like; faults without one are left out" },
	{ "prefaults", "[prefault]",
	  "faults that system calls other than exec took without an event (populated and "
	  "locked memory, buffers of direct I/O), of the whole trace; most first. They are in "
	  "counts.call_unsampled, not in counts.recorded. Empty with the perf backend" },
	{ "storage", "disk_reads?",
	  "what disks read while recording, and for what (docs/inside/trace-format.md); null where it "
	  "was not recorded. Of the whole run, whatever is shown. The by_ causes add up to "
	  "device_bytes" },
	{ "findings", "[finding]", "what costs most first" },
	{ "notes", "[text]" },
	{ "faults?", "[fault]", "with --faults" },
	{ 0 },
};
// clang-format on
