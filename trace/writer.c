// SPDX-License-Identifier: Apache-2.0
// Owns the file while a trace is recorded: gathers events by kind, and puts them down as whole
// chunks, each with a single write, so that a kill costs at most the chunk under way.
#include "trace/record.h"
#include "trace/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/** Events of one kind that are not written yet. */
struct pending {
	VEC(uint8_t) records;
	VEC(uint8_t) tails;
	uint32_t count;
};

struct trace_writer {
	int fd;
	struct pending pending[DISK_CHUNK_TYPES];
	size_t pending_bytes;
	VEC(uint8_t) raw;
	VEC(uint8_t) out; // what the next write() takes
	ZSTD_CCtx *zstd;
	uint64_t fault_count;
	uint64_t faults_kept;
	bool has_failed;
	struct err err;
};

// Faults come last of what they refer to: a fault that was kept finds its stack and its mapping.
static const enum disk_chunk_type flush_order[] = {
	DISK_CHUNK_TASKS,     DISK_CHUNK_MAPPINGS, DISK_CHUNK_REMAPS,	DISK_CHUNK_STACKS,
	DISK_CHUNK_FAULTS,    DISK_CHUNK_FILES,	   DISK_CHUNK_CONTENTS, DISK_CHUNK_NOTES,
	DISK_CHUNK_PAUSES,    DISK_CHUNK_SAMPLES,  DISK_CHUNK_PATHS,	DISK_CHUNK_READS,
	DISK_CHUNK_REQUESTS,  DISK_CHUNK_CALLS,	   DISK_CHUNK_DEVICES,	DISK_CHUNK_PREFAULTS,
	DISK_CHUNK_ARGUMENTS, DISK_CHUNK_OPENS,	   DISK_CHUNK_MARKS,	DISK_CHUNK_FLUSHES,
	DISK_CHUNK_ROOTS,
};

#define vec_add_bytes(vec, bytes, size)                                      \
	do {                                                                 \
		size_t size_ = (size);                                       \
		vec_reserve((vec), (vec)->count + size_);                    \
		if (size_ > 0)                                               \
			memcpy((vec)->items + (vec)->count, (bytes), size_); \
		(vec)->count += size_;                                       \
	} while (0)

static bool too_large(struct trace_writer *writer, const char *what)
{
	writer->has_failed = true;
	return err_set(&writer->err, ERR_UNSUPPORTED, "trace: %s of more than %d bytes", what,
		       DISK_RAW_MAX);
}

/** Write what is in out, whole. */
static bool write_out(struct trace_writer *writer)
{
	const uint8_t *bytes = writer->out.items;
	size_t left = writer->out.count;

	while (left > 0) {
		ssize_t written = write(writer->fd, bytes, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			if (written == 0)
				errno = ENOSPC;
			writer->has_failed = true;
			return err_os(&writer->err, "writing the trace");
		}
		bytes += written;
		left -= (size_t)written;
	}
	writer->out.count = 0;
	return true;
}

/**
 * Put the content of a chunk into raw, its records transposed: bytes of like meaning then stand
 * side by side. Measured on faults of four threads this takes a quarter off the file and a third
 * off the time of zstd; differences to the record before made both worse.
 */
static void fill_raw(struct trace_writer *writer, const struct pending *pending, size_t record_size)
{
	size_t records_size = pending->records.count;

	vec_reserve(&writer->raw, records_size + pending->tails.count);
	writer->raw.count = records_size;
	for (size_t column = 0; column < record_size; column++) {
		const uint8_t *from = pending->records.items + column;
		uint8_t *to = writer->raw.items + column * pending->count;

		for (size_t i = 0; i < pending->count; i++)
			to[i] = from[i * record_size];
	}
	vec_add_bytes(&writer->raw, pending->tails.items, pending->tails.count);
}

/** Append the pending events of one kind to out, as a chunk, and forget them. */
static bool append_chunk(struct trace_writer *writer, enum disk_chunk_type type)
{
	struct pending *pending = &writer->pending[type];
	size_t raw_size = pending->records.count + pending->tails.count;

	if (raw_size > DISK_RAW_MAX)
		return too_large(writer, "a chunk");

	fill_raw(writer, pending, disk_kinds[type].size);
	struct disk_chunk_header header = {
		.type = htole32(type),
		.flags = htole32(DISK_CHUNK_ZSTD | DISK_CHUNK_COLUMNS),
		.raw_size = htole32((uint32_t)raw_size),
		.record_size = htole32(disk_kinds[type].size),
		.record_count = htole32(pending->count),
	};
	size_t header_at = writer->out.count;
	size_t stored_at = header_at + sizeof(header);
	size_t bound = ZSTD_compressBound(raw_size);

	vec_reserve(&writer->out, stored_at + bound);
	size_t stored_size = ZSTD_compressCCtx(writer->zstd, writer->out.items + stored_at, bound,
					       writer->raw.items, raw_size, 1);

	// A reader allocates by what is stored, so content that shrinks too well is left alone.
	if (ZSTD_isError(stored_size) || stored_size >= raw_size ||
	    stored_size * DISK_RATIO_MAX < raw_size) {
		memcpy(writer->out.items + stored_at, writer->raw.items, raw_size);
		stored_size = raw_size;
		header.flags = htole32(DISK_CHUNK_COLUMNS);
	}
	header.stored_size = htole32((uint32_t)stored_size);
	header.stored_hash = htole64(XXH64(writer->out.items + stored_at, stored_size, 0));
	header.header_hash =
		htole64(XXH64(&header, offsetof(struct disk_chunk_header, header_hash), 0));
	memcpy(writer->out.items + header_at, &header, sizeof(header));
	writer->out.count = stored_at + stored_size;

	writer->pending_bytes -= raw_size;
	pending->records.count = 0;
	pending->tails.count = 0;
	pending->count = 0;
	return true;
}

static bool write_chunk(struct trace_writer *writer, enum disk_chunk_type type)
{
	uint32_t count = writer->pending[type].count;

	if (!append_chunk(writer, type) || !write_out(writer))
		return false;
	if (type == DISK_CHUNK_FAULTS)
		writer->faults_kept += count;
	return true;
}

/** Make sure that a record with @tail_size bytes of tail fits into the chunk under way. */
static bool make_room(struct trace_writer *writer, enum disk_chunk_type type, uint64_t tail_size)
{
	if (writer->has_failed)
		return false;
	if (tail_size > DISK_RAW_MAX - disk_kinds[type].size)
		return too_large(writer, "an event");
	if (writer->pending_bytes >= DISK_CHUNK_TARGET ||
	    writer->pending_bytes + disk_kinds[type].size + tail_size > DISK_RAW_MAX)
		return trace_writer_flush(writer);
	return true;
}

static void put_record(struct trace_writer *writer, enum disk_chunk_type type, const void *record)
{
	struct pending *pending = &writer->pending[type];

	vec_add_bytes(&pending->records, (const uint8_t *)record, disk_kinds[type].size);
	pending->count++;
	writer->pending_bytes += disk_kinds[type].size;
}

static void put_tail(struct trace_writer *writer, enum disk_chunk_type type, const void *bytes,
		     size_t size)
{
	vec_add_bytes(&writer->pending[type].tails, (const uint8_t *)bytes, size);
	writer->pending_bytes += size;
}

/** Put down one record with its tail. */
static bool add(struct trace_writer *writer, enum disk_chunk_type type, const void *record,
		const void *tail, size_t tail_size)
{
	if (!make_room(writer, type, tail_size))
		return false;
	put_record(writer, type, record);
	put_tail(writer, type, tail, tail_size);
	return true;
}

/** On-disk size of a string that may be NULL; *@total grows by its bytes. */
static uint32_t string_size(const char *text, uint64_t *total)
{
	if (!text)
		return htole32(DISK_NO_STRING);
	*total += strlen(text);
	return htole32((uint32_t)strlen(text)); // callers check *@total before they believe it
}

/** Bytes of @count words, each with its NUL. */
static uint64_t words_size(const char *const *words, size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += strlen(words[i]) + 1;
	return size;
}

static void put_words(struct trace_writer *writer, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_tail(writer, DISK_CHUNK_META, words[i], strlen(words[i]) + 1);
}

static bool add_meta(struct trace_writer *writer, const struct trace_meta *meta)
{
	const char *strings[] = { meta->backend, meta->kernel, meta->machine, meta->producer };
	const char *host = meta->host ? meta->host : "";
	const char *cgroup = meta->cgroup ? meta->cgroup : "";
	uint64_t tail_size = 0;
	uint64_t command_size = words_size(meta->command, meta->command_count);
	uint64_t labels_size = words_size(meta->labels, meta->label_count);

	struct disk_meta disk = disk_meta_put(meta);
	disk.flags = htole32((meta->attached ? DISK_META_ATTACHED : 0u) |
			     (meta->has_stacks ? DISK_META_HAS_STACKS : 0u) |
			     (meta->has_reads ? DISK_META_HAS_READS : 0u) |
			     (meta->has_pauses ? DISK_META_HAS_PAUSES : 0u) |
			     (meta->has_storage ? DISK_META_HAS_STORAGE : 0u) |
			     (meta->has_samples ? DISK_META_HAS_SAMPLES : 0u) |
			     (meta->samples_user_only ? DISK_META_SAMPLES_USER_ONLY : 0u) |
			     (meta->has_calls ? DISK_META_HAS_CALLS : 0u) |
			     (meta->times_are_order ? DISK_META_TIMES_ARE_ORDER : 0u) |
			     (meta->stacks_have_gaps ? DISK_META_STACKS_HAVE_GAPS : 0u) |
			     (meta->kinds_unknown ? DISK_META_KINDS_UNKNOWN : 0u) |
			     (meta->has_costs ? DISK_META_HAS_COSTS : 0u) |
			     (meta->has_opens ? DISK_META_HAS_OPENS : 0u));
	for (size_t i = 0; i < TRACE_COSTS; i++)
		disk.costs_ns[i] = htole32(meta->costs_ns[i]);
	disk.backend_size = string_size(meta->backend, &tail_size);
	disk.kernel_size = string_size(meta->kernel, &tail_size);
	disk.machine_size = string_size(meta->machine, &tail_size);
	disk.producer_size = string_size(meta->producer, &tail_size);
	disk.command_count = htole32((uint32_t)meta->command_count);
	disk.command_size = htole32((uint32_t)command_size);
	disk.host_size = string_size(host, &tail_size);
	disk.label_count = htole32((uint32_t)meta->label_count);
	disk.labels_size = htole32((uint32_t)labels_size);
	disk.cgroup_size = string_size(cgroup, &tail_size);
	tail_size += command_size + labels_size;
	disk.tail_size = htole32((uint32_t)tail_size);
	if (!make_room(writer, DISK_CHUNK_META, tail_size))
		return false;

	put_record(writer, DISK_CHUNK_META, &disk);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		if (strings[i])
			put_tail(writer, DISK_CHUNK_META, strings[i], strlen(strings[i]));
	put_words(writer, meta->command, meta->command_count);
	put_tail(writer, DISK_CHUNK_META, host, strlen(host));
	put_words(writer, meta->labels, meta->label_count);
	put_tail(writer, DISK_CHUNK_META, cgroup, strlen(cgroup));
	return true;
}

static bool write_start(struct trace_writer *writer, const struct trace_meta *meta)
{
	struct disk_file_header header = { .version = htole32(TRACE_VERSION) };

	memcpy(header.magic, DISK_MAGIC, DISK_MAGIC_SIZE);
	header.hash = htole64(XXH64(&header, offsetof(struct disk_file_header, hash), 0));
	vec_add_bytes(&writer->out, (const uint8_t *)&header, sizeof(header));
	return add_meta(writer, meta) && write_chunk(writer, DISK_CHUNK_META);
}

bool trace_writer_open(int fd, const struct trace_meta *meta, struct trace_writer **ret_writer,
		       struct err *err)
{
	struct trace_writer *writer = xcalloc(1, sizeof(*writer));

	writer->fd = fd;
	writer->zstd = ZSTD_createCCtx();
	if (!writer->zstd)
		oom();
	if (!write_start(writer, meta)) {
		if (err)
			*err = writer->err;
		trace_writer_close(writer);
		return false;
	}
	*ret_writer = writer;
	return true;
}

void trace_writer_close(struct trace_writer *writer)
{
	if (!writer)
		return;
	for (size_t type = 0; type < DISK_CHUNK_TYPES; type++) {
		vec_deinit(&writer->pending[type].records);
		vec_deinit(&writer->pending[type].tails);
	}
	vec_deinit(&writer->raw);
	vec_deinit(&writer->out);
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
}

bool trace_writer_file(struct trace_writer *writer, const struct trace_identity *file)
{
	struct disk_file disk = disk_file_put(file);

	return add(writer, DISK_CHUNK_FILES, &disk, NULL, 0);
}

/** Define trace_writer_@name() of a struct trace_@event whose record is all of it. */
#define WRITE(name, event, chunk)                                                               \
	bool trace_writer_##name(struct trace_writer *writer, const struct trace_##event *from) \
	{                                                                                       \
		const struct disk_##event disk = disk_##event##_put(from);                      \
                                                                                                \
		return add(writer, DISK_CHUNK_##chunk, &disk, NULL, 0);                         \
	}

/** The same with the text @member behind the record, which has its size in @member_size. */
#define WRITE_WITH_TEXT(name, event, chunk, member)                                             \
	bool trace_writer_##name(struct trace_writer *writer, const struct trace_##event *from) \
	{                                                                                       \
		const char *text = from->member ? from->member : "";                            \
		const size_t size = strlen(text);                                               \
		struct disk_##event disk = disk_##event##_put(from);                            \
                                                                                                \
		disk.member##_size = disk.tail_size =                                           \
			htole32((uint32_t)size); /* add() refuses more */                       \
		return add(writer, DISK_CHUNK_##chunk, &disk, text, size);                      \
	}

WRITE(pause, pause, PAUSES)
WRITE(sample, sample, SAMPLES)
WRITE(read, read, READS)
WRITE(request, request, REQUESTS)
WRITE(call, call, CALLS)
WRITE(prefault, prefault, PREFAULTS)
WRITE(flush_call, flush, FLUSHES)
WRITE_WITH_TEXT(argument, argument, ARGUMENTS, text)
WRITE_WITH_TEXT(open_call, open, OPENS, path)
WRITE_WITH_TEXT(path, path, PATHS, path)
WRITE_WITH_TEXT(root, root, ROOTS, name)
WRITE_WITH_TEXT(device, device, DEVICES, name)

bool trace_writer_fault(struct trace_writer *writer, const struct trace_fault *fault)
{
	struct disk_fault disk = disk_fault_put(fault);

	if (!add(writer, DISK_CHUNK_FAULTS, &disk, NULL, 0))
		return false;
	writer->fault_count++;
	return true;
}

bool trace_writer_mapping(struct trace_writer *writer, const struct trace_mapping *mapping)
{
	const char *path = mapping->path ? mapping->path : "";
	size_t path_size = strlen(path);
	struct disk_mapping disk = disk_mapping_put(mapping);
	uint8_t build_id_size = mapping->build_id_size;

	if (build_id_size > TRACE_BUILD_ID_MAX)
		build_id_size = TRACE_BUILD_ID_MAX;
	disk.flags = htole32(mapping->is_shared ? DISK_MAPPING_SHARED : 0u);
	disk.path_size = disk.tail_size = htole32((uint32_t)path_size); // add() refuses more
	disk.build_id_size = htole32(build_id_size);
	memcpy(disk.build_id, mapping->build_id, build_id_size);
	return add(writer, DISK_CHUNK_MAPPINGS, &disk, path, path_size);
}

bool trace_writer_remap(struct trace_writer *writer, const struct trace_remap *remap)
{
	struct disk_remap disk = disk_remap_put(remap);

	disk.flags = htole32(remap->keeps_old ? DISK_REMAP_KEEPS_OLD : 0u);
	return add(writer, DISK_CHUNK_REMAPS, &disk, NULL, 0);
}

bool trace_writer_task(struct trace_writer *writer, const struct trace_task *task)
{
	struct disk_task disk = disk_task_put(task);

	disk.flags = htole32(task->has_counts ? DISK_TASK_HAS_COUNTS : 0u);
	memcpy(disk.comm, task->comm, strnlen(task->comm, sizeof(disk.comm) - 1));
	return add(writer, DISK_CHUNK_TASKS, &disk, NULL, 0);
}

bool trace_writer_stack(struct trace_writer *writer, const struct trace_stack *stack)
{
	uint64_t tail_size = (uint64_t)stack->frame_count * sizeof(uint64_t);
	struct disk_stack disk = disk_stack_put(stack);

	if (!make_room(writer, DISK_CHUNK_STACKS, tail_size))
		return false;

	disk.flags = htole32((stack->is_truncated ? DISK_STACK_TRUNCATED : 0u) |
			     (stack->is_complete ? DISK_STACK_COMPLETE : 0u) |
			     (stack->is_elsewhere ? DISK_STACK_ELSEWHERE : 0u));
	disk.tail_size = htole32((uint32_t)tail_size); // there is room
	put_record(writer, DISK_CHUNK_STACKS, &disk);
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint64_t frame = htole64(stack->frames[i]);

		put_tail(writer, DISK_CHUNK_STACKS, &frame, sizeof(frame));
	}
	return true;
}

bool trace_writer_content(struct trace_writer *writer, const struct trace_content *content)
{
	struct disk_content disk = disk_content_put(content);

	disk.tail_size = disk.size;
	return add(writer, DISK_CHUNK_CONTENTS, &disk, content->bytes, content->size);
}

bool trace_writer_mark(struct trace_writer *writer, const struct trace_mark *mark)
{
	const char *condition = mark->condition ? mark->condition : "";
	const char *name = mark->name ? mark->name : "";
	const size_t size = strlen(name), condition_size = strlen(condition);
	struct disk_mark disk = disk_mark_put(mark);
	CLEANUP(strbuf_deinit) struct strbuf tail = { 0 };

	strbuf_add(&tail, name, size);
	strbuf_add(&tail, condition, condition_size);
	disk.name_size = htole32((uint32_t)size); // add() refuses more
	disk.condition_size = htole32((uint32_t)condition_size);
	disk.tail_size = htole32((uint32_t)tail.length);
	return add(writer, DISK_CHUNK_MARKS, &disk, strbuf_text(&tail), tail.length);
}

bool trace_writer_note(struct trace_writer *writer, const struct note *note)
{
	size_t size = strlen(note->text);
	struct disk_note disk = disk_note_put(note);

	disk.text_size = disk.tail_size = htole32((uint32_t)size); // add() refuses more
	return add(writer, DISK_CHUNK_NOTES, &disk, note->text, size);
}

bool trace_writer_flush(struct trace_writer *writer)
{
	if (writer->has_failed)
		return false;
	for (size_t i = 0; i < sizeof(flush_order) / sizeof(flush_order[0]); i++)
		if (writer->pending[flush_order[i]].count > 0 &&
		    !write_chunk(writer, flush_order[i]))
			return false;
	return true;
}

uint64_t trace_writer_fault_count(const struct trace_writer *writer)
{
	return writer->fault_count;
}

uint64_t trace_writer_faults_kept(const struct trace_writer *writer)
{
	return writer->faults_kept;
}

const struct err *trace_writer_error(const struct trace_writer *writer)
{
	return writer->has_failed ? &writer->err : NULL;
}

bool trace_writer_finish(struct trace_writer *writer, const struct trace_summary *summary)
{
	struct disk_summary disk = disk_summary_put(summary);

	disk.flags = htole32((summary->has_rusage ? DISK_SUMMARY_HAS_RUSAGE : 0u) |
			     (summary->has_unsampled ? DISK_SUMMARY_HAS_UNSAMPLED : 0u) |
			     (summary->has_unrecorded ? DISK_SUMMARY_HAS_UNRECORDED : 0u));
	disk.exit_status = htole32((uint32_t)summary->exit_status);
	if (!trace_writer_flush(writer))
		return false;
	put_record(writer, DISK_CHUNK_SUMMARY, &disk);
	return write_chunk(writer, DISK_CHUNK_SUMMARY);
}
