// SPDX-License-Identifier: Apache-2.0
// How much there is in a trace, by the headers of its chunks alone.
#include "trace/private.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/readfull.h"
#include "trace/format.h"

#include <string.h>
#include <xxhash.h>

static bool read_at(const struct trace_file *file, void *bytes, size_t size, uint64_t offset)
{
	return pread_full(file->fd, bytes, size, file->start + offset) == size;
}

/** True if @header is one that a reader would take, however the chunk's content looks. */
static bool is_credible(const struct disk_chunk_header *header)
{
	uint64_t stored = le32toh(header->stored_size), raw = le32toh(header->raw_size), records;

	return le64toh(header->header_hash) ==
		       XXH64(header, offsetof(struct disk_chunk_header, header_hash), 0) &&
	       raw <= stored * DISK_RATIO_MAX &&
	       checked_mul(le32toh(header->record_size), le32toh(header->record_count), &records) &&
	       records <= raw;
}

static void add(struct trace_size *size, const struct disk_chunk_header *header)
{
	uint64_t records = le32toh(header->record_count);

	switch (le32toh(header->type)) {
	case DISK_CHUNK_FAULTS:
		size->faults += records;
		break;
	case DISK_CHUNK_STACKS:
		size->stacks += records;
		break;
	case DISK_CHUNK_MAPPINGS:
		size->mappings += records;
		break;
	case DISK_CHUNK_REMAPS:
	case DISK_CHUNK_PAUSES:
	case DISK_CHUNK_SAMPLES:
	case DISK_CHUNK_TASKS:
	case DISK_CHUNK_READS:
	case DISK_CHUNK_REQUESTS:
	case DISK_CHUNK_CALLS:
		size->others += records;
		break;
	default:
		break;
	}
}

bool trace_measure(const char *path, struct trace_size *ret_size, struct err *err)
{
	CLEANUP(trace_file_close) struct trace_file file = { .fd = -1 };
	uint64_t offset = sizeof(struct disk_file_header);
	struct disk_chunk_header header;
	char magic[DISK_MAGIC_SIZE];

	*ret_size = (struct trace_size){ 0 };
	if (!trace_file_open(path, &file, err))
		return false;
	// A text trace has no sizes, and an end at 1 GiB.
	if (!read_at(&file, magic, sizeof(magic), 0) ||
	    memcmp(magic, DISK_MAGIC, sizeof(magic)) != 0)
		return true;
	while (offset < file.size && read_at(&file, &header, sizeof(header), offset) &&
	       is_credible(&header)) {
		add(ret_size, &header);
		offset += sizeof(header) + le32toh(header.stored_size);
	}
	return true;
}
