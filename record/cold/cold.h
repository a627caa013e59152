// SPDX-License-Identifier: Apache-2.0
// Starts that find their files as after a boot, and devices that do not read ahead.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/privilege.h"
#include "base/vec.h"
#include "record/files/mappedfiles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** How a command is to find its files. */
enum record_cold {
	RECORD_AS_IT_IS,
	RECORD_COLD_FILES, // options.files leave the page cache before the run
	RECORD_COLD_ALL,   // so does all that can, of every file, with directories and inodes
};

/** The files that a command maps. */
struct record_files;

struct record_files_request {
	char *const *command;
	const char *const *traces; // paths, the first one that fits is taken; then NULL
	bool is_named; // the user named the trace: it fits, whatever its command, or is an error
};

/**
 * Find the files that a command maps in a former trace of the same command, which a child without
 * privilege reads. Without one (*@ret_is_found is false) the command's program is the only one.
 * @err: ERR_OS, ERR_INPUT.
 */
bool record_files_find(const struct record_files_request *request, struct record_files **ret_files,
		       bool *ret_is_found, struct err *err);

/** The files at these paths, to be released with record_files_destroy(). */
struct record_files *record_files_of(const char *const *paths, size_t count);

/**
 * Drop the pages of @files from the page cache, as before a cold start that is recorded, and say in
 * @notes what stayed. Under sudo as the caller may, unless @as_root.
 */
void record_files_drop(const struct record_files *files, bool as_root, struct notes *notes);

/** Count the bytes of the open file @fd, of @size bytes, that are in the page cache; false if that
 * is not told. */
bool record_file_cached(int fd, uint64_t size, size_t page_size, uint64_t *ret_bytes);

/** Accepts NULL. */
void record_files_destroy(struct record_files *files);

/** Files, and whose rights they are opened with. */
struct coldfiles {
	const struct record_files *files;
	const struct caller *caller;
	bool has_rights; // of this process, which are the caller's or were asked for
};

/**
 * Write back what is dirty of @cold's files and drop their pages; with @is_all all pages,
 * directories and inodes that can be dropped. How much there was, which files stayed, how much of
 * each and who maps them is told in @notes.
 *
 * The files are opened, and other processes looked into, with the caller's rights.
 * @command: the process that will run the command, which is not told of
 * @err: ERR_DENIED, ERR_OS. Only @is_all can fail.
 */
bool coldfiles_drop(const struct coldfiles *cold, bool is_all, pid_t command, struct notes *notes,
		    struct err *err);

/** Name in @notes files that the command has @mapped and that are not of @files. */
void coldfiles_note_others(const struct record_files *files, const struct mappedfiles *mapped,
			   struct notes *notes);

/**
 * Return how many faults of @exec_count programs and @fork_count processes that were forked the
 * recorder cannot have seen, at most.
 *
 * @command, @environment: of the first program; the others are taken to have about as much
 * @sees_kernel: faults that the kernel takes on the program's memory are recorded
 *
 * The kernel writes arguments and environment to the new stack by get_user_pages(), one fault per
 * page and no event (copy_strings() in fs/exec.c). Without @sees_kernel there are also the ends of
 * .data that it clears, of the program and of its interpreter (padzero()), and the tables on the
 * stack, which begin at a random place (create_elf_tables()); and pages that a fork shares, which
 * it copies when it writes there: the thread's number in the child (schedule_tail()), and the rseq
 * area of child and parent, which may be on another page (rseq_update_cpu_node_id()), and the frame
 * of the parent's handler of SIGCHLD, which may cross a boundary (get_sigframe()).
 */
uint64_t execpages_most(char *const *command, char *const *environment, size_t exec_count,
			size_t fork_count, bool sees_kernel);

/** A device whose read-ahead is 0 for us. */
struct readahead_hold {
	char *folder; // of sysfs
	int fd;	      // of the file with its former value
};

/** Zero-initialise to use. */
struct readahead {
	VEC(struct readahead_hold) holds;
};

/**
 * Set the read-ahead of all devices that hold @cold's files to 0. Of files whose device is not
 * known @notes tells.
 * @err: ERR_DENIED, ERR_OS. What was done until then readahead_restore() takes back.
 */
bool readahead_stop(struct readahead *readahead, const struct coldfiles *cold, struct notes *notes,
		    struct err *err);

/** Set back what nobody else holds at 0. Needs the rights that readahead_stop() had. */
void readahead_restore(struct readahead *readahead, struct notes *notes);

/** Set back what a recorder that was killed has left. Nothing for whom may not. */
void readahead_recover(struct notes *notes);

/** A device whose read-ahead is 0. */
struct readahead_zero {
	char name[64];	  // "254:0"
	char folder[256]; // of sysfs
	uint64_t kb;	  // what it was; 0: not known
	bool is_held;	  // by a recorder that runs
};

/** All of them; *@ret_zeros is to be freed. Only root is told what it was, and who holds it. */
size_t readahead_list(struct readahead_zero **ret_zeros);

/** The program that execvp() would run, as the kernel would name it; free() it. NULL: none. */
char *commandfiles_program(const char *name);
