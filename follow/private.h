// SPDX-License-Identifier: Apache-2.0
// A command that is followed by ptrace, and the breakpoints in it. Serves entries.c.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/range.h"
#include "base/vec.h"
#include "machine/task.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** The bytes around an entry, before any breakpoint: 8 from a multiple of 8 on. */
struct entry {
	uint64_t offset; // in the file
	uint64_t word;
	bool has_word; // it was read; of all that were ever armed
	bool is_hit;
};

struct entry_file {
	uint64_t device, inode; // as /proc/PID/maps has them
	char *path;
	char *open_path; // "/proc/self/fd/N" or the path, if that is the same file
	int fd;		 // -1: it could not be opened
	bool is_told;
	struct entry *entries; // sorted by offset
	size_t count;
};

struct entry_files {
	VEC(struct entry_file) list;
	uint8_t *piece; // of a file, while breakpoints are set: kept, since new memory is slow
};

/** A line of /proc/PID/maps that is of code. */
struct entry_map_line {
	struct range addrs;
	uint64_t offset, device, inode;
	const char *path;
};

/** Parse @line of private code, whose end is cut to the path. False: it is of something else. */
bool entrymaps_parse(char *line, struct entry_map_line *ret_line);

/**
 * The file behind a mapping of @pid; a new one is opened, by @fd of @pid (-1: not known) or its
 * path, if that is what is mapped.
 */
uint32_t entryfiles_find(struct entry_files *files, pid_t pid, int fd,
			 const struct entry_map_line *line);

/** Keep the entries of @file, which is open. */
void entryfiles_set(struct entry_file *file, const uint64_t *offsets, size_t count);

/** Read the words of all entries that have none yet. */
void entryfiles_read_words(struct entry_file *file);

/** Set the word of @entry from @bytes, which begin at @start in the file, a multiple of 8. */
void entryfiles_set_word(struct entry *entry, const uint8_t *bytes, uint64_t start);

/**
 * Read @size bytes of the file at @offset, zeros behind its end as its last page has them. False if
 * there is none or the file cannot be read.
 */
bool entryfiles_read(const struct entry_file *file, uint8_t *bytes, size_t size, uint64_t offset);

/** The index of the entry at @offset, or of the next one behind it. */
size_t entryfiles_from(const struct entry_file *file, uint64_t offset);

/** Return the byte that the file has at @entry. */
static inline uint8_t entry_byte(const struct entry *entry)
{
	return (uint8_t)(entry->word >> (entry->offset % 8 * 8));
}

void entryfiles_deinit(struct entry_files *files);

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
/** Copy the breakpoints of a space, as a fork does. */
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

/** The meaning of a breakpoint that was hit at @addr by @tid, which is stopped. */
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

struct entry_task {
	pid_t tid;
	struct entry_space *space; // NULL: its first stop came before its parent's word
	bool is_there;
	bool is_loading;  // inside dlopen()
	bool is_trapping; // a SIGTRAP of its own is being delivered
};

/** Let it go on, with signal @number, 0: none; to its next system call where these are looked at.
 */
void entrytask_resume(const struct entry_task *task, int number);

/**
 * Deliver a SIGTRAP of the task's own. While a handler runs its signal is blocked, and the kernel
 * takes the handler of a blocked SIGTRAP away at a breakpoint: stop at its first instruction.
 */
void entrytask_deliver_trap(struct entry_task *task);

/** Whether the stop is the one that entrytask_deliver_trap() asked for; then the task goes on. */
bool entrytask_take_delivery(struct entry_task *task);

/**
 * Return the message of the event that it stopped for: of a fork the child, of an exec the former
 * thread.
 */
unsigned long long entrytask_event_message(pid_t tid);

/** From the auxiliary vector. Addresses. */
struct entry_program {
	uint64_t start;	      // the program's entry point
	uint64_t linker_base; // of the dynamic linker, 0: there is none
	uint64_t headers, header_count;
};

bool entryloader_program(pid_t pid, struct entry_program *ret_program);

/**
 * Find the struct r_debug that the dynamic linker keeps for debuggers, which the program's DT_DEBUG
 * points to once it runs. Source: <link.h>, gABI ch. 5.
 */
bool entryloader_debug(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
		       uint64_t *ret_brk);

/**
 * The same where the dynamic linker itself is the program, which was told what to run
 * (`ld-linux-x86-64.so.2 COMMAND`): by its names, before its first instruction. @ret_debug is 0
 * where it has no such name (musl). False if the program is no dynamic linker.
 */
bool entryloader_is_program(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
			    uint64_t *ret_brk);

/** Whether any of its namespaces is being changed. */
bool entryloader_is_busy(pid_t pid, uint64_t debug);

enum { ENTRY_SIGNALS = 65 };

/** Zero-initialise. What signals did before. */
struct entry_signals {
	struct sigaction old_actions[ENTRY_SIGNALS];
	bool has_actions[ENTRY_SIGNALS];
};

/** Pass them on to @target, a process; one such at a time. */
void entrysignals_take(struct entry_signals *signals, pid_t target);

/** The target has ended: until they are given back they are for nobody. */
void entrysignals_stop(void);

/** Let signals do what they did before. */
void entrysignals_give_back(struct entry_signals *signals);

/** Whether the program that @pid has begun can be followed; if not, and if it is setuid, say so. */
bool entrychecks_program(pid_t pid, struct notes *notes);

/** Why @pid, a child of ours, may not be traced; errno is what ptrace said. Returns false. */
bool entrychecks_denied(pid_t pid, struct err *err);
