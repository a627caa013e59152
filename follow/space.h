// SPDX-License-Identifier: Apache-2.0
// An address space that is followed: which files' code is where, and the breakpoints in it.
#pragma once

#include "follow/files.h"

#include "base/err.h"

/** Code of a file in memory. */
struct entry_mapping {
	struct range addrs;
	uint64_t offset; // in the file, of its start
	uint32_t file;
	bool is_fresh; // nobody can have written it yet
	bool is_armed;
};

/** A breakpoint of ours that is about the dynamic linker. */
struct entry_mark {
	uint64_t addr;
	uint8_t byte; // that it stands on
	bool is_set;
};

/** Shared by the tasks that share memory. */
struct entry_space {
	size_t users;
	bool is_opaque;	  // it cannot be read, or its machine is another: no breakpoints
	bool is_starting; // the dynamic linker has not yet come to the program's entry point
	VEC(struct entry_mapping) mappings;
	struct entry_mark start; // the program's entry point
	struct entry_mark brk;	 // where the dynamic linker tells debuggers of dlopen()
	uint64_t debug;		 // addr of its struct r_debug, 0: unknown
};

struct entry_space *entryspace_create(void);
/** What a fork makes. */
struct entry_space *entryspace_copy(const struct entry_space *space);
struct entry_space *entryspace_share(struct entry_space *space);
/** One user less; accepts NULL. */
void entryspace_release(struct entry_space *space);

/**
 * Read /proc/@pid/maps: add code that is new, forget what is gone.
 *
 * @is_fresh: what is new was mapped just now
 * @fd:       of @pid, where one of the new files may be open; -1: not known
 */
bool entryspace_look(struct entry_space *space, struct entry_files *files, pid_t pid, bool is_fresh,
		     int fd, struct err *err);

/** Set the breakpoints of every mapping that has none yet. False: some could not be written. */
bool entryspace_arm(struct entry_space *space, struct entry_files *files, pid_t pid);

/** Take all breakpoints away, also the marks. */
void entryspace_disarm(struct entry_space *space, struct entry_files *files, pid_t pid);

/** The entry at @addr; false: there is none. */
bool entryspace_entry_at(const struct entry_space *space, const struct entry_files *files,
			 uint64_t addr, uint32_t *ret_file, uint32_t *ret_entry);

/** What a breakpoint that was hit at @addr by @tid, which is stopped, means. */
enum entry_trap {
	ENTRY_TRAP_OTHER, // it is not ours
	ENTRY_TRAP_HIT,	  // it was taken away: to be executed again
	ENTRY_TRAP_GONE,  // another thread's hit took it away: to be executed again
};

/** *@ret_file and *@ret_entry: of a hit. */
enum entry_trap entryspace_trap(struct entry_space *space, struct entry_files *files, pid_t tid,
				uint64_t addr, uint32_t *ret_file, uint32_t *ret_entry);

/** Set @mark at @addr, on top of whatever breakpoint is there. */
void entryspace_set_mark(struct entry_space *space, struct entry_files *files,
			 struct entry_mark *mark, pid_t tid, uint64_t addr);

/** Take @mark away, and with it the entry's breakpoint that may be there. */
void entryspace_remove_mark(struct entry_mark *mark, pid_t tid);
