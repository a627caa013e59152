// SPDX-License-Identifier: Apache-2.0
// The files and kinds of memory that a trace maps, each opened at most once.
#pragma once

#include "base/notes.h"
#include "base/range.h"
#include "elfmap/elfmap.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** One file (path and identity), or one kind of memory outside files. */
struct object {
	const char *path; // or "[heap]", "[stack]", "[anon]", "[vdso]" ...
	bool is_file;
	bool is_shared_memory; // /dev/zero, memfd, SysV, /dev/shm
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	uint32_t build_id_size;		       // 0: not recorded
	const struct trace_identity *identity; // NULL: not recorded
	const char *root; // of another root than the recorder's: its name; borrowed from the trace
	const char *opened_path; // the file that stands for it, when --force or a copy was given
	bool is_forced;
	bool is_elf; // known once opened
	uint64_t size;
	struct range copied;   // vaddrs from its first to its last code that was copied to memory
	uint64_t copied_bytes; // of such code, in all programs
};

struct objects;

/**
 * @trace: what it knows of files; NULL: nothing. Borrowed until objects_destroy().
 * @debug_dir, @depot: see elfmap_options; borrowed likewise
 * @notes: where oddities go
 */
struct objects *objects_create(const struct trace *trace, const char *debug_dir,
			       struct depot *depot, struct notes *notes);

/** Release all files and names; accepts NULL. */
void objects_destroy(struct objects *objects);

/**
 * Note which files were asked for and are not there, in one note, and which are not the recorded
 * ones, in another, once all have been asked for.
 */
void objects_note_missing(struct objects *objects);

/** The object that @mapping shows, added when new. O(1) but for the path's length. */
uint32_t objects_of_mapping(struct objects *objects, const struct trace_mapping *mapping);

/** All objects so far; the array moves when one is added. */
const struct object *objects_all(const struct objects *objects, size_t *ret_count);

/**
 * The ELF file behind an object, opened on first use; NULL if it is not ELF, not there, or not the
 * file that was recorded (then a note says so).
 */
struct elfmap *objects_map(struct objects *objects, uint32_t id);

/** The same, but only if objects_map() opened it before. */
struct elfmap *objects_opened(const struct objects *objects, uint32_t id);

/** Anonymous memory that can be executed took the place of code of @id at @vaddrs. */
void objects_note_copy(struct objects *objects, uint32_t id, struct range vaddrs);

/** How many files objects_note_missing() tells of. */
void objects_count_missing(const struct objects *objects, size_t *ret_absent, size_t *ret_changed);

/** Return the depot in which files are searched; NULL: on this machine. */
struct depot *objects_depot(struct objects *objects);

struct identity_difference;

/**
 * Let @map, whose ownership passes, stand for object @id.
 * @forced_by: how it differs, where --force was given; otherwise NULL
 */
void objects_set_map(struct objects *objects, uint32_t id, struct elfmap *map,
		     const struct identity_difference *forced_by);
