// SPDX-License-Identifier: Apache-2.0
// Takes a binary trace apart into chunks. Nothing is believed before its hash was compared and its
// length held against the file's and the format's limits.
#include "trace/chunk.h"

#include "base/checked.h"
#include "trace/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define KIND(record, kind_name)                                                                    \
	{                                                                                          \
		.name = (kind_name), .size = sizeof(struct record), .least = sizeof(struct record) \
	}
#define GROWN_KIND(record, kind_name, first_new)                    \
	{                                                           \
		.name = (kind_name), .size = sizeof(struct record), \
		.least = offsetof(struct record, first_new)         \
	}

const struct disk_kind disk_kinds[DISK_CHUNK_TYPES] = {
	[DISK_CHUNK_META] = GROWN_KIND(disk_meta, "meta record", host_size),
	[DISK_CHUNK_FAULTS] = GROWN_KIND(disk_fault, "fault", read_offset),
	[DISK_CHUNK_MAPPINGS] = GROWN_KIND(disk_mapping, "mapping", file),
	[DISK_CHUNK_REMAPS] = KIND(disk_remap, "remap"),
	[DISK_CHUNK_TASKS] = KIND(disk_task, "task event"),
	[DISK_CHUNK_STACKS] = GROWN_KIND(disk_stack, "stack", shown_start),
	[DISK_CHUNK_NOTES] = KIND(disk_note, "note"),
	[DISK_CHUNK_SUMMARY] = GROWN_KIND(disk_summary, "summary record", pauses_lost),
	[DISK_CHUNK_FILES] = KIND(disk_file, "file"),
	[DISK_CHUNK_CONTENTS] = KIND(disk_content, "part of a file"),
	[DISK_CHUNK_PAUSES] = KIND(disk_pause, "pause"),
	[DISK_CHUNK_SAMPLES] = KIND(disk_sample, "sample"),
	[DISK_CHUNK_READS] = KIND(disk_read, "read"),
	[DISK_CHUNK_REQUESTS] = KIND(disk_request, "request"),
	[DISK_CHUNK_PATHS] = KIND(disk_path, "path"),
	[DISK_CHUNK_DEVICES] = KIND(disk_device, "device"),
	[DISK_CHUNK_CALLS] = KIND(disk_call, "call"),
	[DISK_CHUNK_PREFAULTS] = KIND(disk_prefault, "prefault"),
	[DISK_CHUNK_ARGUMENTS] = KIND(disk_argument, "argument"),
	[DISK_CHUNK_OPENS] = KIND(disk_open, "open"),
	[DISK_CHUNK_MARKS] = KIND(disk_mark, "mark"),
	[DISK_CHUNK_FLUSHES] = KIND(disk_flush, "flush"),
	[DISK_CHUNK_ROOTS] = KIND(disk_root, "root"),
};

void chunk_source_init(struct chunk_source *source, struct trace_file *file)
{
	*source = (struct chunk_source){ .file = file, .zstd = ZSTD_createDCtx() };
	if (!source->zstd)
		oom();
}

void chunk_source_deinit(struct chunk_source *source)
{
	vec_deinit(&source->stored);
	vec_deinit(&source->raw);
	vec_deinit(&source->records);
	ZSTD_freeDCtx(source->zstd);
}

/** Say what is wrong with the chunk at hand. Returns false. */
static bool refuse(struct chunk_source *source, const char *why)
{
	snprintf(source->why, sizeof(source->why), "%s", why);
	return false;
}

/** Read exactly @size bytes. */
static bool read_exactly(struct chunk_source *source, void *bytes, size_t size)
{
	struct err err;
	size_t got;

	if (!trace_file_read(source->file, bytes, size, &got, &err))
		return refuse(source, strerror(err.os_errno));
	return got == size || refuse(source, "the file is cut");
}

bool chunk_source_start(struct chunk_source *source, struct err *err)
{
	struct disk_file_header header;
	const char *path = source->file->path;
	size_t rest = sizeof(header) - DISK_MAGIC_SIZE;

	memcpy(header.magic, DISK_MAGIC, DISK_MAGIC_SIZE);
	if (!read_exactly(source, (uint8_t *)&header + DISK_MAGIC_SIZE, rest))
		return err_set(err, ERR_INPUT, "%s: %s within its header; nothing to read", path,
			       source->why);
	// The version comes before the hash: another version may have another header.
	if (le32toh(header.version) != TRACE_VERSION)
		return err_set(err, ERR_INPUT,
			       "%s: is a trace of format version %" PRIu32
			       ", this elfault reads version %d; use the elfault that recorded it",
			       path, le32toh(header.version), TRACE_VERSION);
	if (le64toh(header.hash) != XXH64(&header, offsetof(struct disk_file_header, hash), 0))
		return err_set(err, ERR_INPUT, "%s: the header is damaged: its hash does not match",
			       path);
	source->next_offset = sizeof(header);
	return true;
}

/** Read and check header and stored bytes of the chunk at hand. */
static bool read_stored(struct chunk_source *source, struct disk_chunk_header *header)
{
	uint64_t left = source->file->size - source->offset;

	if (left < sizeof(*header))
		return refuse(source, "the file is cut");
	if (!read_exactly(source, header, sizeof(*header)))
		return false;
	if (le64toh(header->header_hash) !=
	    XXH64(header, offsetof(struct disk_chunk_header, header_hash), 0))
		return refuse(source, "a damaged chunk header");

	size_t stored_size = le32toh(header->stored_size);
	if (stored_size > left - sizeof(*header))
		return refuse(source, "the file is cut");
	if (stored_size > DISK_STORED_MAX)
		return refuse(source, "a chunk larger than the format allows");
	vec_reserve(&source->stored, stored_size + 1); // never NULL, also for an empty chunk
	source->stored.count = stored_size;
	if (!read_exactly(source, source->stored.items, stored_size))
		return false;
	if (le64toh(header->stored_hash) != XXH64(source->stored.items, stored_size, 0))
		return refuse(source, "a damaged chunk");
	source->next_offset = source->offset + sizeof(*header) + stored_size;
	return true;
}

/** Decompress stored into raw; the claimed size was not checked yet. */
static bool expand(struct chunk_source *source, const struct disk_chunk_header *header)
{
	size_t stored_size = source->stored.count;
	size_t raw_size = le32toh(header->raw_size);

	if (raw_size > DISK_RAW_MAX || raw_size > stored_size * DISK_RATIO_MAX)
		return refuse(source, "a chunk whose decompressed size exceeds the limit");
	vec_reserve(&source->raw, raw_size + 1);
	source->raw.count = raw_size;
	if (!(le32toh(header->flags) & DISK_CHUNK_ZSTD)) {
		if (stored_size != raw_size)
			return refuse(source, "an uncompressed chunk with contradictory lengths");
		if (raw_size > 0)
			memcpy(source->raw.items, source->stored.items, raw_size);
		return true;
	}

	size_t got = ZSTD_decompressDCtx(source->zstd, source->raw.items, raw_size,
					 source->stored.items, stored_size);
	return (!ZSTD_isError(got) && got == raw_size) ||
	       refuse(source, "a chunk that does not decompress to its stated length");
}

/** Columns to rows; see writer.c for why. */
static void untranspose(const uint8_t *columns, size_t size, size_t count, uint8_t *records)
{
	for (size_t i = 0; i < count; i++)
		for (size_t byte = 0; byte < size; byte++)
			*records++ = columns[byte * count + i];
}

/** Find the records in raw. */
static bool lay_out(struct chunk_source *source, const struct disk_chunk_header *header,
		    struct chunk *chunk)
{
	uint64_t records_size;

	chunk->record_size = le32toh(header->record_size);
	chunk->record_count = le32toh(header->record_count);
	if (chunk->record_size < disk_kinds[chunk->type].least)
		return refuse(source, "a chunk whose records are too short");
	if (!checked_mul(chunk->record_size, chunk->record_count, &records_size) ||
	    records_size > source->raw.count)
		return refuse(source, "a chunk with more records than bytes");

	chunk->records = source->raw.items;
	chunk->tails = source->raw.items + records_size;
	chunk->tails_size = source->raw.count - records_size;
	if (le32toh(header->flags) & DISK_CHUNK_COLUMNS) {
		vec_reserve(&source->records, records_size + 1);
		untranspose(source->raw.items, chunk->record_size, chunk->record_count,
			    source->records.items);
		chunk->records = source->records.items;
	}
	return true;
}

bool chunk_source_next(struct chunk_source *source, struct chunk *ret_chunk)
{
	struct disk_chunk_header header;

	source->offset = source->next_offset;
	if (source->offset == source->file->size || !read_stored(source, &header))
		return false;

	struct chunk chunk = { .type = le32toh(header.type), .offset = source->offset };
	// A type without records is unknown, as one past the last.
	if (chunk.type < DISK_CHUNK_TYPES && disk_kinds[chunk.type].size > 0) {
		if (le32toh(header.flags) & ~(uint32_t)DISK_CHUNK_FLAGS)
			return refuse(source, "a chunk with unknown flags");
		if (!expand(source, &header) || !lay_out(source, &header, &chunk))
			return false;
	}
	*ret_chunk = chunk;
	return true;
}

bool chunk_next_record(struct chunk *chunk, void *record, size_t size)
{
	if (chunk->index == chunk->record_count)
		return false;
	size_t known = chunk->record_size < size ? chunk->record_size : size;

	memcpy(record, chunk->records + chunk->index++ * chunk->record_size, known);
	memset((uint8_t *)record + known, 0, size - known);
	return true;
}

bool chunk_take_tail(struct chunk *chunk, uint32_t size, struct tail *ret_tail)
{
	if (size > chunk->tails_size)
		return false;
	*ret_tail = (struct tail){ .bytes = chunk->tails, .size = size };
	chunk->tails += size;
	chunk->tails_size -= size;
	return true;
}
