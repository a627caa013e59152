// SPDX-License-Identifier: Apache-2.0
// Moments that a recording is asked to watch for beside what it records: a backend sees them, in
// the order of each thread, and whoever asked judges them.
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sighting_kind {
	SIGHTING_LISTEN, // a thread listens on a socket
	SIGHTING_WRITE,	 // it wrote to a stream
	SIGHTING_KINDS,
};

enum { SIGHTING_STREAMS = 3 };

/** A file whose writes are watched, open or not. */
struct watched_stream {
	uint64_t device, inode; // of the file
	uint64_t special;	// else the device that the special file stands for; 0: by inode
};

/** What to watch for. */
struct watch {
	bool wants[SIGHTING_KINDS];
	struct watched_stream streams[SIGHTING_STREAMS]; // those of SIGHTING_WRITE
	size_t stream_count;
};

/** One moment. */
struct sighting {
	enum sighting_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t stream; // of a write: into watch.streams
	uint32_t port;	 // of listening; 0: not on a port
	size_t at, size; // of the bytes written, or of the socket's path: in sightings.bytes
	bool is_cut;	 // more was written than these bytes
};

/** Those not judged yet. Zero-initialise. */
struct sightings {
	VEC(struct sighting) list;
	VEC(char) bytes;
	bool are_lost; // some are missing
};
