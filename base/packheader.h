// SPDX-License-Identifier: Apache-2.0
// How a packed trace begins: docs/inside/pack-format.md is the specification. Here, since readers
// of traces need to know where in it the trace is, and nothing else of it.
#pragma once

#include <stdint.h>

// The first byte is not ASCII, and differs from a trace's in the second word only.
#define PACK_MAGIC \
	"\x89"     \
	"elfpack"

enum { PACK_MAGIC_SIZE = 8, PACK_VERSION = 1, PACK_BUILD_ID_MAX = 64 };

/** Little-endian, without gaps. Behind it entries, ranges and names; the trace; contents. */
struct pack_header {
	uint8_t magic[PACK_MAGIC_SIZE];
	uint32_t version;
	uint32_t entry_count;
	uint32_t range_count; // of all entries
	uint32_t names_size;  // the first name is the trace's
	uint64_t trace_offset, trace_size;
	uint64_t file_size;  // of all
	uint64_t table_hash; // xxh64, seed 0, of entries, ranges and names
	uint64_t trace_hash;
	uint64_t header_hash; // of what is before it
};

/** A file. */
struct pack_entry {
	uint64_t size;	   // of the file
	uint64_t mtime_ns; // since the epoch, modulo 2^64
	uint64_t device, inode;
	uint64_t content_size;	// bytes of its ranges
	uint64_t stored_offset; // in the pack
	uint64_t stored_size;
	uint64_t stored_hash, content_hash;
	uint32_t mode;
	uint32_t flags; // pack_flag
	uint32_t first_range, range_count;
	uint32_t path;	 // offset among the names
	uint32_t debug;	 // index + 1 of its debug file's entry, 0: none
	uint32_t shared; // and of the file with a part of its DWARF (dwz)
	uint32_t build_id_size;
	uint8_t build_id[PACK_BUILD_ID_MAX];
};

enum pack_flag { PACK_ZSTD = 1 };

struct pack_range {
	uint64_t start, end;
};

_Static_assert(sizeof(struct pack_header) == 72 && sizeof(struct pack_entry) == 168 &&
		       sizeof(struct pack_range) == 16,
	       "there are no gaps");
