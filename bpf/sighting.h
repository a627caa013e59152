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
	SIGHTING_FILE,	 // it opened a file
	SIGHTING_ENTER,	 // it entered a function
	SIGHTING_QUIET,	 // since then all threads were quiet for as long as was asked for
	SIGHTING_KINDS,
};

enum { SIGHTING_STREAMS = 3, SIGHTING_FILES = 4, SIGHTING_FUNCTIONS = 4, SIGHTING_NAME_BYTES = 64 };

/** A file that is watched, there or not: by its name in its directory. */
struct watched_file {
	uint64_t device, inode;		// of the directory
	char name[SIGHTING_NAME_BYTES]; // as much of it as has room
};

/** A function that is watched, by its symbol in a file, a path or what is looked for as one. */
struct watched_function {
	const char *object, *name;
};

/** A file whose writes are watched, open or not. */
struct watched_stream {
	uint64_t device, inode; // of the file
	uint64_t special;	// else the device that the special file stands for; 0: by inode
};

/** The moments to watch for. */
struct watch {
	bool wants[SIGHTING_KINDS];
	struct watched_stream streams[SIGHTING_STREAMS]; // those of SIGHTING_WRITE
	size_t stream_count;
	struct watched_file files[SIGHTING_FILES];
	size_t file_count;
	struct watched_function functions[SIGHTING_FUNCTIONS]; // borrowed
	size_t function_count;
	uint64_t quiet_ns; // SIGHTING_QUIET
};

/** One moment. */
struct sighting {
	enum sighting_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t place;	 // into watch.streams, .files or .functions; of listening its port, 0: none
	size_t at, size; // of the bytes written, or of the socket's path: in sightings.bytes
	bool is_cut;	 // more was written than these bytes
	bool is_created; // the file was not there before
};

/** Those not judged yet. Zero-initialise. */
struct sightings {
	VEC(struct sighting) list;
	VEC(char) bytes;
	bool are_lost; // some are missing
};
