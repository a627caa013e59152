// SPDX-License-Identifier: Apache-2.0
// Files with code that is followed, and the entries in them.
#pragma once

#include "base/range.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { BREAKPOINT = 0xcc }; // int3

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

/** A line of /proc/PID/maps. */
struct entry_map_line {
	struct range addrs;
	uint64_t offset, device, inode;
	bool is_code; // executable and private
	const char *path;
};

/** Parse @line, whose end is cut to the path. */
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

/** What the file has at @entry. */
static inline uint8_t entry_byte(const struct entry *entry)
{
	return (uint8_t)(entry->word >> (entry->offset % 8 * 8));
}

void entryfiles_deinit(struct entry_files *files);
