// SPDX-License-Identifier: Apache-2.0
// The account of time: "account" of an analysis.
#include "render/columns/columns.h"

#include "derive/hot.h"
#include "model/account.h"
#include "model/calls.h"
#include "model/marks.h"
#include "model/waits.h"
#include "render/columns/node.h"

static const struct model_process_times *process_of(const void *process, const void *context)
{
	uint32_t index = *(const uint32_t *)process;
	const struct model *model = context;

	return index == MODEL_NONE ? NULL : &model->account->processes[index];
}

static struct json_object *process_pid(const void *row, const void *model)
{
	const struct model_process_times *process = process_of(row, model);

	return process ? json_object_new_uint64(process->pid) : NULL;
}

VALUE_IN(comm_new, node_text(((const struct model *)context)->comms[*(const uint32_t *)row]))

static struct json_object *process_comm(const void *row, const void *model)
{
	const struct model_process_times *process = process_of(row, model);

	return process ? comm_new(&process->comm, model) : NULL;
}

VALUE_IN(process_start, json_object_new_uint64(process_of(row, context)->start_ns))

/** Without kinds that nothing waited for. */
static struct json_object *kinds_new(const void *row, const void *context)
{
	const struct model_waits *waits = row;
	struct json_object *object = node_object();

	for (enum model_wait i = 0; i < MODEL_WAITS; i++) {
		if (waits->count[i] == 0)
			continue;
		struct json_object *kind = node_object();

		node_add_number(kind, "count", waits->count[i]);
		node_add_number(kind, "wait", waits->wait_ns[i]);
		node_add_number(kind, "file-io", waits->file_io_ns[i]);
		node_add(object, model_wait_name(i), kind);
	}
	return object;
}

VALUE_OF(process_command, model_process_times, node_texts(row->command, row->command_count))

static struct json_object *process_waits(const void *row, const void *context)
{
	const struct model_account *account = ((const struct model *)context)->account;
	size_t index = (size_t)((const struct model_process_times *)row - account->processes);

	return account->waiting ? kinds_new(&account->waiting->processes[index], context) : NULL;
}

static struct json_object *times_new(const struct model_times *times)
{
	struct json_object *object = node_object();

	for (enum model_state i = 0; i < MODEL_STATES; i++)
		node_add_number(object, model_state_name(i), times->ns[i]);
	return object;
}

VALUE_OF(meanwhile_new, model_awaited,
	 row->process == MODEL_NONE ? NULL : times_new(&row->meanwhile))

static bool is_nothing(const struct model_times *times)
{
	for (enum model_state i = 0; i < MODEL_STATES; i++)
		if (times->ns[i] > 0)
			return false;
	return true;
}

/** Without those that no time was spent on. */
static struct json_object *initiators_new(const void *row, const void *context)
{
	const struct model_times *times = row;
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (!is_nothing(&times[i]))
			node_add(object, model_initiator_name(i), times_new(&times[i]));
	return object;
}

static struct json_object *errors_new(const uint64_t *errors, const struct model_times *times)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (errors[i] > 0 && times[i].ns[MODEL_STATE_CPU] > 0)
			node_add_number(object, model_initiator_name(i), errors[i]);
	return object;
}

VALUE_OF(errors, model_account, errors_new(row->cpu_error_ns, row->by_initiator))
VALUE_OF(main_errors, model_account, errors_new(row->main_cpu_error_ns, row->main_by_initiator))
VALUE_IN(not_new, json_object_new_boolean(!*(const bool *)row))
VALUE_OF(subject_errors, model_subject, errors_new(row->cpu_error_ns, row->by_initiator))

static const void *thread_waits_of(const void *row, size_t index, const void *context)
{
	const struct model *model = context;

	return model->account->waiting ? &model->account->waiting->subject : NULL;
}

static const void *mark_of(const void *row, size_t index, const void *context)
{
	const struct model *model = context;

	return index < model->mark_count ? &model->marks[index] : NULL;
}

static const void *calls_of(const void *row, size_t index, const void *model)
{
	return ((const struct model *)model)->calls;
}

/** A function and the file that it is in. */
static struct json_object *function_new(const struct model *model, uint32_t index)
{
	if (index == MODEL_NONE)
		return NULL;
	const struct model_function *function = &model->functions[index];
	struct json_object *object = node_object();

	node_add_text(object, "function", function->name);
	node_add_text(object, "object",
		      function->object == MODEL_NONE ? NULL
						     : model->objects[function->object].path);
	node_add_text(object, "section", function->section);
	return object;
}

static struct json_object *hot_initiators(const struct hot_row *row)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (row->by_initiator[i] > 0)
			node_add_number(object, model_initiator_name(i), row->by_initiator[i]);
	return object;
}

/** The part that the answer is narrowed to. */
static void add_shown(struct json_object *object, const struct model *model,
		      const struct hot_row *row)
{
	if (model->filter)
		node_add_known(object, "shown_ns", !model->account->only_of_faults, row->shown_ns);
}

static struct json_object *cpu_row_new(const struct model *model, const struct hot_row *row,
				       bool by_blame)
{
	uint32_t subject = by_blame ? row->blame : row->function;
	struct json_object *object = function_new(model, subject);

	if (!object) {
		object = node_object();
		node_add_text(object, "function", NULL);
		node_add_text(object, "object", NULL);
		node_add_text(object, "section", NULL);
	}
	node_add_text(object, "source", row->source);
	node_add_number(object, "cpu_ns", row->ns);
	node_add_known(object, "error_ns", row->moments > 0, row->error_ns);
	node_add_number(object, "main_ns", row->main_ns);
	node_add_number(object, "kernel_ns", row->kernel_ns);
	node_add_number(object, "samples", row->moments);
	add_shown(object, model, row);
	node_add(object, "by_initiator", hot_initiators(row));
	node_add(object, by_blame ? "mostly" : "blame",
		 function_new(model, by_blame ? row->function : row->blame));
	return object;
}

static struct json_object *computed_new(const struct model *model, bool by_blame)
{
	struct json_object *list = node_array();
	CLEANUP(hot_deinit) struct hot hot;

	hot_init(&hot, model,
		 &(struct hot_question){ .by = by_blame ? HOT_BY_BLAME : HOT_BY_FUNCTION });
	vec_foreach (row, &hot.list)
		node_append(list, cpu_row_new(model, row, by_blame));
	return list;
}

VALUE_IN(hot_functions, computed_new(context, false))
VALUE_IN(hot_blamed, computed_new(context, true))

static struct json_object *hot_waits(const void *row, const void *context)
{
	const struct model *model = context;
	struct json_object *list = node_array();
	CLEANUP(hot_deinit) struct hot hot;

	hot_init(&hot, model, &(struct hot_question){ .by = HOT_BY_BOTH, .waits = true });
	vec_foreach (waited, &hot.list) {
		struct json_object *object = node_object();

		node_add(object, "at", function_new(model, waited->function));
		node_add(object, "blame", function_new(model, waited->blame));
		node_add_text(object, "source", waited->source);
		node_add_text(object, "initiator", model_initiator_name(waited->initiator));
		node_add_number(object, "wait_ns", waited->ns - waited->storage_ns);
		node_add_number(object, "file_io_ns", waited->storage_ns);
		node_add_number(object, "main_ns", waited->main_ns);
		node_add_number(object, "waits", waited->moments);
		add_shown(object, model, waited);
		node_append(list, object);
	}
	return list;
}

// clang-format off
const struct row_column account_columns[] = {
	ROW("wait_kind", NULL),
	{ "count", "number>0" },
	{ "wait", "number", "nanoseconds in the state wait" },
	{ "file-io", "number", "in the state file-io" },

	ROW("account_process", NULL),
	{ "pid", "integer", NULL, AT(model_process_times, pid) },
	{ "parent_pid", "integer?", NULL, AT_NONZERO(model_process_times, parent_pid) },
	{ "comm", "text", NULL, BY_AT(model_process_times, comm, comm_new) },
	{ "command", "[text]",
	  "the first 256 bytes of what it executed, with … for what is not shown or kept; empty: "
	  "it executed nothing, or that was not recorded",
	  BY(process_command) },
	{ "threads", "integer", NULL, AT(model_process_times, thread_count) },
	{ "faults", "integer", NULL, AT(model_process_times, faults) },
	{ "start_ns", "integer", "since the start of the recording",
	  AT(model_process_times, start_ns) },
	{ "end_ns", "integer", NULL, AT(model_process_times, end_ns) },
	{ "main", "by_state", "of its first thread", NUMBERS_AT(model_process_times, main.ns) },
	{ "all", "by_state", NULL, NUMBERS_AT(model_process_times, all.ns) },
	{ "waits", "{wait: wait_kind}", "of all its threads", BY(process_waits) },

	ROW("time_check",
	    "the kernel's counts of the threads that were seen from their beginning to their "
	    "end, beside the account of the same; null: none was"),
	{ "kernel_cpu_ns", "number", "sum_exec_runtime, which ru_utime + ru_stime add up to",
	  AT(model_time_check, kernel_cpu_ns) },
	{ "account_cpu_ns", "number", "cpu + fault", AT(model_time_check, account_cpu_ns) },
	{ "kernel_runnable_ns", "number", "run_delay, the second number of /proc/PID/schedstat",
	  AT(model_time_check, kernel_runnable_ns) },
	{ "account_runnable_ns", "number", "runnable, without stolen_ns",
	  AT(model_time_check, account_runnable_ns) },
	{ "stolen_ns", "number",
	  "of runnable: a hypervisor (steal) or interrupts had the processor, by what kernel_cpu_ns "
	  "leaves out",
	  AT(model_time_check, stolen_ns) },

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
	{ "pid", "integer", NULL, BY_AT(model_call, process, process_pid) },
	{ "comm", "text", NULL, BY_AT(model_call, process, process_comm) },
	{ "start_ns", "number", "of the process's row in processes",
	  BY_AT(model_call, process, process_start) },
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
	{ "wait", "wait", NULL, WORD_AT(model_awaited, wait, model_wait_name) },
	{ "state", "state", "wait or file-io", WORD_AT(model_awaited, state, model_state_name) },
	{ "call", "text?", "the system call, of wait other", AT(model_awaited, call) },
	{ "waker", "waker", NULL, WORD_AT(model_awaited, waker, model_waker_name) },
	{ "pid", "integer?", "of the process that ended it; null: not recorded",
	  BY_AT(model_awaited, process, process_pid) },
	{ "comm", "text?", NULL, BY_AT(model_awaited, process, process_comm) },
	{ "count", "number>0", NULL, AT(model_awaited, count) },
	{ "duration_ns", "number>0", NULL, AT(model_awaited, ns) },
	{ "meanwhile", "by_state?",
	  "what the thread that ended it did meanwhile; of a child its first thread",
	  BY(meanwhile_new) },

	ROW("waits",
	    "what threads waited for (docs/waits.md); the kinds add up to the states wait and "
	    "file-io"),
	{ "main", "{wait: wait_kind}", "the command's first thread",
	  BY_AT(model_waiting, main.kinds, kinds_new) },
	{ "all", "{wait: wait_kind}", "all threads", BY_AT(model_waiting, all, kinds_new) },
	{ "by_waker", "[awaited]",
	  "what ended the waits of the command's first thread; most time first",
	  LIST_AT(model_waiting, main.awaited, main.awaited_count) },

	ROW("critical_part", NULL),
	{ "pid", "integer", NULL, BY_AT(model_critical_part, process, process_pid) },
	{ "comm", "text", NULL, BY_AT(model_critical_part, process, process_comm) },
	{ "tid", "integer", "of the longest stay", AT(model_critical_part, tid) },
	{ "thread", "text?", "null: the first thread; empty: another without a name of its own",
	  AT(model_critical_part, thread) },
	{ "start_ns", "number", "since the start of the recording; of a part, of its first stay",
	  AT(model_critical_part, start_ns) },
	{ "end_ns", "number", NULL, AT(model_critical_part, end_ns) },
	{ "stays", "number>0", "how often the path comes here; of a step, how many are in it",
	  AT(model_critical_part, stays) },
	{ "duration_ns", "number", "what times add up to", AT(model_critical_part, ns) },
	{ "times", "by_state", NULL, NUMBERS_AT(model_critical_part, times.ns) },
	{ "waits", "{wait: wait_kind}", NULL, BY_AT(model_critical_part, waits, kinds_new) },

	ROW("critical_path",
	    "what the end waited for (docs/waits.md); null: the command's first thread "
	    "was not seen"),
	{ "parts", "[critical_part]",
	  "by process, program and name of the thread, most time first; duration_ns adds up to "
	  "wall_ns", LIST_AT(model_critical, parts, part_count) },
	{ "steps", "[critical_part]",
	  "in order of time; what is shorter than a hundredth of wall_ns is one step with what "
	  "is beside it; duration_ns adds up to wall_ns",
	  LIST_AT(model_critical, steps, step_count) },

	ROW("thread_waits", NULL),
	{ "kinds", "{wait: wait_kind}", NULL, BY_AT(model_thread_waits, kinds, kinds_new) },
	{ "by_waker", "[awaited]", "what ended them; most time first",
	  LIST_AT(model_thread_waits, awaited, awaited_count) },

	ROW("subject",
	    "the program that the end of the command waited for most (docs/reading.md has the "
	    "rule), and the time of its first thread, from its exec to its end; null: the "
	    "command's first thread was not seen"),
	{ "pid", "integer", NULL, BY_AT(model_subject, process, process_pid) },
	{ "comm", "text", NULL, BY_AT(model_subject, process, process_comm) },
	{ "is_command", "bool", "it is the program that was recorded, no child, and no other one "
	  "that it executed", BY_AT(model_subject, is_other, not_new) },
	{ "is_chosen", "bool", "--program named it", AT(model_subject, is_chosen) },
	{ "is_forked", "bool", "it executed nothing: a copy of what started it",
	  AT(model_subject, is_forked) },
	{ "started_by_pid", "integer?", "of what forked or executed it; null: not recorded",
	  BY_AT(model_subject, starter, process_pid) },
	{ "started_by", "text?", "its comm", BY_AT(model_subject, starter, process_comm) },
	{ "start_ns", "number", "since the start of the recording",
	  BY_AT(model_subject, process, process_start) },
	{ "wall_ns", "number", NULL, AT(model_subject, wall_ns) },
	{ "main", "by_state", "adds up to wall_ns", NUMBERS_AT(model_subject, times.ns) },
	{ "main_by_initiator", "{initiator: by_state}", NULL,
	  BY_AT(model_subject, by_initiator, initiators_new) },
	{ "main_cpu_error_ns", "{initiator: number}", NULL, BY(subject_errors) },
	{ "waits", "thread_waits?", "of its first thread", ITEM(thread_waits_of) },

	ROW("mark", "a condition that the recording was asked to watch (docs/until.md)"),
	{ "name", "text", NULL, AT(model_mark, name) },
	{ "condition", "text", "as record --until and --mark have it", AT(model_mark, condition) },
	{ "is_end", "bool", "what is analyzed ends here", AT(model_mark, is_end) },
	{ "time_ns", "number?", "since the start of the recording; null: it never held",
	  AT_IF(model_mark, time_ns, held) },
	{ "since_ns", "number?", "since the command's program began, or was attached to",
	  AT_IF(model_mark, since_ns, held) },
	{ "pid", "integer?", "of the thread that made it hold; null: none did, or unknown",
	  AT_NONZERO(model_mark, pid) },
	{ "tid", "integer?", NULL, AT_NONZERO(model_mark, tid) },

	ROW("account", "where the time went; null: no time was recorded"),
	{ "complete", "bool", "no event of time was lost, and every thread was seen to its end",
	  AT(model_account, complete) },
	{ "faults_in_cpu", "bool",
	  "the recording does not tell time in faults from the rest of cpu (perf backend "
	  "without samples of the kernel)", AT(model_account, faults_in_cpu) },
	{ "knows_recording", "bool",
	  "what recording added is known: the state recording, of no cause; else it is within "
	  "the other states", AT(model_account, knows_recording) },
	{ "wall_ns", "number",
	  "of the command's first thread, from exec to exit, as far as it is in the window; the "
	  "states of main add up to it",
	  AT(model_account, wall_ns) },
	{ "main", "by_state", NULL, NUMBERS_AT(model_account, main.ns) },
	{ "all", "by_state", "of all threads", NUMBERS_AT(model_account, all.ns) },
	{ "main_by_initiator", "{initiator: by_state}", NULL,
	  BY_AT(model_account, main_by_initiator, initiators_new) },
	{ "by_initiator", "{initiator: by_state}", NULL,
	  BY_AT(model_account, by_initiator, initiators_new) },
	{ "subject", "subject?",
	  "the program that the end of the command waited for most (docs/reading.md has the "
	  "rule), and the time of its first thread, from its exec to its end; null: the "
	  "command's first thread was not seen",
	  ROW_IF(model_account, subject, subject.is_known) },
	{ "main_cpu_error_ns", "{initiator: number}", NULL, BY(main_errors) },
	{ "cpu_error_ns", "{initiator: number}", NULL, BY(errors) },
	{ "samples", "number", "of the processor, which divide the rest of cpu; 0: none were taken",
	  AT(model_account, samples) },
	{ "sample_hz", "number?",
	  "how often each thread was sampled per second of its time; from 0.2 s of processor time "
	  "on 1000 times, unless --cpu said how often; null: unknown",
	  AT_NONZERO(model_account, sample_hz) },
	{ "sample_cost_ns", "number?",
	  "what one of them cost the program, measured before the start; null: unknown",
	  AT_NONZERO(model_account, sample_cost_ns) },
	{ "bracketed_ns", "number",
	  "of all.cpu: between two faults or waits of one cause, which has it, but for what samples "
	  "there show of others", AT(model_account, bracketed_ns) },
	{ "samples_lost", "number", NULL, AT(model_account, samples_lost) },
	{ "pauses_lost", "number", NULL, AT(model_account, pauses_lost) },
	{ "check", "time_check?",
	  "the kernel's counts of the threads that were seen from their beginning to their "
	  "end, beside the account of the same; null: none was",
	  ROW_IF(model_account, check, check.is_known) },
	{ "processes", "[account_process]",
	  "by start: each process and the program it ran; one that executes another has a row "
	  "for each", LIST_AT(model_account, processes, process_count) },
	{ "by_function", "[computed_by_function]",
	  "which functions computed, outside faults, in all threads: as samples of the "
	  "processor divide cpu; cpu_ns adds up to all.cpu. Most first. Code without a "
	  "function (null) has a row for each initiator", BY(hot_functions) },
	{ "by_blame", "[computed_by_blame]",
	  "the same by the function to blame, as for faults: the innermost on the stack "
	  "outside libc and the like", BY(hot_blamed) },
	{ "waits_by_function", "[waited_by_function]",
	  "where threads waited, outside faults: adds up to all.wait and all.file-io. Most "
	  "first", BY(hot_waits) },
	{ "calls", "calls?",
	  "system calls: how often, and how long from their beginnings to their ends "
	  "(docs/waits.md); null: not recorded", ITEM(calls_of) },
	{ "waits", "waits",
	  "what threads waited for (docs/waits.md); the kinds add up to the states wait and "
	  "file-io", POINTER_AT(model_account, waiting) },
	{ "critical_path", "critical_path?",
	  "what the end waited for (docs/waits.md); null: the command's first thread was "
	  "not seen", POINTER_AT(model_account, critical) },
	{ "marks", "[mark]", "those that held first, in order of time", ITEMS(mark_of) },
	{ 0 },
};
// clang-format on
