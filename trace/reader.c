// SPDX-License-Identifier: Apache-2.0
// Turns the checked chunks of a binary trace into events. A chunk counts whole or not at all.
#include "trace/private.h"

#include "base/cleanup.h"
#include "trace/chunk.h"
#include "trace/intern.h"
#include "trace/record.h"

#include <inttypes.h>
#include <string.h>

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

/** Take @count words off a record's tail, each ended by a NUL: @size bytes. */
static bool take_words(struct trace *trace, struct tail *tail, uint32_t count, uint32_t size,
		       const char *const **ret_words)
{
	if (size > tail->size || count > size || (size > 0 && tail->bytes[size - 1] != '\0'))
		return false;

	char *bytes = arena_copy(&trace->arena, tail->bytes, size);
	const char **words = arena_array(&trace->arena, (size_t)count + 1, sizeof(char *));
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (at >= size)
			return false;
		words[i] = bytes + at;
		at += strlen(bytes + at) + 1;
	}
	tail->bytes += size;
	tail->size -= size;
	*ret_words = words;
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
	*meta = disk_meta_get(&disk);
	meta->attached = flags & DISK_META_ATTACHED;
	meta->has_stacks = flags & DISK_META_HAS_STACKS;
	meta->has_reads = flags & DISK_META_HAS_READS;
	meta->has_pauses = flags & DISK_META_HAS_PAUSES;
	meta->has_storage = flags & DISK_META_HAS_STORAGE;
	meta->has_samples = flags & DISK_META_HAS_SAMPLES;
	meta->samples_user_only = flags & DISK_META_SAMPLES_USER_ONLY;
	meta->has_calls = flags & DISK_META_HAS_CALLS;
	meta->has_opens = flags & DISK_META_HAS_OPENS;
	meta->command_count = le32toh(disk.command_count);
	meta->label_count = le32toh(disk.label_count);
	meta->times_are_order = flags & DISK_META_TIMES_ARE_ORDER;
	meta->stacks_have_gaps = flags & DISK_META_STACKS_HAVE_GAPS;
	meta->kinds_unknown = flags & DISK_META_KINDS_UNKNOWN;
	meta->has_costs = flags & DISK_META_HAS_COSTS;
	for (size_t i = 0; i < TRACE_COSTS; i++)
		meta->costs_ns[i] = le32toh(disk.costs_ns[i]);
	// Traces of before the costs were kept have it here.
	if (!meta->has_costs && meta->costs_ns[TRACE_COST_SAMPLE] == 0)
		meta->costs_ns[TRACE_COST_SAMPLE] = le32toh(disk.sample_cost_ns);
	return take_optional_string(trace, &tail, le32toh(disk.backend_size), &meta->backend) &&
	       take_optional_string(trace, &tail, le32toh(disk.kernel_size), &meta->kernel) &&
	       take_optional_string(trace, &tail, le32toh(disk.machine_size), &meta->machine) &&
	       take_optional_string(trace, &tail, le32toh(disk.producer_size), &meta->producer) &&
	       take_words(trace, &tail, le32toh(disk.command_count), le32toh(disk.command_size),
			  &meta->command) &&
	       (!disk.host_size ||
		take_string(trace, &tail, le32toh(disk.host_size), &meta->host)) &&
	       take_words(trace, &tail, le32toh(disk.label_count), le32toh(disk.labels_size),
			  &meta->labels) &&
	       (!disk.cgroup_size ||
		take_string(trace, &tail, le32toh(disk.cgroup_size), &meta->cgroup));
}

static bool read_faults(struct trace *trace, struct chunk *chunk)
{
	size_t wanted = trace->faults.count + chunk->record_count;
	struct disk_fault disk;

	// By far the most memory: grow by less than twice.
	if (wanted > trace->faults.capacity)
		vec_reserve_exactly(&trace->faults, wanted + trace->faults.count / 8);
	while (chunk_next_record(chunk, &disk, sizeof(disk)))
		vec_push(&trace->faults, disk_fault_get(&disk));
	return true;
}

/** Take a record's tail, of @tail_size bytes, which starts with a text of @size that others have
 * too. */
static bool take_text(struct intern *intern, struct chunk *chunk, uint32_t tail_size, uint32_t size,
		      const char **ret_text)
{
	struct tail tail;

	if (!chunk_take_tail(chunk, tail_size, &tail) || size > tail.size ||
	    memchr(tail.bytes, '\0', size))
		return false;
	*ret_text = intern_bytes(intern, tail.bytes, size);
	return true;
}

static bool read_mappings(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	struct disk_mapping disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_mapping mapping = disk_mapping_get(&disk);
		uint32_t build_id_size = le32toh(disk.build_id_size);

		if (build_id_size > TRACE_BUILD_ID_MAX ||
		    !take_text(intern, chunk, le32toh(disk.tail_size), le32toh(disk.path_size),
			       &mapping.path))
			return false;
		mapping.is_shared = le32toh(disk.flags) & DISK_MAPPING_SHARED;
		mapping.build_id_size = (uint8_t)build_id_size; // checked
		memcpy(mapping.build_id, disk.build_id, build_id_size);
		vec_push(&trace->mappings, mapping);
	}
	return true;
}

static bool read_remaps(struct trace *trace, struct chunk *chunk)
{
	struct disk_remap disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_remap remap = disk_remap_get(&disk);

		remap.keeps_old = le32toh(disk.flags) & DISK_REMAP_KEEPS_OLD;
		vec_push(&trace->remaps, remap);
	}
	return true;
}

static bool read_tasks(struct trace *trace, struct chunk *chunk)
{
	struct disk_task disk;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_task task = disk_task_get(&disk);

		if (disk.comm[sizeof(disk.comm) - 1] != '\0')
			return false;
		memcpy(task.comm, disk.comm, strlen(disk.comm));
		task.has_counts = le32toh(disk.flags) & DISK_TASK_HAS_COUNTS;
		if (le32toh(disk.kind) > TRACE_TASK_EXIT)
			notes_add(&trace->notes, "task event of unknown kind %" PRIu32 " skipped",
				  le32toh(disk.kind));
		else
			vec_push(&trace->tasks, task);
	}
	return true;
}

/** The frames of one stack. */
struct frames {
	VEC(uint64_t) list;
};

static bool read_stacks(struct trace *trace, struct intern *intern, struct chunk *chunk)
{
	CLEANUP(vec_release) struct frames frames = { 0 };
	struct disk_stack disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_stack stack = disk_stack_get(&disk);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    stack.frame_count > tail.size / sizeof(uint64_t))
			return false;

		frames.list.count = 0;
		for (uint32_t i = 0; i < stack.frame_count; i++) {
			uint64_t frame;

			memcpy(&frame, tail.bytes + i * sizeof(frame), sizeof(frame));
			vec_push(&frames.list, le64toh(frame));
		}
		stack.frames = intern_bytes(intern, frames.list.items,
					    stack.frame_count * sizeof(uint64_t));
		stack.is_truncated = le32toh(disk.flags) & DISK_STACK_TRUNCATED;
		stack.is_complete = le32toh(disk.flags) & DISK_STACK_COMPLETE;
		stack.is_elsewhere = le32toh(disk.flags) & DISK_STACK_ELSEWHERE;
		vec_push(&trace->stacks, stack);
	}
	return true;
}

static bool read_contents(struct trace *trace, struct chunk *chunk)
{
	struct disk_content disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_content content = disk_content_get(&disk);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    content.size > tail.size)
			return false;
		content.bytes = arena_copy(&trace->arena, tail.bytes, content.size);
		vec_push(&trace->contents, content);
	}
	return true;
}

static bool read_marks(struct trace *trace, struct chunk *chunk)
{
	struct disk_mark disk;
	struct tail tail;

	while (chunk_next_record(chunk, &disk, sizeof(disk))) {
		struct trace_mark mark = disk_mark_get(&disk);

		if (!chunk_take_tail(chunk, le32toh(disk.tail_size), &tail) ||
		    !take_string(trace, &tail, le32toh(disk.name_size), &mark.name) ||
		    !take_string(trace, &tail, le32toh(disk.condition_size), &mark.condition))
			return false;
		vec_push(&trace->marks, mark);
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
	trace->summary = disk_summary_get(&disk);
	trace->summary.has_rusage = flags & DISK_SUMMARY_HAS_RUSAGE;
	trace->summary.has_unsampled = flags & DISK_SUMMARY_HAS_UNSAMPLED;
	trace->summary.has_unrecorded = flags & DISK_SUMMARY_HAS_UNRECORDED;
	trace->summary.exit_status = (int32_t)le32toh(disk.exit_status); // as it was stored
	return true;
}

/** Read records that are numbers and nothing else. */
#define READ_NUMBERS(kind, vec)                                         \
	do {                                                            \
		struct disk_##kind disk_;                               \
		while (chunk_next_record(chunk, &disk_, sizeof(disk_))) \
			vec_push((vec), disk_##kind##_get(&disk_));     \
		return true;                                            \
	} while (0)

/** Read records with a text behind them, whose size is member_size. */
#define READ_TEXTS(kind, vec, member)                                                 \
	do {                                                                          \
		struct disk_##kind disk_;                                             \
		while (chunk_next_record(chunk, &disk_, sizeof(disk_))) {             \
			struct trace_##kind event_ = disk_##kind##_get(&disk_);       \
			if (!take_text(intern, chunk, le32toh(disk_.tail_size),       \
				       le32toh(disk_.member##_size), &event_.member)) \
				return false;                                         \
			vec_push((vec), event_);                                      \
		}                                                                     \
		return true;                                                          \
	} while (0)

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
	case DISK_CHUNK_CONTENTS:
		return read_contents(trace, chunk);
	case DISK_CHUNK_PATHS:
		READ_TEXTS(path, &trace->paths, path);
	case DISK_CHUNK_ROOTS:
		READ_TEXTS(root, &trace->roots, name);
	case DISK_CHUNK_ARGUMENTS:
		READ_TEXTS(argument, &trace->arguments, text);
	case DISK_CHUNK_OPENS:
		READ_TEXTS(open, &trace->opens, path);
	case DISK_CHUNK_MARKS:
		return read_marks(trace, chunk);
	case DISK_CHUNK_DEVICES:
		READ_TEXTS(device, &trace->devices, name);
	case DISK_CHUNK_FILES:
		READ_NUMBERS(file, &trace->files);
	case DISK_CHUNK_PAUSES:
		READ_NUMBERS(pause, &trace->pauses);
	case DISK_CHUNK_SAMPLES:
		READ_NUMBERS(sample, &trace->samples);
	case DISK_CHUNK_READS:
		READ_NUMBERS(read, &trace->reads);
	case DISK_CHUNK_REQUESTS:
		READ_NUMBERS(request, &trace->requests);
	case DISK_CHUNK_CALLS:
		READ_NUMBERS(call, &trace->calls);
	case DISK_CHUNK_PREFAULTS:
		READ_NUMBERS(prefault, &trace->prefaults);
	case DISK_CHUNK_FLUSHES:
		READ_NUMBERS(flush, &trace->flushes);
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
#define REMEMBER(array, key)  size_t array = trace->array.count;
#define TAKE_BACK(array, key) trace->array.count = array;
	TRACE_ARRAYS(REMEMBER)

	if (read_records(trace, intern, chunk))
		return true;
	TRACE_ARRAYS(TAKE_BACK)
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
				 "a malformed %s (%zu of a chunk)", disk_kinds[chunk.type].name,
				 chunk.index);
			break;
		}
		has_summary = chunk.type == DISK_CHUNK_SUMMARY;
	}
	return has_summary;
}

/**
 * Marks are written as they hold and, where the recording finished, all again: then those count,
 * which know what ended it.
 */
static void settle_marks(struct trace *trace)
{
	bool are_final = false;
	size_t kept = 0;

	vec_foreach (mark, &trace->marks)
		are_final |= !(mark->flags & TRACE_MARK_EARLY);
	vec_foreach (mark, &trace->marks) {
		if (are_final && mark->flags & TRACE_MARK_EARLY)
			continue;
		mark->flags &= ~(uint32_t)TRACE_MARK_EARLY;
		trace->marks.items[kept++] = *mark;
	}
	trace->marks.count = kept;
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
	settle_marks(trace);
	return true;
}
