// SPDX-License-Identifier: Apache-2.0
// The role of each function that ran in the life of its process: by its address if the file states
// it, by its exported name if it is part of a well-known interface.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/why/loader.h"

#include <stdint.h>

/** Bits. */
enum role {
	ROLE_ENTRY = 1 << 0, // a program's entry point
	ROLE_MAIN = 1 << 1,
	ROLE_INITIALIZER = 1 << 2,
	ROLE_FINALIZER = 1 << 3,
	ROLE_RESOLVER = 1 << 4,	    // of an IFUNC
	ROLE_EXIT = 1 << 5,	    // exit(), quick_exit()
	ROLE_DLOPEN = 1 << 6,	    // dlopen(), dlmopen()
	ROLE_LINKER_CALL = 1 << 7,  // dlsym(), dlclose() ...: other calls into the dynamic linker
	ROLE_UNWIND = 1 << 8,	    // throwing, catching, walking the stack
	ROLE_TLS = 1 << 9,	    // builds TLS blocks
	ROLE_THREAD = 1 << 10,	    // where a thread's stack begins
	ROLE_LOADER = 1 << 11,	    // code of a dynamic linker
	ROLE_LIBC_LOADER = 1 << 12, // beside ROLE_LOADER: that is libc, too
	ROLE_PROGRAM = 1 << 13,	    // code of a program's own file
	ROLE_EXPORTED = 1 << 14,    // other files can call it by name
	ROLE_FIND = 1 << 15, // of the dynamic linker, but working for its caller: _dl_find_object()
	ROLE_RELOCATES = 1 << 16, // a static program's own relocation, by name
	ROLE_BINDS = 1 << 17,	  // dlsym(), dlvsym()
	ROLE_PART_OF_INIT =
		1 << 18, // made by a compiler for an initializer to call, and nobody else
	ROLE_THREAD_POINTER = 1 << 21, // of a nameless static program: sets the thread pointer
	ROLE_MAKES_THREADS = 1 << 23,  // likewise: has the kernel make them
	ROLE_HASHES_NAMES = 1 << 25,   // of a dynamic linker: looks symbols up
	ROLE_RUNS_PACKAGES = 1 << 26,  // of Go: calls the initializers of packages
	ROLE_GOROUTINE = 1 << 29,      // beside ROLE_THREAD: where any thread's stack may begin
	ROLE_OF_START =
		1 << 27, // beside ROLE_TLS or ROLE_RELOCATES: only a program's start calls it
	ROLE_OWN_STACK = 1 << 22,      // runs what it calls on a stack of its own
	ROLE_ASKS_PROCESSOR = 1 << 24, // of the dynamic linker: asks which processor it is on
	ROLE_ALLOCATES = 1 << 19,      // malloc() and the like: the dynamic linker calls them, too
	ROLE_CALLS_BACK =
		1 << 28,	  // beside ROLE_UNWIND: calls what its caller names, for each frame
	ROLE_MAIN_CALL = 1 << 20, // of a frame, beside ROLE_MAIN: it called main, which still runs
};

struct roles;

/** True if a function with these roles is of a dynamic linker that is nothing else. */
static inline bool role_is_loader(uint32_t roles)
{
	return (roles & ROLE_LOADER) && !(roles & ROLE_LIBC_LOADER);
}

/** Everything is borrowed. */
struct roles *roles_create(const struct rows *rows, const enum part *parts);
void roles_destroy(struct roles *roles);

/**
 * Learn where threads begin, which stripped libraries do not name: the outermost function of libc
 * on complete stacks of threads that are not their process's first, or of a process that clone()
 * made. Others that were forked have their parent's outermost.
 */
void roles_learn_threads(struct roles *roles, const struct process_program *programs,
			 const struct all_faults *faults);

/** The function at @vaddr of @object is exit(), which has no name there. O(functions). */
void roles_learn_exit(struct roles *roles, uint32_t object, uint64_t vaddr);

/** True if @frame, a complete stack's outermost, is nameless code behind its program's entry point.
 */
bool roles_is_entry(const struct roles *roles, const struct model_frame *frame);

/** True if object @object is a C library, be it a dynamic linker as well. */
bool roles_is_libc(const struct roles *roles, uint32_t object);

/** True if the file is a static program without names for its own functions. */
bool role_is_nameless(const struct elfmap *map);

/**
 * True if object @object is a static program that uses no libc: nothing is in it that a libc's
 * start would run or set up, so what its entry point calls is the program. A file without sections
 * may be packed.
 */
bool roles_is_bare(const struct roles *roles, uint32_t object);

/** True if @symbol of @object, which is open, is exit(). */
bool roles_is_exit(const struct roles *roles, uint32_t object, const struct elfmap_symbol *symbol);

/** Roles of a function, a row of rows->functions; 0 for MODEL_NONE. O(1) amortised. */
uint32_t roles_of(struct roles *roles, uint32_t function);

/** Index into rows->initializers of a function with ROLE_INITIALIZER; MODEL_NONE otherwise. */
uint32_t roles_initializer(struct roles *roles, uint32_t function);

/** vaddr of the first byte of a function; false where it is not known. */
bool roles_start(const struct roles *roles, uint32_t function, uint64_t *ret_vaddr);
