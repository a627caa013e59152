// SPDX-License-Identifier: Apache-2.0
// Turns the checked chunks of a binary trace into events. A chunk counts whole or not at all.
#include "trace/private.h"

#include "base/cleanup.h"
#include "trace/chunk.h"
#include "trace/intern.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_names[DISK_CHUNK_TYPES] = {
	[DISK_CHUNK_META] = "meta record", [DISK_CHUNK_FAULTS] = "fault",
	[DISK_CHUNK_MAPPINGS] = "mapping", [DISK_CHUNK_REMAPS] = "remap",
	[DISK_CHUNK_TASKS] = "task event", [DISK_CHUNK_STACKS] = "stack",
	[DISK_CHUNK_NOTES] = "note",	   [DISK_CHUNK_SUMMARY] = "summary record",
	[DISK_CHUNK_FILES] = "file",	   [DISK_CHUNK_CONTENTS] = "part of a file",
	[DISK_CHUNK_PAUSES] = "pause",	   [DISK_CHUNK_READS] = "read",
	[DISK_CHUNK_REQUESTS] = "request", [DISK_CHUNK_PATHS] = "path",
	[DISK_CHUNK_DEVICES] = "device",   [DISK_CHUNK_SAMPLES] = "sample",
};

/** Take @size bytes off a record's tail as a string; it must not hold a NUL. */
static bool take_string(struct trace *trace, struct tail *tail, uint32_t size,
			const char **ret_text)
{
	if (size > tail->size || memchr(tail->bytes, '\0', size))
		return false;
	*ret_text = arena_strndup(&trace->arena, (const char *)tail->bytes, size);
	tail->bytes += size;
	tail->size -= size;
	return true;
}

static bool take_optional_string(struct trace *trace, struct tail *tail, uint32_t size,
				 const char **ret_text)
{
	*ret_text = NULL;
	return size == DISK_NO_STRING || take_string(trace, tail, size, ret_text);
}

static bool take_command(struct trace *trace, struct tail *tail, uint32_t count, uint32_t size,
			 struct trace_meta *meta)
{
	if (size > tail->size || count > size || (size > 0 && tail->bytes[size - 1] != '\0'))
		return false;

	char *words = arena_copy(&trace->arena, tail->bytes, size);
	const char **command = arena_array(&trace->arena, (size_t)count + 1, sizeof(char *));
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (at >= size)
			return false;
		command[i] = words + at;
		at += strlen(words + at) + 1;
	}
	meta->command = command;
	meta->command_count = count;
	return at == size;
}

static bool read_meta(struct trace *trace, struct chunk *chunk)
{
	struct trace_meta *meta = &trace->meta;
	struct disk_meta disk;
	struct tail tail;

	if (chunk->record_count != 1 || !chunk_next_record(chunk, &disk, sizeof(disk)) ||
	    !chunk_take_tail(chunk, le32toh(disk.tail_size), &tail))
		return false;

	uint32_t flags = le32toh(disk.flags);
	*meta = (struct trace_meta){
		.page_size = le32toh(disk.page_size),
		.root_pid = le32toh(disk.root_pid),
		.start_ns = le64toh(disk.start_ns),
		.start_unix_ns = le64toh(disk.start_unix_ns),
		.attached = flags & DISK_META_ATTACHED,
		.has_stacks = flags & DISK_META_HAS_STACKS,
		.has_reads = flags & DISK_META_HAS_READS,
		.has_pauses = flags & DISK_META_HAS_PAUSES,
		.has_storage = flags & DISK_META_HAS_STORAGE,
		.has_samples = flags & DISK_META_HAS_SAMPLES,
	};
	return take_optional_string(trace, &tail, le32toh(disk.backend_size), &meta->backend) &&
	       take_optional_string(trace, &tail, le32toh(disk.kernel_size), &meta->kernel) &&
	       take_optional_string(trace, &tail, le32toh(disk.machine_size), &meta->machine) &&
	       take_optional_string(trace, &tail, le32toh(disk.producer_size), &meta->producer) &&
	       take_command(trace, &tail, le32toh(disk.command_count), le32toh(disk.command_size),
			    meta);
}

static bool read_faults(struct trace *trace, struct chunk *chunk)
{
	struct disk_fault disk;

	size_t wanted = trace->faults.count + chunk->record_count;

	// By far the most memory: grow by less than twice.
	if (wanted > trace->faults.capacity)
		vec_reserve_exactly(&trace->faults, wanted + trace->faults.count / 8);
	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->faults, (struct trace_fault){
						 .time_ns = le64toh(disk.time_ns),
						 .duration_ns = le64toh(disk.duration_ns),
						 .addr = le64toh(disk.addr),
						 .ip = le64toh(disk.ip),
						 .sp = le64toh(disk.sp),
						 .around_offset = le64toh(disk.around_offset),
						 .around_pages = le32toh(disk.around_pages),
						 .pid = le32toh(disk.pid),
						 .tid = le32toh(disk.tid),
						 .stack = le32toh(disk.stack),
						 .error_code = le32toh(disk.error_code),
						 .flags = le32toh(disk.flags),
						 .read_offset = le64toh(disk.read_offset),
						 .read_pages = le32toh(disk.read_pages),
						 .read_span = le32toh(disk.read_span),
					 });
	return true;
}

static bool read_mappings(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	struct disk_mapping disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		uint32_t build_id_size = le32toh(disk.build_id_size);
		uint32_t path_size = le32toh(disk.path_size);
		struct trace_mapping mapping = {
			.time_ns = le64toh(disk.time_ns),
			.addr = le64toh(disk.addr),
			.size = le64toh(disk.size),
			.offset = le64toh(disk.offset),
			.device = le64toh(disk.device),
			.inode = le64toh(disk.inode),
			.pid = le32toh(disk.pid),
			.tid = le32toh(disk.tid),
			.protection = le32toh(disk.protection),
			.is_shared = le32toh(disk.flags) & DISK_MAPPING_SHARED,
			.build_id_size = (uint8_t)build_id_size, // checked below
			.file = le32toh(disk.file),
		};

		if (build_id_size > TRACE_BUILD_ID_MAX ||
		    !chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    path_size > tail.size || memchr(tail.bytes, '\0', path_size))
			return false;
		mapping.path = intern_bytes(intern, tail.bytes, path_size);
		memcpy(mapping.build_id, disk.build_id, build_id_size);
		vec_push(&trace->mappings, mapping);
	}
	return true;
}

static bool read_remaps(struct trace *trace, struct chunk *chunk)
{
	struct disk_remap disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->remaps,
			 (struct trace_remap){
				 .time_ns = le64toh(disk.time_ns),
				 .old_addr = le64toh(disk.old_addr),
				 .old_size = le64toh(disk.old_size),
				 .new_addr = le64toh(disk.new_addr),
				 .new_size = le64toh(disk.new_size),
				 .pid = le32toh(disk.pid),
				 .tid = le32toh(disk.tid),
				 .keeps_old = le32toh(disk.flags) & DISK_REMAP_KEEPS_OLD,
			 });
	return true;
}

static bool read_tasks(struct trace *trace, struct chunk *chunk)
{
	struct disk_task disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_task task = {
			.time_ns = le64toh(disk.time_ns),
			.kind = le32toh(disk.kind),
			.pid = le32toh(disk.pid),
			.tid = le32toh(disk.tid),
			.parent_pid = le32toh(disk.parent_pid),
			.parent_tid = le32toh(disk.parent_tid),
			.has_counts = le32toh(disk.flags) & DISK_TASK_HAS_COUNTS,
			.kernel_minor = le64toh(disk.kernel_minor),
			.kernel_major = le64toh(disk.kernel_major),
			.seen = le64toh(disk.seen),
		};

		if (disk.comm[sizeof(disk.comm) - 1] != '\0')
			return false;
		memcpy(task.comm, disk.comm, strlen(disk.comm));
		if (le32toh(disk.kind) > TRACE_TASK_EXIT) {
			notes_add(&trace->notes, "task event of unknown kind %" PRIu32 " skipped",
				  le32toh(disk.kind));
			continue;
		}
		vec_push(&trace->tasks, task);
	}
	return true;
}

static bool read_pauses(struct trace *trace, struct chunk *chunk)
{
	struct disk_pause disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->pauses, (struct trace_pause){
						 .time_ns = le64toh(disk.time_ns),
						 .woken_ns = le64toh(disk.woken_ns),
						 .back_ns = le64toh(disk.back_ns),
						 .runtime_ns = le64toh(disk.runtime_ns),
						 .delay_ns = le64toh(disk.delay_ns),
						 .pid = le32toh(disk.pid),
						 .tid = le32toh(disk.tid),
						 .waker_pid = le32toh(disk.waker_pid),
						 .waker_tid = le32toh(disk.waker_tid),
						 .call = le32toh(disk.call),
						 .stack = le32toh(disk.stack),
						 .flags = le32toh(disk.flags),
					 });
	return true;
}

static bool read_samples(struct trace *trace, struct chunk *chunk)
{
	struct disk_sample disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->samples, (struct trace_sample){
						  .time_ns = le64toh(disk.time_ns),
						  .period_ns = le64toh(disk.period_ns),
						  .ip = le64toh(disk.ip),
						  .pid = le32toh(disk.pid),
						  .tid = le32toh(disk.tid),
						  .stack = le32toh(disk.stack),
						  .flags = le32toh(disk.flags),
					  });
	return true;
}

/** The frames of one stack. */
struct frames {
	VEC(uint64_t) list;
};

static void frames_deinit(struct frames *frames)
{
	vec_deinit(&frames->list);
}

static bool read_stacks(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	CLEANUP(frames_deinit) struct frames frames = { 0 };
	struct disk_stack disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		uint32_t frame_count = le32toh(disk.frame_count);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    frame_count > tail.size / sizeof(uint64_t))
			return false;

		frames.list.count = 0;
		for (uint32_t i = 0; i < frame_count; i++) {
			uint64_t frame;

			memcpy(&frame, tail.bytes + i * sizeof(frame), sizeof(frame));
			vec_push(&frames.list, le64toh(frame));
		}
		vec_push(&trace->stacks,
			 (struct trace_stack){
				 .id = le32toh(disk.id),
				 .frame_count = frame_count,
				 .frames = intern_bytes(intern, frames.list.items,
							frame_count * sizeof(uint64_t)),
				 .is_truncated = le32toh(disk.flags) & DISK_STACK_TRUNCATED,
				 .is_complete = le32toh(disk.flags) & DISK_STACK_COMPLETE,
			 });
	}
	return true;
}

static bool read_files(struct trace *trace, struct chunk *chunk)
{
	struct disk_file disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->files, (struct trace_identity){
						.id = le32toh(disk.id),
						.flags = le32toh(disk.flags),
						.device = le64toh(disk.device),
						.inode = le64toh(disk.inode),
						.size = le64toh(disk.size),
						.mtime_ns = le64toh(disk.mtime_ns),
						.hash = le64toh(disk.hash),
					});
	return true;
}

static bool read_contents(struct trace *trace, struct chunk *chunk)
{
	struct disk_content disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		uint32_t size = le32toh(disk.size);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) || size > tail.size)
			return false;

		vec_push(&trace->contents,
			 (struct trace_content){
				 .file = le32toh(disk.file),
				 .size = size,
				 .offset = le64toh(disk.offset),
				 .bytes = arena_copy(&trace->arena, tail.bytes, size),
			 });
	}
	return true;
}

static bool read_reads(struct trace *trace, struct chunk *chunk)
{
	struct disk_read disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->reads, (struct trace_read){
						.time_ns = le64toh(disk.time_ns),
						.device = le64toh(disk.device),
						.inode = le64toh(disk.inode),
						.offset = le64toh(disk.offset),
						.size = le64toh(disk.size),
						.pid = le32toh(disk.pid),
						.tid = le32toh(disk.tid),
						.call = le32toh(disk.call),
						.flags = le32toh(disk.flags),
					});
	return true;
}

static bool read_requests(struct trace *trace, struct chunk *chunk)
{
	struct disk_request disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->requests, (struct trace_request){
						   .time_ns = le64toh(disk.time_ns),
						   .duration_ns = le64toh(disk.duration_ns),
						   .device = le64toh(disk.device),
						   .sector = le64toh(disk.sector),
						   .file_device = le64toh(disk.file_device),
						   .inode = le64toh(disk.inode),
						   .offset = le64toh(disk.offset),
						   .size = le32toh(disk.size),
						   .pid = le32toh(disk.pid),
						   .tid = le32toh(disk.tid),
						   .call = le32toh(disk.call),
						   .flags = le32toh(disk.flags),
					   });
	return true;
}

static bool read_paths(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	struct disk_path disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		uint32_t path_size = le32toh(disk.path_size);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    path_size > tail.size || memchr(tail.bytes, '\0', path_size))
			return false;
		vec_push(&trace->paths, (struct trace_path){
						.device = le64toh(disk.device),
						.inode = le64toh(disk.inode),
						.size = le64toh(disk.size),
						.path = intern_bytes(intern, tail.bytes, path_size),
					});
	}
	return true;
}

static bool read_devices(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	struct disk_device disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		uint32_t name_size = le32toh(disk.name_size);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    name_size > tail.size || memchr(tail.bytes, '\0', name_size))
			return false;
		vec_push(&trace->devices,
			 (struct trace_device){
				 .device = le64toh(disk.device),
				 .least = le64toh(disk.least),
				 .most = le64toh(disk.most),
				 .name = intern_bytes(intern, tail.bytes, name_size),
			 });
	}
	return true;
}

static bool read_notes(struct trace *trace, struct chunk *chunk)
{
	struct disk_note disk;
	struct tail tail;
	const char *text;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    !take_string(trace, &tail, le32toh(disk.text_size), &text))
			return false;
		trace_note(trace, text, le64toh(disk.count));
	}
	return true;
}

static bool read_summary(struct trace *trace, struct chunk *chunk)
{
	struct disk_summary disk;

	if (chunk->record_count != 1 || !chunk_next_record(chunk, &disk, sizeof(disk)))
		return false;

	uint32_t flags = le32toh(disk.flags);
	trace->summary = (struct trace_summary){
		.end_ns = le64toh(disk.end_ns),
		.recorded = le64toh(disk.recorded),
		.lost = le64toh(disk.lost),
		.lost_other = le64toh(disk.lost_other),
		.before_exec = le64toh(disk.before_exec),
		.unsampled = le64toh(disk.unsampled),
		.stacks_lost = le64toh(disk.stacks_lost),
		.rusage_minor = le64toh(disk.rusage_minor),
		.rusage_major = le64toh(disk.rusage_major),
		.has_rusage = flags & DISK_SUMMARY_HAS_RUSAGE,
		.has_unsampled = flags & DISK_SUMMARY_HAS_UNSAMPLED,
		.exit_status = (int32_t)le32toh(disk.exit_status), // stored in two's complement
		.pauses_lost = le64toh(disk.pauses_lost),
		.storage_lost = le64toh(disk.storage_lost),
		.samples_lost = le64toh(disk.samples_lost),
	};
	return true;
}

static bool read_records(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	switch ((enum disk_chunk_type)chunk->type) {
	case DISK_CHUNK_META:
		return read_meta(trace, chunk);
	case DISK_CHUNK_FAULTS:
		return read_faults(trace, chunk);
	case DISK_CHUNK_MAPPINGS:
		return read_mappings(trace, intern, chunk);
	case DISK_CHUNK_REMAPS:
		return read_remaps(trace, chunk);
	case DISK_CHUNK_TASKS:
		return read_tasks(trace, chunk);
	case DISK_CHUNK_STACKS:
		return read_stacks(trace, intern, chunk);
	case DISK_CHUNK_NOTES:
		return read_notes(trace, chunk);
	case DISK_CHUNK_SUMMARY:
		return read_summary(trace, chunk);
	case DISK_CHUNK_FILES:
		return read_files(trace, chunk);
	case DISK_CHUNK_CONTENTS:
		return read_contents(trace, chunk);
	case DISK_CHUNK_PAUSES:
		return read_pauses(trace, chunk);
	case DISK_CHUNK_READS:
		return read_reads(trace, chunk);
	case DISK_CHUNK_REQUESTS:
		return read_requests(trace, chunk);
	case DISK_CHUNK_PATHS:
		return read_paths(trace, intern, chunk);
	case DISK_CHUNK_DEVICES:
		return read_devices(trace, intern, chunk);
	case DISK_CHUNK_SAMPLES:
		return read_samples(trace, chunk);
	case DISK_CHUNK_TYPES:
		break;
	}
	notes_add(&trace->notes,
		  "skipped a chunk of unknown type %" PRIu32 ": a newer elfault wrote it",
		  chunk->type);
	return true;
}

/** Read @chunk; where a record is malformed none of the chunk's events stay. */
static bool read_chunk(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	size_t faults = trace->faults.count, mappings = trace->mappings.count;
	size_t remaps = trace->remaps.count, tasks = trace->tasks.count;
	size_t stacks = trace->stacks.count, contents = trace->contents.count;
	size_t paths = trace->paths.count, devices = trace->devices.count;
	size_t pauses = trace->pauses.count, samples = trace->samples.count;

	if (read_records(trace, intern, chunk))
		return true;
	trace->faults.count = faults;
	trace->mappings.count = mappings;
	trace->remaps.count = remaps;
	trace->tasks.count = tasks;
	trace->stacks.count = stacks;
	trace->contents.count = contents;
	trace->pauses.count = pauses;
	trace->paths.count = paths;
	trace->devices.count = devices;
	trace->samples.count = samples;
	return false;
}

/** Read all chunks behind the meta chunk. Returns true if the summary was found. */
static bool read_chunks(struct chunk_source *source, struct trace *trace, struct intern *intern)
{
	bool has_summary = false;
	struct chunk chunk;

	while (chunk_source_next(source, &chunk)) {
		const char *why = NULL;

		if (has_summary)
			why = "a chunk after the summary";
		else if (chunk.type == DISK_CHUNK_META)
			why = "a second meta chunk";
		if (why) {
			snprintf(source->why, sizeof(source->why), "%s", why);
			break;
		}
		if (!read_chunk(trace, intern, &chunk)) {
			snprintf(source->why, sizeof(source->why),
				 "a malformed %s (%zu of a chunk)", type_names[chunk.type],
				 chunk.index);
			break;
		}
		has_summary = chunk.type == DISK_CHUNK_SUMMARY;
	}
	return has_summary;
}

/** Decide whether the trace is complete, and say why it is not. */
static void settle(const struct chunk_source *source, struct trace *trace, bool has_summary)
{
	struct notes *notes = &trace->notes;

	if (source->why[0])
		notes_add(notes,
			  "the trace is incomplete: %s at byte %" PRIu64 " of %" PRIu64
			  "; the events before it were read",
			  source->why, source->offset, source->file->size);
	else if (!has_summary)
		notes_add(notes,
			  "the trace is incomplete: it ends at byte %" PRIu64
			  " without a summary, so recording did not finish",
			  source->offset);
	else if (trace->summary.recorded != trace->faults.count)
		notes_add(notes,
			  "the trace is incomplete: %zu faults, but its summary counts %" PRIu64,
			  trace->faults.count, trace->summary.recorded);
	else
		trace->complete = true;
}

bool trace_read_binary(struct trace_file *file, struct trace *trace, struct err *err)
{
	CLEANUP(chunk_source_deinit) struct chunk_source source;
	CLEANUP(intern_deinit) struct intern intern = { .arena = &trace->arena };
	struct chunk chunk;

	chunk_source_init(&source, file);
	if (!chunk_source_start(&source, err))
		return false;
	if (!chunk_source_next(&source, &chunk))
		return err_set(err, ERR_INPUT, "%s: %s at byte %" PRIu64 "; nothing to read",
			       file->path, source.why[0] ? source.why : "the file is cut",
			       source.offset);
	if (chunk.type != DISK_CHUNK_META || !read_chunk(trace, &intern, &chunk))
		return err_set(err, ERR_INPUT, "%s: the first chunk is not a valid meta chunk",
			       file->path);
	settle(&source, trace, read_chunks(&source, trace, &intern));
	return true;
}
