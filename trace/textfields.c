// SPDX-License-Identifier: Apache-2.0
#include "trace/textfields.h"

// clang-format off: a table reads better in columns.
#define AT(type, member) offsetof(struct type, member)

#define AT_COST(cost) AT(trace_meta, costs_ns[TRACE_COST_##cost])

static const struct text_field meta_fields[] = {
	{ "arg", TEXT_WORDS, TEXT_NONZERO, AT(trace_meta, command) },
	{ "backend", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, backend) },
	{ "kernel", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, kernel) },
	{ "machine", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, machine) },
	{ "producer", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, producer) },
	{ "page_size", TEXT_U32, TEXT_ALWAYS, AT(trace_meta, page_size) },
	{ "root_pid", TEXT_U32, TEXT_ALWAYS, AT(trace_meta, root_pid) },
	{ "start", TEXT_U64, TEXT_NONZERO, AT(trace_meta, start_ns) },
	{ "start_unix", TEXT_U64, TEXT_NONZERO, AT(trace_meta, start_unix_ns) },
	{ "cgroup", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, cgroup) },
	{ "attached", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, attached) },
	{ "stacks", TEXT_BOOL, TEXT_ALWAYS, AT(trace_meta, has_stacks) },
	{ "reads", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_reads) },
	{ "pauses", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_pauses) },
	{ "storage", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_storage) },
	{ "samples", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_samples) },
	{ "samples_user_only", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, samples_user_only) },
	{ "sample_hz", TEXT_U32, TEXT_NONZERO, AT(trace_meta, sample_hz) },
	{ "calls", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_calls) },
	{ "opens", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_opens) },
	{ "host", TEXT_STRING, TEXT_NONZERO, AT(trace_meta, host) },
	{ "label", TEXT_WORDS, TEXT_NONZERO, AT(trace_meta, labels) },
	{ "stacks_have_gaps", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, stacks_have_gaps) },
	{ "kinds_unknown", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, kinds_unknown) },
	{ "times_are_order", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, times_are_order) },
	{ "plain_wall", TEXT_U64, TEXT_NONZERO, AT(trace_meta, plain_wall_ns) },
	{ "plain_user", TEXT_U64, TEXT_NONZERO, AT(trace_meta, plain_user_ns) },
	{ "plain_system", TEXT_U64, TEXT_NONZERO, AT(trace_meta, plain_system_ns) },
	{ "plain_minor", TEXT_U64, TEXT_NONZERO, AT(trace_meta, plain_minor) },
	{ "plain_major", TEXT_U64, TEXT_NONZERO, AT(trace_meta, plain_major) },
	{ "costs", TEXT_BOOL, TEXT_NONZERO, AT(trace_meta, has_costs) },
	{ "cost_fault", TEXT_U32, TEXT_NONZERO, AT_COST(FAULT) },
	{ "cost_fault_within", TEXT_U32, TEXT_NONZERO, AT_COST(FAULT_WITHIN) },
	{ "cost_sample_program", TEXT_U32, TEXT_NONZERO, AT_COST(SAMPLE_PROGRAM) },
	{ "cost_sample", TEXT_U32, TEXT_NONZERO, AT_COST(SAMPLE) },
	{ "cost_call", TEXT_U32, TEXT_NONZERO, AT_COST(CALL) },
	{ "cost_pause", TEXT_U32, TEXT_NONZERO, AT_COST(PAUSE) },
	{ "cost_mapping", TEXT_U32, TEXT_NONZERO, AT_COST(MAPPING) },
	{ "cost_program", TEXT_U32, TEXT_NONZERO, AT_COST(PROGRAM) },
	{ 0 },
};

#define TASK_FIELDS(parent_show)                                                              \
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_task, time_ns) },                           \
		{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_task, pid) },                        \
		{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_task, tid) },               \
		{ "parent_pid", TEXT_U32, parent_show, AT(trace_task, parent_pid) },          \
		{ "parent_tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_task, parent_tid) }, \
		{ "comm", TEXT_COMM, TEXT_NONZERO, AT(trace_task, comm) },                    \
		{ "kernel_minor", TEXT_U64, TEXT_NONZERO, AT(trace_task, kernel_minor),       \
		  AT(trace_task, has_counts) },                                               \
		{ "kernel_major", TEXT_U64, TEXT_NONZERO, AT(trace_task, kernel_major),       \
		  AT(trace_task, has_counts) },                                               \
		{ "seen", TEXT_U64, TEXT_NONZERO, AT(trace_task, seen) },                     \
		{ "has_counts", TEXT_BOOL, TEXT_OVERRIDE, AT(trace_task, has_counts) },       \
	{                                                                                     \
		0                                                                             \
	}

static const struct text_field fork_fields[] = { TASK_FIELDS(TEXT_ALWAYS) };
static const struct text_field task_fields[] = { TASK_FIELDS(TEXT_NONZERO) };

static const struct text_field map_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_mapping, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_mapping, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_mapping, tid) },
	{ "addr", TEXT_HEX64, TEXT_ALWAYS, AT(trace_mapping, addr) },
	{ "size", TEXT_HEX64, TEXT_ALWAYS, AT(trace_mapping, size) },
	{ "offset", TEXT_HEX64, TEXT_NONZERO, AT(trace_mapping, offset) },
	{ "prot", TEXT_PROTECTION, TEXT_ALWAYS, AT(trace_mapping, protection) },
	{ "path", TEXT_STRING, TEXT_ALWAYS, AT(trace_mapping, path) },
	{ "device", TEXT_DEVICE, TEXT_NONZERO, AT(trace_mapping, device) },
	{ "inode", TEXT_U64, TEXT_NONZERO, AT(trace_mapping, inode) },
	{ "build_id", TEXT_BUILD_ID, TEXT_NONZERO, AT(trace_mapping, build_id_size) },
	{ "file", TEXT_U32, TEXT_NONZERO, AT(trace_mapping, file) },
	{ "protection", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_mapping, protection) },
	{ 0 },
};

static const struct text_field remap_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_remap, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_remap, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_remap, tid) },
	{ "old_addr", TEXT_HEX64, TEXT_ALWAYS, AT(trace_remap, old_addr) },
	{ "old_size", TEXT_HEX64, TEXT_ALWAYS, AT(trace_remap, old_size) },
	{ "new_addr", TEXT_HEX64, TEXT_ALWAYS, AT(trace_remap, new_addr) },
	{ "new_size", TEXT_HEX64, TEXT_ALWAYS, AT(trace_remap, new_size) },
	{ "keeps_old", TEXT_BOOL, TEXT_NONZERO, AT(trace_remap, keeps_old) },
	{ 0 },
};

static const struct text_field stack_fields[] = {
	{ "id", TEXT_U32, TEXT_ALWAYS, AT(trace_stack, id) },
	{ "frames", TEXT_FRAMES, TEXT_NONZERO, AT(trace_stack, frames) },
	{ "truncated", TEXT_BOOL, TEXT_NONZERO, AT(trace_stack, is_truncated) },
	{ "complete", TEXT_BOOL, TEXT_NONZERO, AT(trace_stack, is_complete) },
	{ "elsewhere", TEXT_BOOL, TEXT_NONZERO, AT(trace_stack, is_elsewhere) },
	{ "shown_start", TEXT_HEX64, TEXT_NONZERO, AT(trace_stack, shown_start) },
	{ "shown_end", TEXT_HEX64, TEXT_NONZERO, AT(trace_stack, shown_end) },
	{ 0 },
};

#define FILE_FLAG(name) AT(trace_identity, flags), TRACE_FILE_##name
static const struct text_field file_fields[] = {
	{ "id", TEXT_U32, TEXT_ALWAYS, AT(trace_identity, id) },
	{ "device", TEXT_DEVICE, TEXT_NONZERO, AT(trace_identity, device), FILE_FLAG(KNOWN) },
	{ "inode", TEXT_U64, TEXT_NONZERO, AT(trace_identity, inode), FILE_FLAG(KNOWN) },
	{ "size", TEXT_U64, TEXT_NONZERO, AT(trace_identity, size), FILE_FLAG(KNOWN) },
	{ "mtime", TEXT_U64, TEXT_NONZERO, AT(trace_identity, mtime_ns), FILE_FLAG(KNOWN) },
	{ "hash", TEXT_HEX64, TEXT_NONZERO, AT(trace_identity, hash), FILE_FLAG(HAS_HASH) },
	{ "place",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_identity, flags),
	  FILE_FLAG(ELSEWHERE),
	  { "path", "elsewhere" } },
	{ "content",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_identity, flags),
	  FILE_FLAG(LEFT_OUT),
	  { "kept", "left-out" } },
	{ "reading",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_identity, flags),
	  FILE_FLAG(DENIED),
	  { "allowed", "denied" } },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_identity, flags) },
	{ 0 },
};

static const struct text_field content_fields[] = {
	{ "file", TEXT_U32, TEXT_ALWAYS, AT(trace_content, file) },
	{ "offset", TEXT_HEX64, TEXT_ALWAYS, AT(trace_content, offset) },
	{ "bytes", TEXT_BYTES, TEXT_ALWAYS, AT(trace_content, bytes) },
	{ 0 },
};

#define FLAG(name) AT(trace_fault, flags), TRACE_FAULT_##name
static const struct text_field fault_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_fault, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_fault, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_fault, tid) },
	{ "addr", TEXT_HEX64, TEXT_ALWAYS, AT(trace_fault, addr) },
	{ "ip", TEXT_HEX64, TEXT_NONZERO, AT(trace_fault, ip), FLAG(HAS_USER_IP) },
	{ "sp", TEXT_HEX64, TEXT_NONZERO, AT(trace_fault, sp) },
	{ "kind",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_fault, flags),
	  FLAG(MAJOR),
	  { "minor", "major" } },
	{ "mode",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_fault, flags),
	  FLAG(KERNEL),
	  { "user", "kernel" } },
	{ "taker",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_fault, flags),
	  FLAG(IP_UNKNOWN),
	  { "known", "unknown" } },
	{ "error", TEXT_ERROR_CODE, TEXT_NONZERO, AT(trace_fault, error_code),
	  FLAG(HAS_ERROR_CODE) },
	{ "duration", TEXT_U64, TEXT_NONZERO, AT(trace_fault, duration_ns), FLAG(HAS_DURATION) },
	{ "around_offset", TEXT_HEX64, TEXT_NONZERO, AT(trace_fault, around_offset),
	  FLAG(HAS_AROUND) },
	{ "around_pages", TEXT_U32, TEXT_NONZERO, AT(trace_fault, around_pages), FLAG(HAS_AROUND) },
	{ "read_offset", TEXT_HEX64, TEXT_NONZERO, AT(trace_fault, read_offset), FLAG(HAS_READ) },
	{ "read_pages", TEXT_U32, TEXT_NONZERO, AT(trace_fault, read_pages), FLAG(HAS_READ) },
	{ "read_span", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_fault, read_span) },
	{ "stack", TEXT_U32, TEXT_NONZERO, AT(trace_fault, stack) },
	{ "program", TEXT_U32, TEXT_NONZERO, AT(trace_fault, program_ns) },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_fault, flags) },
	{ 0 },
};

#define PAUSE_FLAG(name) AT(trace_pause, flags), TRACE_PAUSE_##name
#define PAUSE_CHOICE(key, bit, ...)                                                      \
	{                                                                                \
		key, TEXT_CHOICE, TEXT_NONZERO, AT(trace_pause, flags), PAUSE_FLAG(bit), \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
	}
static const struct text_field pause_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_pause, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_pause, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_pause, tid) },
	{ "woken", TEXT_U64, TEXT_NONZERO, AT(trace_pause, woken_ns) },
	{ "back", TEXT_U64, TEXT_NONZERO, AT(trace_pause, back_ns) },
	PAUSE_CHOICE("left", PREEMPTED, "waiting", "preempted"),
	PAUSE_CHOICE("in", IN_FAULT, "code", "fault"),
	PAUSE_CHOICE("for", STORAGE, "other", "storage"),
	PAUSE_CHOICE("ends", LAST, "no", "thread"),
	PAUSE_CHOICE("open", OPEN, "no", "yes"),
	PAUSE_CHOICE("woken_by", INTERRUPT, "thread", "interrupt"),
	PAUSE_CHOICE("within", IN_CALL, "none", "call"),
	PAUSE_CHOICE("pipe", ON_PIPE, "no", "yes"),
	PAUSE_CHOICE("socket", ON_SOCKET, "no", "yes"),
	{ "call", TEXT_U32, TEXT_NONZERO, AT(trace_pause, call), PAUSE_FLAG(HAS_CALL) },
	{ "waker_pid", TEXT_U32, TEXT_NONZERO, AT(trace_pause, waker_pid) },
	{ "waker_tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_pause, waker_tid) },
	{ "stack", TEXT_U32, TEXT_NONZERO, AT(trace_pause, stack) },
	{ "runtime", TEXT_U64, TEXT_NONZERO, AT(trace_pause, runtime_ns) },
	{ "delay", TEXT_U64, TEXT_NONZERO, AT(trace_pause, delay_ns), PAUSE_FLAG(HAS_DELAY) },
	{ "recorder", TEXT_U32, TEXT_NONZERO, AT(trace_pause, recorder_ns) },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_pause, flags) },
	{ 0 },
};

static const struct text_field read_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_read, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_read, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_read, tid) },
	{ "device", TEXT_DEVICE, TEXT_NONZERO, AT(trace_read, device) },
	{ "inode", TEXT_U64, TEXT_NONZERO, AT(trace_read, inode) },
	{ "offset", TEXT_HEX64, TEXT_ALWAYS, AT(trace_read, offset) },
	{ "size", TEXT_HEX64, TEXT_ALWAYS, AT(trace_read, size) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_read, call) },
	{ "flags", TEXT_READ_FLAGS, TEXT_NONZERO, AT(trace_read, flags) },
	{ 0 },
};

static const struct text_field request_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_request, time_ns) },
	{ "duration", TEXT_U64, TEXT_NONZERO, AT(trace_request, duration_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_request, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_request, tid) },
	{ "device", TEXT_DEVICE, TEXT_ALWAYS, AT(trace_request, device) },
	{ "sector", TEXT_U64, TEXT_ALWAYS, AT(trace_request, sector) },
	{ "size", TEXT_U32, TEXT_ALWAYS, AT(trace_request, size) },
	{ "file_device", TEXT_DEVICE, TEXT_NONZERO, AT(trace_request, file_device) },
	{ "inode", TEXT_U64, TEXT_NONZERO, AT(trace_request, inode) },
	{ "offset", TEXT_HEX64, TEXT_NONZERO, AT(trace_request, offset) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_request, call) },
	{ "flags", TEXT_READ_FLAGS, TEXT_NONZERO, AT(trace_request, flags) },
	{ 0 },
};

static const struct text_field path_fields[] = {
	{ "device", TEXT_DEVICE, TEXT_ALWAYS, AT(trace_path, device) },
	{ "inode", TEXT_U64, TEXT_ALWAYS, AT(trace_path, inode) },
	{ "size", TEXT_U64, TEXT_NONZERO, AT(trace_path, size) },
	{ "path", TEXT_STRING, TEXT_ALWAYS, AT(trace_path, path) },
	{ 0 },
};

static const struct text_field root_fields[] = {
	{ "file", TEXT_U32, TEXT_ALWAYS, AT(trace_root, file) },
	{ "name", TEXT_STRING, TEXT_ALWAYS, AT(trace_root, name) },
	{ 0 },
};

static const struct text_field device_fields[] = {
	{ "device", TEXT_DEVICE, TEXT_ALWAYS, AT(trace_device, device) },
	{ "name", TEXT_STRING, TEXT_ALWAYS, AT(trace_device, name) },
	{ "least", TEXT_U64, TEXT_ALWAYS, AT(trace_device, least) },
	{ "most", TEXT_U64, TEXT_ALWAYS, AT(trace_device, most) },
	{ 0 },
};

#define SAMPLE_FLAG(name) AT(trace_sample, flags), TRACE_SAMPLE_##name
static const struct text_field sample_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_sample, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_sample, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_sample, tid) },
	{ "period", TEXT_U64, TEXT_ALWAYS, AT(trace_sample, period_ns) },
	{ "ip", TEXT_HEX64, TEXT_NONZERO, AT(trace_sample, ip), SAMPLE_FLAG(HAS_USER_IP) },
	{ "mode",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_sample, flags),
	  SAMPLE_FLAG(KERNEL),
	  { "user", "kernel" } },
	{ "in",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_sample, flags),
	  SAMPLE_FLAG(IN_FAULT),
	  { "code", "fault" } },
	{ "stack", TEXT_U32, TEXT_NONZERO, AT(trace_sample, stack) },
	{ "program", TEXT_U32, TEXT_NONZERO, AT(trace_sample, program_ns) },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_sample, flags) },
	{ 0 },
};

#define CALL_FLAG(name) AT(trace_call, flags), TRACE_CALL_##name
static const struct text_field call_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_call, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_call, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_call, tid) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_call, call) },
	{ "count", TEXT_U32, TEXT_ALWAYS, AT(trace_call, count) },
	{ "duration", TEXT_U64, TEXT_ALWAYS, AT(trace_call, duration_ns) },
	{ "told",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_call, flags),
	  CALL_FLAG(ALONE),
	  { "together", "alone" } },
	{ "until",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_call, flags),
	  CALL_FLAG(OPEN),
	  { "return", "end" } },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_call, flags) },
	{ 0 },
};

static const struct text_field note_fields[] = {
	{ "text", TEXT_STRING, TEXT_ALWAYS, AT(note, text) },
	{ "count", TEXT_U64, TEXT_ALWAYS, AT(note, count) },
	{ 0 },
};

#define IN_SUMMARY(member) AT(text_summary, summary.member)
static const struct text_field summary_fields[] = {
	{ "end", TEXT_U64, TEXT_ALWAYS, IN_SUMMARY(end_ns) },
	{ "recorded", TEXT_U64, TEXT_ALWAYS, IN_SUMMARY(recorded) },
	{ "lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(lost) },
	{ "lost_other", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(lost_other) },
	{ "before_exec", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(before_exec) },
	{ "unsampled", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(unsampled), IN_SUMMARY(has_unsampled) },
	{ "hidden", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(hidden), IN_SUMMARY(has_unrecorded) },
	{ "unseen_programs", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(unseen_programs),
	  IN_SUMMARY(has_unrecorded) },
	{ "exec_unsampled", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(exec_unsampled),
	  IN_SUMMARY(has_unrecorded) },
	{ "stacks_lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(stacks_lost) },
	{ "pauses_lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(pauses_lost) },
	{ "storage_lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(storage_lost) },
	{ "samples_lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(samples_lost) },
	{ "calls_lost", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(calls_lost) },
	{ "rusage_minor", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(rusage_minor),
	  IN_SUMMARY(has_rusage) },
	{ "rusage_major", TEXT_U64, TEXT_NONZERO, IN_SUMMARY(rusage_major),
	  IN_SUMMARY(has_rusage) },
	{ "exit_status", TEXT_I32, TEXT_ALWAYS, IN_SUMMARY(exit_status) },
	{ "has_unsampled", TEXT_BOOL, TEXT_OVERRIDE, IN_SUMMARY(has_unsampled) },
	{ "has_unrecorded", TEXT_BOOL, TEXT_OVERRIDE, IN_SUMMARY(has_unrecorded) },
	{ "has_rusage", TEXT_BOOL, TEXT_OVERRIDE, IN_SUMMARY(has_rusage) },
	{ "complete", TEXT_BOOL, TEXT_ALWAYS, AT(text_summary, complete) },
	{ 0 },
};

static const struct text_field prefault_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_prefault, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_prefault, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_prefault, tid) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_prefault, call) },
	{ "count", TEXT_U64, TEXT_ALWAYS, AT(trace_prefault, count) },
	{ "addr", TEXT_HEX64, TEXT_NONZERO, AT(trace_prefault, addr) },
	{ "size", TEXT_HEX64, TEXT_NONZERO, AT(trace_prefault, size) },
	{ 0 },
};

#define ARGUMENT_FLAG(name) AT(trace_argument, flags), TRACE_ARGUMENT_##name
static const struct text_field argument_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_argument, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_argument, pid) },
	{ "index", TEXT_U32, TEXT_ALWAYS, AT(trace_argument, index) },
	{ "word", TEXT_STRING, TEXT_ALWAYS, AT(trace_argument, text) },
	{ "kept",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_argument, flags),
	  ARGUMENT_FLAG(CUT),
	  { "whole", "cut" } },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_argument, flags) },
	{ 0 },
};

static const struct text_field open_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_open, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_open, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_open, tid) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_open, call) },
	{ "error", TEXT_U32, TEXT_NONZERO, AT(trace_open, error) },
	{ "duration", TEXT_U64, TEXT_NONZERO, AT(trace_open, duration_ns) },
	{ "ip", TEXT_HEX64, TEXT_ALWAYS, AT(trace_open, ip) },
	{ "path", TEXT_STRING, TEXT_ALWAYS, AT(trace_open, path) },
	{ "flags", TEXT_HEX32, TEXT_NONZERO, AT(trace_open, flags) },
	{ 0 },
};

static const struct text_field flush_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_flush, time_ns) },
	{ "pid", TEXT_U32, TEXT_ALWAYS, AT(trace_flush, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_flush, tid) },
	{ "call", TEXT_U32, TEXT_ALWAYS, AT(trace_flush, call) },
	{ "error", TEXT_U32, TEXT_NONZERO, AT(trace_flush, error) },
	{ "duration", TEXT_U64, TEXT_NONZERO, AT(trace_flush, duration_ns) },
	{ "addr", TEXT_HEX64, TEXT_NONZERO, AT(trace_flush, addr) },
	{ "device", TEXT_DEVICE, TEXT_NONZERO, AT(trace_flush, device) },
	{ "inode", TEXT_U64, TEXT_NONZERO, AT(trace_flush, inode) },
	{ "offset", TEXT_HEX64, TEXT_NONZERO, AT(trace_flush, offset) },
	{ "size", TEXT_HEX64, TEXT_NONZERO, AT(trace_flush, size) },
	{ 0 },
};

#define MARK_FLAG(name) AT(trace_mark, flags), TRACE_MARK_##name
static const struct text_field mark_fields[] = {
	{ "time", TEXT_U64, TEXT_ALWAYS, AT(trace_mark, time_ns) },
	{ "pid", TEXT_U32, TEXT_NONZERO, AT(trace_mark, pid) },
	{ "tid", TEXT_U32, TEXT_UNLIKE_PREVIOUS, AT(trace_mark, tid) },
	{ "name", TEXT_STRING, TEXT_ALWAYS, AT(trace_mark, name) },
	{ "condition", TEXT_STRING, TEXT_NONZERO, AT(trace_mark, condition) },
	{ "recording",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_mark, flags),
	  MARK_FLAG(END),
	  { "goes-on", "ends" } },
	{ "held",
	  TEXT_CHOICE,
	  TEXT_NONZERO,
	  AT(trace_mark, flags),
	  MARK_FLAG(MISSED),
	  { "once", "never" } },
	{ "flags", TEXT_HEX32, TEXT_OVERRIDE, AT(trace_mark, flags) },
	{ 0 },
};

static const struct text_field no_fields[] = { { 0 } };

const struct text_line text_lines[TEXT_LINE_KINDS] = {
	[TEXT_LINE_META] = { "meta", meta_fields },
	[TEXT_LINE_FORK] = { "fork", fork_fields },
	[TEXT_LINE_EXEC] = { "exec", task_fields },
	[TEXT_LINE_COMM] = { "comm", task_fields },
	[TEXT_LINE_EXIT] = { "exit", task_fields },
	[TEXT_LINE_MAP] = { "map", map_fields },
	[TEXT_LINE_REMAP] = { "remap", remap_fields },
	[TEXT_LINE_STACK] = { "stack", stack_fields },
	[TEXT_LINE_FILE] = { "file", file_fields },
	[TEXT_LINE_CONTENT] = { "content", content_fields },
	[TEXT_LINE_FAULT] = { "fault", fault_fields },
	[TEXT_LINE_PAUSE] = { "pause", pause_fields },
	[TEXT_LINE_READ] = { "read", read_fields },
	[TEXT_LINE_REQUEST] = { "request", request_fields },
	[TEXT_LINE_PATH] = { "path", path_fields },
	[TEXT_LINE_ROOT] = { "root", root_fields },
	[TEXT_LINE_DEVICE] = { "device", device_fields },
	[TEXT_LINE_SAMPLE] = { "sample", sample_fields },
	[TEXT_LINE_CALL] = { "call", call_fields },
	[TEXT_LINE_PREFAULT] = { "prefault", prefault_fields },
	[TEXT_LINE_ARGUMENT] = { "argument", argument_fields },
	[TEXT_LINE_OPEN] = { "open", open_fields },
	[TEXT_LINE_MARK] = { "mark", mark_fields },
	[TEXT_LINE_FLUSH] = { "flush", flush_fields },
	[TEXT_LINE_NOTE] = { "note", note_fields },
	[TEXT_LINE_SUMMARY] = { "summary", summary_fields },
	[TEXT_LINE_INCOMPLETE] = { "incomplete", no_fields },
};

const struct text_bit text_error_bits[TEXT_ERROR_BITS] = {
	{ "present", TRACE_ERROR_PRESENT },
	{ "write", TRACE_ERROR_WRITE },
	{ "user", TRACE_ERROR_USER },
	{ "fetch", TRACE_ERROR_FETCH },
};

const struct text_bit text_read_bits[TEXT_READ_BITS] = {
	{ "fault", TRACE_READ_FAULT },	 { "call", TRACE_READ_CALL },
	{ "exec", TRACE_READ_EXEC },	 { "async", TRACE_READ_ASYNC },
	{ "file", TRACE_READ_FILE },	 { "metadata", TRACE_READ_METADATA },
	{ "rahead", TRACE_READ_RAHEAD }, { "continues", TRACE_READ_CONTINUES },
};
