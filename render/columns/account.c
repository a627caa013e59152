// SPDX-License-Identifier: Apache-2.0
// The account of time: "account" of an analysis.
#include "render/columns/columns.h"

#include "model/account.h"
#include "model/calls.h"
#include "render/json/node.h"

static const struct model_process_times *process_of(const void *row, const void *context)
{
	const struct model_call *call = row;
	const struct model *model = context;

	return &model->account->processes[call->process];
}

static struct json_object *call_pid(const void *row, const void *model)
{
	return json_object_new_uint64(process_of(row, model)->pid);
}

static struct json_object *call_comm(const void *row, const void *model)
{
	return node_text(((const struct model *)model)->comms[process_of(row, model)->comm]);
}

static struct json_object *call_start(const void *row, const void *model)
{
	return json_object_new_uint64(process_of(row, model)->start_ns);
}

// clang-format off
const struct row_column account_columns[] = {
	ROW("wait_kind", NULL),
	{ "count", "number>0" },
	{ "wait", "number", "nanoseconds in the state wait" },
	{ "file-io", "number", "in the state file-io" },

	ROW("account_process", NULL),
	{ "pid", "integer" },
	{ "parent_pid", "integer?" },
	{ "comm", "text" },
	{ "threads", "integer" },
	{ "faults", "integer" },
	{ "start_ns", "integer", "since the start of the recording" },
	{ "end_ns", "integer" },
	{ "main", "by_state", "of its first thread" },
	{ "all", "by_state" },
	{ "waits", "{wait: wait_kind}", "of all its threads" },

	ROW("time_check",
	    "the kernel's counts of the threads that were seen from their beginning to their "
	    "end, beside the account of the same; null: none was"),
	{ "kernel_cpu_ns", "number", "sum_exec_runtime, which ru_utime + ru_stime add up to" },
	{ "account_cpu_ns", "number", "cpu + fault" },
	{ "kernel_runnable_ns", "number", "run_delay, the second number of /proc/PID/schedstat" },
	{ "account_runnable_ns", "number" },

	ROW("code", "a function, null: unknown or none"),
	{ "function", "text?", "null: code without a name" },
	{ "object", "text?" },
	{ "section", "text?" },

	ROW("computed", NULL),
	{ "function", "text?", "null: unknown, none, or code without a name" },
	{ "object", "text?" },
	{ "section", "text?" },
	{ "source", "text?", "file:line in the function that took most of it" },
	{ "cpu_ns", "number" },
	{ "error_ns", "number?",
	  "the true time is nearer than this in 19 of 20 cases; null: of threads without a "
	  "sample, or of the kernel where it is not sampled" },
	{ "main_ns", "number", "of cpu_ns: in the command's first thread" },
	{ "kernel_ns", "number", "of cpu_ns: in the kernel, in system calls of the function" },
	{ "samples", "number" },
	{ "shown_ns?", "number?",
	  "of an answer narrowed by OBJECT or --where: the part that it shows, of these files' "
	  "functions or blamed on them; null: a condition is on what only faults have" },
	{ "by_initiator", "{initiator: number}", "adds up to cpu_ns" },

	ROW("computed_by_function", NULL),
	{ "", "computed" },
	{ "blame", "code?", "in by_function: the function to blame for most of it" },

	ROW("computed_by_blame", NULL),
	{ "", "computed" },
	{ "mostly", "code?", "in by_blame: the function that ran for most of it" },

	ROW("waited_by_function", NULL),
	{ "at", "code?", "the function that called into the kernel" },
	{ "blame", "code?" },
	{ "source", "text?", "the line in the function to blame that waited longest" },
	{ "initiator", "initiator", "of most of the time" },
	{ "wait_ns", "number" },
	{ "file_io_ns", "number" },
	{ "main_ns", "number", "of both: by the command's first thread" },
	{ "waits", "number", "how often" },
	{ "shown_ns?", "number?",
	  "of an answer narrowed by OBJECT or --where: the part that it shows, of these files' "
	  "functions or blamed on them; null: a condition is on what only faults have" },

	ROW("call", NULL),
	{ "call", "text?", "its name on x86-64; null: unknown, or of 32 bits",
	  AT(model_call, name) },
	{ "count", "number", "0: only an execve that the program after it counts",
	  AT(model_call, count) },
	{ "duration_ns", "number", NULL, AT(model_call, ns) },
	{ "wait_ns", "number",
	  "of that: off the processor, waiting for something else than storage",
	  AT(model_call, wait_ns) },
	{ "file_io_ns", "number", "of that: waiting for storage, within faults as well",
	  AT(model_call, file_io_ns) },
	{ "runnable_ns", "number", "of that: off the processor, able to run",
	  AT(model_call, runnable_ns) },
	{ "storage_bytes", "number",
	  "that storage delivered for them, read-ahead and metadata included",
	  AT(model_call, bytes) },

	ROW("process_call", NULL),
	{ "pid", "integer", NULL, BY(call_pid) },
	{ "comm", "text", NULL, BY(call_comm) },
	{ "start_ns", "number", "of the process's row in processes", BY(call_start) },
	{ "", "call", NULL, SAME },

	ROW("calls",
	    "system calls: how often, and how long from their beginnings to their ends "
	    "(docs/waits.md); null: not recorded"),
	{ "lost", "number", "records of calls that were dropped", AT(model_calls, lost) },
	{ "count", "number", NULL, AT(model_calls, count) },
	{ "duration_ns", "number", NULL, AT(model_calls, ns) },
	{ "all", "[call]", "of all processes; most time first",
	  LIST_AT(model_calls, all, all_count) },
	{ "by_process", "[process_call]", "by process and program; most time first",
	  LIST_AT(model_calls, by_process, by_process_count) },

	ROW("awaited", NULL),
	{ "wait", "wait" },
	{ "state", "state", "wait or file-io" },
	{ "call", "text?", "the system call, of wait other" },
	{ "waker", "waker" },
	{ "pid", "integer?", "of the process that ended it; null: not recorded" },
	{ "comm", "text?" },
	{ "count", "number>0" },
	{ "duration_ns", "number>0" },
	{ "meanwhile", "by_state?",
	  "what the thread that ended it did meanwhile; of a child its first thread" },

	ROW("waits",
	    "what threads waited for (docs/waits.md); the kinds add up to the states wait and "
	    "file-io"),
	{ "main", "{wait: wait_kind}", "the command's first thread" },
	{ "all", "{wait: wait_kind}", "all threads" },
	{ "by_waker", "[awaited]",
	  "what ended the waits of the command's first thread; most time first" },

	ROW("critical_part", NULL),
	{ "pid", "integer" },
	{ "comm", "text" },
	{ "tid", "integer", "of the longest stay" },
	{ "thread", "text?", "null: the first thread; empty: another without a name of its own" },
	{ "start_ns", "number", "since the start of the recording; of a part, of its first stay" },
	{ "end_ns", "number" },
	{ "stays", "number>0", "how often the path comes here; of a step, how many are in it" },
	{ "duration_ns", "number", "what times add up to" },
	{ "times", "by_state" },
	{ "waits", "{wait: wait_kind}" },

	ROW("critical_path",
	    "what the end of the command waited for (docs/waits.md); null: its first thread "
	    "was not seen"),
	{ "parts", "[critical_part]",
	  "by process, program and name of the thread, most time first; duration_ns adds up to "
	  "wall_ns" },
	{ "steps", "[critical_part]",
	  "in order of time; what is shorter than a hundredth of wall_ns is one step with what "
	  "is beside it; duration_ns adds up to wall_ns" },

	ROW("account", "where the time went; null: no time was recorded"),
	{ "complete", "bool", "no event of time was lost, and every thread was seen to its end" },
	{ "faults_in_cpu", "bool",
	  "the recording does not tell time in faults from the rest of cpu (perf backend "
	  "without samples of the kernel)" },
	{ "wall_ns", "number",
	  "of the command's first thread, from exec to exit; the states of main add up to it" },
	{ "main", "by_state" },
	{ "all", "by_state", "of all threads" },
	{ "main_by_initiator", "{initiator: by_state}" },
	{ "by_initiator", "{initiator: by_state}" },
	{ "main_cpu_error_ns", "{initiator: number}" },
	{ "cpu_error_ns", "{initiator: number}" },
	{ "samples", "number", "of the processor, which divide cpu; 0: none were taken" },
	{ "samples_lost", "number" },
	{ "pauses_lost", "number" },
	{ "check", "time_check?",
	  "the kernel's counts of the threads that were seen from their beginning to their "
	  "end, beside the account of the same; null: none was" },
	{ "processes", "[account_process]",
	  "by start: each process and the program it ran; one that executes another has a row "
	  "for each" },
	{ "by_function", "[computed_by_function]",
	  "which functions computed, outside faults, in all threads: as samples of the "
	  "processor divide cpu; cpu_ns adds up to all.cpu. Most first. Code without a "
	  "function (null) has a row for each initiator" },
	{ "by_blame", "[computed_by_blame]",
	  "the same by the function to blame, as for faults: the innermost on the stack "
	  "outside libc and the like" },
	{ "waits_by_function", "[waited_by_function]",
	  "where threads waited, outside faults: adds up to all.wait and all.file-io. Most "
	  "first" },
	{ "calls", "calls?",
	  "system calls: how often, and how long from their beginnings to their ends "
	  "(docs/waits.md); null: not recorded" },
	{ "waits", "waits",
	  "what threads waited for (docs/waits.md); the kinds add up to the states wait and "
	  "file-io" },
	{ "critical_path", "critical_path?",
	  "what the end of the command waited for (docs/waits.md); null: its first thread was "
	  "not seen" },
	{ 0 },
};
// clang-format on
