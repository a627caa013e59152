// SPDX-License-Identifier: Apache-2.0
// Traces for tests: files in memory, traces written through the writer, traces compared by field.
#pragma once

#include "trace/trace.h"
#include "trace/writer.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** A file that has no name on disk; path opens it anew. */
struct memory_file {
	int fd;
	char path[64];
};

static inline struct memory_file memory_file_create(const void *bytes, size_t size)
{
	struct memory_file file = { .fd = memfd_create("trace", MFD_CLOEXEC) };

	assert_true(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	if (size > 0)
		assert_int_equal(write(file.fd, bytes, size), size);
	return file;
}

/** Everything in the file; *@ret_size bytes, free() it. */
static inline unsigned char *memory_file_bytes(const struct memory_file *file, size_t *ret_size)
{
	off_t size = lseek(file->fd, 0, SEEK_END);
	unsigned char *bytes = xcalloc(1, (size_t)size + 1);

	assert_int_equal(pread(file->fd, bytes, (size_t)size, 0), size);
	*ret_size = (size_t)size;
	return bytes;
}

/** Read a trace that must be readable. */
static inline struct trace *read_trace(const char *path)
{
	struct trace *trace = NULL;
	struct err err = { 0 };

	if (!trace_read(path, &trace, &err))
		fail_msg("%s", err.message);
	return trace;
}

static inline struct trace *read_text(const char *text)
{
	struct memory_file file = memory_file_create(text, strlen(text));
	struct trace *trace = read_trace(file.path);

	close(file.fd);
	return trace;
}

/** The trace as text; free() it. */
static inline char *text_of(const struct trace *trace)
{
	return text_written(trace_write_text(trace, out));
}

/** Add the events of @trace, flushing after every @per_chunk of a kind. */
static inline void add_events(struct trace_writer *writer, const struct trace *trace,
			      size_t per_chunk)
{
	size_t i = 0;
#define ADD_ALL(vec, add)                                        \
	vec_foreach (item, &trace->vec) {                        \
		assert_true(add(writer, item));                  \
		if (++i % per_chunk == 0)                        \
			assert_true(trace_writer_flush(writer)); \
	}
	ADD_ALL(tasks, trace_writer_task)
	ADD_ALL(mappings, trace_writer_mapping)
	ADD_ALL(remaps, trace_writer_remap)
	ADD_ALL(stacks, trace_writer_stack)
	ADD_ALL(faults, trace_writer_fault)
	ADD_ALL(files, trace_writer_file)
	ADD_ALL(contents, trace_writer_content)
	ADD_ALL(pauses, trace_writer_pause)
	ADD_ALL(reads, trace_writer_read)
	ADD_ALL(requests, trace_writer_request)
	ADD_ALL(paths, trace_writer_path)
	ADD_ALL(roots, trace_writer_root)
	ADD_ALL(devices, trace_writer_device)
	ADD_ALL(samples, trace_writer_sample)
	ADD_ALL(calls, trace_writer_call)
	ADD_ALL(prefaults, trace_writer_prefault)
	ADD_ALL(arguments, trace_writer_argument)
	ADD_ALL(opens, trace_writer_open_call)
	ADD_ALL(flushes, trace_writer_flush_call)
	ADD_ALL(marks, trace_writer_mark)
#undef ADD_ALL
	vec_foreach (note, &trace->notes.list)
		assert_true(trace_writer_note(writer, note));
}

/** Write @trace in binary form. */
static inline struct memory_file write_binary(const struct trace *trace, size_t per_chunk)
{
	struct memory_file file = memory_file_create(NULL, 0);
	CLEANUP(trace_writer_closep) struct trace_writer *writer = NULL;
	struct err err = { 0 };

	if (!trace_writer_open(file.fd, &trace->meta, &writer, &err))
		fail_msg("%s", err.message);
	add_events(writer, trace, per_chunk);
	assert_true(trace_writer_finish(writer, &trace->summary));
	return file;
}

static inline void assert_text_equal(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a && b)
		assert_string_equal(a, b);
}

static inline void assert_fault_equal(const struct trace_fault *a, const struct trace_fault *b)
{
	_Static_assert(sizeof(*a) == 7 * 8 + 10 * 4, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_mapping_equal(const struct trace_mapping *a,
					const struct trace_mapping *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->addr, b->addr);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->inode, b->inode);
	assert_text_equal(a->path, b->path);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->protection, b->protection);
	assert_int_equal(a->is_shared, b->is_shared);
	assert_int_equal(a->build_id_size, b->build_id_size);
	assert_memory_equal(a->build_id, b->build_id, sizeof(a->build_id));
	assert_int_equal(a->file, b->file);
}

static inline void assert_file_equal(const struct trace_identity *a, const struct trace_identity *b)
{
	_Static_assert(sizeof(*a) == 2 * 4 + 5 * 8, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_content_equal(const struct trace_content *a,
					const struct trace_content *b)
{
	assert_int_equal(a->file, b->file);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

static inline void assert_read_equal(const struct trace_read *a, const struct trace_read *b)
{
	_Static_assert(sizeof(*a) == 5 * 8 + 4 * 4, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_request_equal(const struct trace_request *a,
					const struct trace_request *b)
{
	_Static_assert(sizeof(*a) == 7 * 8 + 6 * 4, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_path_equal(const struct trace_path *a, const struct trace_path *b)
{
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->inode, b->inode);
	assert_int_equal(a->size, b->size);
	assert_text_equal(a->path, b->path);
}

static inline void assert_root_equal(const struct trace_root *a, const struct trace_root *b)
{
	assert_int_equal(a->file, b->file);
	assert_text_equal(a->name, b->name);
}

static inline void assert_device_equal(const struct trace_device *a, const struct trace_device *b)
{
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->least, b->least);
	assert_int_equal(a->most, b->most);
	assert_text_equal(a->name, b->name);
}

static inline void assert_remap_equal(const struct trace_remap *a, const struct trace_remap *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->old_addr, b->old_addr);
	assert_int_equal(a->old_size, b->old_size);
	assert_int_equal(a->new_addr, b->new_addr);
	assert_int_equal(a->new_size, b->new_size);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->keeps_old, b->keeps_old);
}

static inline void assert_task_equal(const struct trace_task *a, const struct trace_task *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->parent_pid, b->parent_pid);
	assert_int_equal(a->parent_tid, b->parent_tid);
	assert_memory_equal(a->comm, b->comm, sizeof(a->comm));
	assert_int_equal(a->has_counts, b->has_counts);
	assert_int_equal(a->kernel_minor, b->kernel_minor);
	assert_int_equal(a->kernel_major, b->kernel_major);
	assert_int_equal(a->seen, b->seen);
}

static inline void assert_pause_equal(const struct trace_pause *a, const struct trace_pause *b)
{
	_Static_assert(sizeof(*a) == 5 * 8 + 8 * 4, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_sample_equal(const struct trace_sample *a, const struct trace_sample *b)
{
	_Static_assert(sizeof(*a) == 3 * 8 + 6 * 4, "no padding: bytes compare");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_call_equal(const struct trace_call *a, const struct trace_call *b)
{
	_Static_assert(offsetof(struct trace_call, flags) == 2 * 8 + 4 * 4, "no padding before");
	assert_memory_equal(a, b, offsetof(struct trace_call, flags));
	assert_int_equal(a->flags, b->flags);
}

static inline void assert_argument_equal(const struct trace_argument *a,
					 const struct trace_argument *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_string_equal(a->text, b->text);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->flags, b->flags);
}

static inline void assert_prefault_equal(const struct trace_prefault *a,
					 const struct trace_prefault *b)
{
	_Static_assert(offsetof(struct trace_prefault, call) == 4 * 8 + 2 * 4, "no padding before");
	assert_memory_equal(a, b, offsetof(struct trace_prefault, call));
	assert_int_equal(a->call, b->call);
}

static inline void assert_flush_equal(const struct trace_flush *a, const struct trace_flush *b)
{
	_Static_assert(sizeof(*a) == 7 * 8 + 4 * 4, "no padding");
	assert_memory_equal(a, b, sizeof(*a));
}

static inline void assert_open_equal(const struct trace_open *a, const struct trace_open *b)
{
	_Static_assert(offsetof(struct trace_open, flags) == 3 * 8 + 4 * 4, "no padding before");
	assert_memory_equal(a, b, offsetof(struct trace_open, flags));
	assert_int_equal(a->flags, b->flags);
	assert_text_equal(a->path, b->path);
}

static inline void assert_mark_equal(const struct trace_mark *a, const struct trace_mark *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->flags, b->flags);
	assert_text_equal(a->name, b->name);
	assert_text_equal(a->condition, b->condition);
}

static inline void assert_stack_equal(const struct trace_stack *a, const struct trace_stack *b)
{
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->frame_count, b->frame_count);
	assert_int_equal(a->is_truncated, b->is_truncated);
	assert_int_equal(a->is_complete, b->is_complete);
	assert_int_equal(a->is_elsewhere, b->is_elsewhere);
	assert_int_equal(a->shown_start, b->shown_start);
	assert_int_equal(a->shown_end, b->shown_end);
	for (uint32_t i = 0; i < a->frame_count; i++)
		assert_int_equal(a->frames[i], b->frames[i]);
}

static inline void assert_meta_equal(const struct trace_meta *a, const struct trace_meta *b)
{
	assert_int_equal(a->command_count, b->command_count);
	for (size_t i = 0; i < a->command_count; i++)
		assert_text_equal(a->command[i], b->command[i]);
	assert_null(b->command[b->command_count]);
	assert_text_equal(a->backend, b->backend);
	assert_text_equal(a->kernel, b->kernel);
	assert_text_equal(a->machine, b->machine);
	assert_text_equal(a->producer, b->producer);
	assert_int_equal(a->page_size, b->page_size);
	assert_int_equal(a->root_pid, b->root_pid);
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->start_unix_ns, b->start_unix_ns);
	assert_int_equal(a->attached, b->attached);
	assert_int_equal(a->has_stacks, b->has_stacks);
	assert_int_equal(a->has_pauses, b->has_pauses);
	assert_int_equal(a->has_reads, b->has_reads);
	assert_int_equal(a->has_storage, b->has_storage);
	assert_int_equal(a->has_samples, b->has_samples);
	assert_int_equal(a->samples_user_only, b->samples_user_only);
	assert_int_equal(a->sample_hz, b->sample_hz);
	assert_int_equal(a->has_calls, b->has_calls);
	assert_int_equal(a->has_opens, b->has_opens);
	assert_text_equal(a->host, b->host);
	assert_int_equal(a->label_count, b->label_count);
	for (size_t i = 0; i < a->label_count; i++)
		assert_text_equal(a->labels[i], b->labels[i]);
	assert_int_equal(a->times_are_order, b->times_are_order);
	assert_int_equal(a->stacks_have_gaps, b->stacks_have_gaps);
	assert_int_equal(a->kinds_unknown, b->kinds_unknown);
	assert_int_equal(a->plain_wall_ns, b->plain_wall_ns);
	assert_int_equal(a->plain_user_ns, b->plain_user_ns);
	assert_int_equal(a->plain_system_ns, b->plain_system_ns);
	assert_int_equal(a->plain_minor, b->plain_minor);
	assert_int_equal(a->plain_major, b->plain_major);
	assert_int_equal(a->has_costs, b->has_costs);
	for (size_t i = 0; i < TRACE_COSTS; i++)
		assert_int_equal(a->costs_ns[i], b->costs_ns[i]);
}

static inline void assert_summary_equal(const struct trace_summary *a,
					const struct trace_summary *b)
{
	assert_int_equal(a->end_ns, b->end_ns);
	assert_int_equal(a->recorded, b->recorded);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->lost_other, b->lost_other);
	assert_int_equal(a->before_exec, b->before_exec);
	assert_int_equal(a->unsampled, b->unsampled);
	assert_int_equal(a->stacks_lost, b->stacks_lost);
	assert_int_equal(a->rusage_minor, b->rusage_minor);
	assert_int_equal(a->rusage_major, b->rusage_major);
	assert_int_equal(a->has_rusage, b->has_rusage);
	assert_int_equal(a->has_unsampled, b->has_unsampled);
	assert_int_equal(a->exit_status, b->exit_status);
	assert_int_equal(a->pauses_lost, b->pauses_lost);
	assert_int_equal(a->storage_lost, b->storage_lost);
	assert_int_equal(a->samples_lost, b->samples_lost);
	assert_int_equal(a->calls_lost, b->calls_lost);
	assert_int_equal(a->has_unrecorded, b->has_unrecorded);
	assert_int_equal(a->hidden, b->hidden);
	assert_int_equal(a->unseen_programs, b->unseen_programs);
	assert_int_equal(a->exec_unsampled, b->exec_unsampled);
}

/** Every event of @part is the event of @whole at the same place. */
static inline void assert_is_prefix(const struct trace *part, const struct trace *whole)
{
#define ALL_EQUAL(vec, equal)                             \
	assert_true(part->vec.count <= whole->vec.count); \
	for (size_t i = 0; i < part->vec.count; i++)      \
		equal(&part->vec.items[i], &whole->vec.items[i]);
	ALL_EQUAL(faults, assert_fault_equal)
	ALL_EQUAL(mappings, assert_mapping_equal)
	ALL_EQUAL(remaps, assert_remap_equal)
	ALL_EQUAL(tasks, assert_task_equal)
	ALL_EQUAL(stacks, assert_stack_equal)
	ALL_EQUAL(files, assert_file_equal)
	ALL_EQUAL(contents, assert_content_equal)
	ALL_EQUAL(pauses, assert_pause_equal)
	ALL_EQUAL(reads, assert_read_equal)
	ALL_EQUAL(requests, assert_request_equal)
	ALL_EQUAL(paths, assert_path_equal)
	ALL_EQUAL(devices, assert_device_equal)
	ALL_EQUAL(samples, assert_sample_equal)
	ALL_EQUAL(calls, assert_call_equal)
	ALL_EQUAL(prefaults, assert_prefault_equal)
	ALL_EQUAL(arguments, assert_argument_equal)
	ALL_EQUAL(opens, assert_open_equal)
	ALL_EQUAL(flushes, assert_flush_equal)
	ALL_EQUAL(roots, assert_root_equal)
	ALL_EQUAL(marks, assert_mark_equal)
#undef ALL_EQUAL
	assert_meta_equal(&part->meta, &whole->meta);
}

/** Two traces hold the same in every field but path. */
static inline void assert_trace_equal(const struct trace *a, const struct trace *b)
{
	assert_is_prefix(a, b);
	assert_is_prefix(b, a);
	assert_summary_equal(&a->summary, &b->summary);
	assert_int_equal(a->complete, b->complete);
	assert_int_equal(a->notes.list.count, b->notes.list.count);
	for (size_t i = 0; i < a->notes.list.count; i++) {
		assert_string_equal(a->notes.list.items[i].text, b->notes.list.items[i].text);
		assert_int_equal(a->notes.list.items[i].count, b->notes.list.items[i].count);
	}
}

/** A trace, in memory, with every field once at 0 and once at its largest; trace_close() it. */
static inline struct trace *extreme_trace(void)
{
	static const char *const command[] = { "", "a b", "\x01\xff\"\\\n", NULL };
	static const uint64_t frames[] = { 0, 1, UINT64_MAX };
	struct trace *trace = xcalloc(1, sizeof(*trace));
	const uint64_t big = UINT64_MAX;
	const uint32_t wide = UINT32_MAX;

	trace->path = xstrdup("extreme");
	trace->complete = true;
	trace->meta = (struct trace_meta){ command, 3,	  "perf", NULL, "",   "elfault \xc3\xa9",
					   wide,    wide, big,	  big,	true, true,
					   true,    true, true,	  true };
	trace->meta.host = "\xff\"\\ a";
	trace->meta.labels = command;
	trace->meta.label_count = 3;
	trace->meta.stacks_have_gaps = trace->meta.times_are_order = true;
	trace->meta.kinds_unknown = true;
	trace->meta.plain_wall_ns = trace->meta.plain_major = big;
	trace->meta.plain_user_ns = 1;
	trace->meta.plain_system_ns = 2;
	trace->meta.plain_minor = 3;
	trace->meta.has_costs = true;
	for (size_t i = 0; i < TRACE_COSTS; i++)
		trace->meta.costs_ns[i] = wide - (uint32_t)i;
	trace->summary =
		(struct trace_summary){ big,  3,	 big, big, big, big, big,  big, big, true,
					true, INT32_MIN, big, big, big, big, true, big, big, big };

	vec_push(&trace->faults, (struct trace_fault){ 0 });
	vec_push(
		&trace->faults,
		(struct trace_fault){ .time_ns = 5, .addr = 1, .flags = TRACE_FAULT_HAS_DURATION });
	vec_push(&trace->faults, (struct trace_fault){ big, big, big, big, big, big, wide, wide,
						       wide, wide, wide, wide, big, wide, 1 });

	struct trace_mapping mapping = { .time_ns = big,
					 .addr = big,
					 .size = big,
					 .offset = big,
					 .device = big,
					 .inode = big,
					 .path = "\t\"/\\\x7f",
					 .pid = wide,
					 .tid = wide - 1,
					 .protection = wide,
					 .is_shared = true,
					 .build_id_size = TRACE_BUILD_ID_MAX,
					 .file = wide };
	memset(mapping.build_id, 0xff, sizeof(mapping.build_id));
	vec_push(&trace->mappings, (struct trace_mapping){ .path = "" });
	vec_push(&trace->mappings, mapping);

	vec_push(&trace->remaps, (struct trace_remap){ 0 });
	vec_push(&trace->remaps, (struct trace_remap){ big, big, big, big, big, wide, 1, true });

	for (int kind = TRACE_TASK_FORK; kind <= TRACE_TASK_EXIT; kind++)
		vec_push(&trace->tasks, (struct trace_task){ .kind = (enum trace_task_kind)kind });
	for (int kind = TRACE_TASK_FORK; kind <= TRACE_TASK_EXIT; kind++)
		vec_push(&trace->tasks,
			 (struct trace_task){ big, (enum trace_task_kind)kind, wide, 1, 2, wide,
					      "\xff"
					      "23456789abcdef",
					      kind % 2, big, big, big });

	vec_push(&trace->pauses, (struct trace_pause){ 0 });
	vec_push(&trace->pauses,
		 (struct trace_pause){ .time_ns = 7, .flags = TRACE_PAUSE_HAS_CALL });
	vec_push(&trace->pauses, (struct trace_pause){ big, big, big, big, big, wide, 1, wide, 2,
						       wide, wide, wide, wide });

	vec_push(&trace->samples, (struct trace_sample){ 0 });
	vec_push(&trace->samples, (struct trace_sample){ .time_ns = 7, .ip = 1 });
	vec_push(&trace->samples, (struct trace_sample){ big, big, big, wide, 1, wide, wide });

	vec_push(&trace->calls, (struct trace_call){ 0 });
	vec_push(&trace->calls, (struct trace_call){ big, big, wide, 1, wide, wide, wide });

	vec_push(&trace->prefaults, (struct trace_prefault){ 0 });
	vec_push(&trace->prefaults, (struct trace_prefault){ big, big, big, big, wide, 1, wide });

	vec_push(&trace->arguments, (struct trace_argument){ .text = "" });
	vec_push(&trace->arguments, (struct trace_argument){ big, "two words", wide, wide, wide });
	vec_push(&trace->flushes, (struct trace_flush){ 0 });
	vec_push(&trace->flushes,
		 (struct trace_flush){ big, big, big, big, big, big, big, wide, 1, wide, wide });
	vec_push(&trace->opens, (struct trace_open){ .path = "" });
	vec_push(&trace->marks, (struct trace_mark){ .name = "", .condition = "" });
	vec_push(&trace->marks, (struct trace_mark){ big, "first page", "output~ready \"[0-9]\"$",
						     wide, 1, TRACE_MARK_MISSED });
	vec_push(&trace->opens, (struct trace_open){ big, big, big, wide, 1, wide, wide, wide,
						     "/usr/lib/lib \"foo\".so" });

	vec_push(&trace->files, (struct trace_identity){ 0 });
	vec_push(&trace->files, (struct trace_identity){ 7, 0, big, 1, 2, 3, 4 });
	vec_push(&trace->files, (struct trace_identity){ wide, wide, big, big, big, big, big });
	vec_push(&trace->contents, (struct trace_content){ 0 });
	vec_push(&trace->contents,
		 (struct trace_content){ wide, sizeof(frames), big, (const uint8_t *)frames });

	vec_push(&trace->reads, (struct trace_read){ 0 });
	vec_push(&trace->reads,
		 (struct trace_read){ big, big, big, big, big, wide, 1, wide, wide });
	vec_push(&trace->requests, (struct trace_request){ 0 });
	vec_push(&trace->requests, (struct trace_request){ big, big, big, big, big, big, big, wide,
							   wide, 1, wide, wide, 0 });
	vec_push(&trace->paths, (struct trace_path){ .path = "" });
	vec_push(&trace->paths, (struct trace_path){ big, big, big, "\t\"/\\\x7f" });
	vec_push(&trace->roots, (struct trace_root){ .name = "" });
	vec_push(&trace->roots, (struct trace_root){ wide, "\t\"/\\\x7f" });
	vec_push(&trace->devices, (struct trace_device){ .name = "" });
	vec_push(&trace->devices, (struct trace_device){ big, big, big, "vda" });

	vec_push(&trace->stacks, (struct trace_stack){ 0 });
	vec_push(&trace->stacks,
		 (struct trace_stack){ wide - 1, 3, frames, false, true, false, big, big - 1 });
	vec_push(&trace->stacks, (struct trace_stack){ wide, 3, frames, true, false, true, 1, 2 });
	notes_add(&trace->notes, "one");
	notes_add(&trace->notes, "two \n \"");
	notes_add(&trace->notes, "one");
	return trace;
}
