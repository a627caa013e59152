// SPDX-License-Identifier: Apache-2.0
// The chunks of a binary trace, checked, one after the other. Serves reader.c.
#pragma once

#include "trace/format.h"
#include "trace/private.h"

#include <zstd.h>

/** A checked chunk: consecutive records, then their tails. Valid until the next one. */
struct chunk {
	uint32_t type;
	uint64_t offset; // of the chunk in the file
	const uint8_t *records;
	size_t record_size, record_count;
	const uint8_t *tails;
	size_t tails_size;
	size_t index; // of the record that comes next
};

/** The bytes of the tails that belong to one record. */
struct tail {
	const uint8_t *bytes;
	size_t size;
};

/** The chunks of one file. */
struct chunk_source {
	struct trace_file *file;
	uint64_t offset; // of the chunk at hand
	uint64_t next_offset;
	VEC(uint8_t) stored;
	VEC(uint8_t) raw;
	VEC(uint8_t) records;
	ZSTD_DCtx *zstd;
	char why[128]; // what is wrong with the chunk at hand; empty: nothing
};

void chunk_source_init(struct chunk_source *source, struct trace_file *file);
void chunk_source_deinit(struct chunk_source *source);

/** Read the rest of the file's header, after its magic. */
bool chunk_source_start(struct chunk_source *source, struct err *err);

/** Read the next whole chunk. False at the end and, with why set, at an unusable chunk. */
bool chunk_source_next(struct chunk_source *source, struct chunk *ret_chunk);

/** Copy the known part of the next record; false at the end. */
bool chunk_next_record(struct chunk *chunk, void *record, size_t size);

/** Take the next @size bytes off the tails. */
bool chunk_take_tail(struct chunk *chunk, uint32_t size, struct tail *ret_tail);
