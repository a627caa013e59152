// SPDX-License-Identifier: Apache-2.0
// Frames of the records of a binary trace: written by writer.c, checked by chunk.c.
// docs/inside/trace-format.md is the specification. Every number on disk is little-endian.
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

// The first byte is not ASCII, so no text file starts like a trace.
#define DISK_MAGIC \
	"\x89"     \
	"elfault"
#define DISK_TEXT_WORD "elfault-trace-text"

enum {
	DISK_MAGIC_SIZE = 8,
	DISK_RAW_MAX = 16 << 20,    // bytes of one chunk's content
	DISK_STORED_MAX = 17 << 20, // bytes of one chunk on disk: content that zstd made larger
	DISK_RATIO_MAX = 256,	    // content is at most this many times what is stored
	DISK_CHUNK_TARGET = 1 << 20,
};

/** Size of an absent string. */
#define DISK_NO_STRING UINT32_MAX

enum disk_chunk_type {
	DISK_CHUNK_META = 1,
	DISK_CHUNK_FAULTS = 2,
	DISK_CHUNK_MAPPINGS = 3,
	DISK_CHUNK_REMAPS = 4,
	DISK_CHUNK_TASKS = 5,
	DISK_CHUNK_STACKS = 6,
	DISK_CHUNK_NOTES = 7,
	DISK_CHUNK_SUMMARY = 8,
	DISK_CHUNK_FILES = 9,
	DISK_CHUNK_CONTENTS = 10,
	DISK_CHUNK_PAUSES = 11,
	DISK_CHUNK_SAMPLES = 12,
	DISK_CHUNK_READS = 13,
	DISK_CHUNK_REQUESTS = 14,
	DISK_CHUNK_PATHS = 15,
	DISK_CHUNK_DEVICES = 16,
	DISK_CHUNK_CALLS = 17,
	DISK_CHUNK_PREFAULTS = 18,
	DISK_CHUNK_ARGUMENTS = 19,
	DISK_CHUNK_OPENS = 20,
	DISK_CHUNK_MARKS = 21,
	DISK_CHUNK_FLUSHES = 22,
	DISK_CHUNK_ROOTS = 23,
	DISK_CHUNK_TYPES,
};

enum disk_chunk_flag {
	DISK_CHUNK_ZSTD = 1 << 0, // stored as one zstd frame, otherwise as it is
	DISK_CHUNK_COLUMNS =
		1 << 1, // records lie transposed: all first bytes, all second bytes, ...
	DISK_CHUNK_FLAGS = DISK_CHUNK_ZSTD | DISK_CHUNK_COLUMNS,
};

struct disk_file_header {
	uint8_t magic[DISK_MAGIC_SIZE];
	uint32_t version;
	uint32_t reserved; // 0
	uint64_t hash;	   // xxh64, seed 0, of the bytes before it
};
_Static_assert(sizeof(struct disk_file_header) == 24, "file header is 24 bytes");

/** Precedes the stored bytes. The content is records of one size, then their tails. */
struct disk_chunk_header {
	uint32_t type;
	uint32_t flags;
	uint32_t stored_size; // bytes that follow this header
	uint32_t raw_size;    // bytes of content
	uint32_t record_size; // may grow: known fields come first
	uint32_t record_count;
	uint64_t stored_hash; // xxh64, seed 0, of the stored bytes
	uint64_t header_hash; // xxh64, seed 0, of the header before this field
};
_Static_assert(sizeof(struct disk_chunk_header) == 40, "chunk header is 40 bytes");
