// SPDX-License-Identifier: Apache-2.0
// The kept facts of a mapped file, and how it is opened as its process sees it. Serves
// mappedfiles.c.
#pragma once

#include "base/privilege.h"
#include "trace/writer.h"

#include <stdbool.h>
#include <stdint.h>

/** Zero-initialise; one for all files of a trace. */
struct embed_budget {
	uint64_t used; // bytes
};

/**
 * Copy parts of the ELF file at @fd, whose size is @size, into the trace as content of file @id:
 * tables before data before code, each section whole or not at all, as far as the limits allow (32
 * MiB a file, 128 MiB a trace).
 * Returns: false if it is no ELF file, or not even its headers fit.
 */
bool embed_file(int fd, uint64_t size, uint32_t id, struct embed_budget *budget,
		struct trace_writer *writer);

/**
 * A descriptor (O_PATH) of the program that @pid runs, where it has no path any more; else -1. With
 * the caller's rights. @ret_link: how the kernel names it, as in its records of mappings
 */
int exactfile_of_program(const struct caller *caller, uint32_t pid, char *ret_link, size_t size);

/**
 * The same of the file that @fd of @pid is. Made in memory, it has no path.
 */
int exactfile_of_descriptor(const struct caller *caller, uint32_t pid, uint32_t fd, char *ret_link,
			    size_t size);

/**
 * Whether the kernel lets the recorder open files by their mappings: that takes
 * CAP_CHECKPOINT_RESTORE (before 5.9 CAP_SYS_ADMIN), also for one's own (proc(5), map_files).
 */
bool exactfile_is_allowed(void);

/**
 * A descriptor (O_PATH) of the file of @mapping, while its process lives and has it mapped. Only of
 * processes that the caller may look into: errno is EACCES otherwise, or where the kernel does not
 * let the recorder. Returns -1 on failure.
 */
int exactfile_of_mapping(const struct caller *caller, const struct trace_mapping *mapping);

/**
 * A file in memory with the @size bytes of the ELF file at @from; -1 where that is none, would be
 * read from storage, which changes what is recorded, or is too large (64 MiB; with all before it,
 * of which *@used counts the bytes, 256 MiB).
 */
int filecopy_make(int from, uint64_t size, uint64_t *used);

struct targetroots;

/** The root of a process; larger numbers are roots that are kept. */
enum targetroot { TARGETROOT_UNKNOWN, TARGETROOT_OWN, TARGETROOT_OTHER };

/** @caller is borrowed. */
struct targetroots *targetroots_create(const struct caller *caller);

/** Accepts NULL. */
void targetroots_destroy(struct targetroots *roots);

/** The root of @pid now, or when it was last looked at if the process has ended. */
uint32_t targetroots_look(struct targetroots *roots, uint32_t pid);

/** The same without looking: as it was when @pid executed a program, or was forked. */
uint32_t targetroots_known(const struct targetroots *roots, uint32_t pid);

/**
 * The name of @root: the container's, else its path, else that of its mount namespace.
 * NULL where it is the recorder's, or not known.
 */
const char *targetroots_name(const struct targetroots *roots, uint32_t root);

/** @pid has been forked from @parent_pid, and begins with what that has. */
void targetroots_fork(struct targetroots *roots, uint32_t pid, uint32_t parent_pid);

/** How many roots there are; the last is one less. */
uint32_t targetroots_count(const struct targetroots *roots);

/**
 * A descriptor (O_PATH) of the file with this absolute path under @root. -1, errno set: EACCES
 * where the caller may not reach it.
 */
int targetroots_open(const struct targetroots *roots, uint32_t root, const char *path);
