// SPDX-License-Identifier: Apache-2.0
// Breakpoints are set in bulk: a page of code costs one copy of the page in the process, however
// many entries it has. What is set is known by the byte in memory alone, since a fork copies it and
// threads share it.
#include "follow/private.h"

#include "base/cleanup.h"
#include "base/lines.h"
#include "machine/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

enum { PAGE = MACHINE_PAGE, PIECE = 1 << 20 };

struct entry_space *entryspace_create(void)
{
	struct entry_space *space = xcalloc(1, sizeof(*space));

	space->users = 1;
	return space;
}

struct entry_space *entryspace_copy(const struct entry_space *space)
{
	struct entry_space *copy = xcalloc(1, sizeof(*copy));

	*copy = *space;
	copy->users = 1;
	memset(&copy->mappings, 0, sizeof(copy->mappings));
	vec_foreach (mapping, &space->mappings)
		vec_push(&copy->mappings, *mapping);
	return copy;
}

struct entry_space *entryspace_share(struct entry_space *space)
{
	space->users++;
	return space;
}

void entryspace_release(struct entry_space *space)
{
	if (!space || --space->users > 0)
		return;
	vec_deinit(&space->mappings);
	free(space);
}

static int open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/** Whether @mapping shows a part of @file at the same places as @line. */
static bool is_same_place(const struct entry_mapping *mapping, uint32_t file,
			  const struct entry_map_line *line)
{
	return mapping->file == file &&
	       line->addrs.start - line->offset == mapping->addrs.start - mapping->offset;
}

static bool is_known(const struct entry_space *space, uint32_t file,
		     const struct entry_map_line *line)
{
	vec_foreach (mapping, &space->mappings)
		if (is_same_place(mapping, file, line) &&
		    mapping->addrs.start <= line->addrs.start &&
		    mapping->addrs.end >= line->addrs.end)
			return true;
	return false;
}

/** Forget mappings of which @seen, code that is there now, has no part. */
static void forget(struct entry_space *space, const struct entry_mapping *seen, size_t count)
{
	size_t kept = 0;

	vec_foreach (mapping, &space->mappings) {
		bool is_there = false;

		array_foreach (other, seen, count)
			is_there |= other->file == mapping->file &&
				    other->addrs.start - other->offset ==
					    mapping->addrs.start - mapping->offset &&
				    range_overlaps(other->addrs, mapping->addrs);
		if (is_there)
			space->mappings.items[kept++] = *mapping;
	}
	space->mappings.count = kept;
}

bool entryspace_look(struct entry_space *space, struct entry_files *files, pid_t pid, bool is_fresh,
		     int fd, struct err *err)
{
	char path[64];
	CLEANUP(vec_release) VEC(struct entry_mapping) seen = { 0 };
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line text;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (!lines_open(&lines, path, &lines_of_kernel, err))
		return false;
	while (lines_next(&lines, &text)) {
		struct entry_map_line line;

		if (!entrymaps_parse(text.text, &line))
			continue;
		struct entry_mapping mapping = {
			.addrs = line.addrs,
			.offset = line.offset,
			.file = entryfiles_find(files, pid, fd, &line),
			.is_fresh = is_fresh,
		};
		vec_push(&seen, mapping);
		if (!is_known(space, mapping.file, &line))
			vec_push(&space->mappings, mapping);
	}
	// Of a process that was killed there is no more.
	bool is_whole = lines.err.os_errno == ESRCH || lines_ended(&lines, err);

	if (is_whole)
		forget(space, seen.items, seen.count);
	return is_whole;
}

/** Read or write all of @size bytes; false if that was not possible. */
static bool copy_memory(int memory, bool is_write, uint8_t *bytes, size_t size, uint64_t addr)
{
	while (size > 0) {
		ssize_t length = is_write ? pwrite(memory, bytes, size, (off_t)addr)
					  : pread(memory, bytes, size, (off_t)addr);

		if (length <= 0)
			return false;
		bytes += length;
		addr += (uint64_t)length;
		size -= (size_t)length;
	}
	return true;
}

/** How many entries from @first on, before @end, one piece of memory takes that has no page without
 * one. */
static size_t piece_of(const struct entry_file *file, size_t first, size_t end)
{
	size_t last = first;

	for (size_t i = first + 1; i < end; i++) {
		if (file->entries[i].is_hit)
			continue;
		if (file->entries[i].offset - file->entries[last].offset >= PAGE ||
		    file->entries[i].offset - file->entries[first].offset >= PIECE)
			break;
		last = i;
	}
	return last + 1 - first;
}

/**
 * Read what the entries from @first on stand on into @piece, from a multiple of 8 on, as it is in
 * the file at *@ret_start. Of memory that may have been written memory counts.
 */
static bool read_piece(const struct entry_mapping *mapping, const struct entry_file *file,
		       struct entry *first, size_t count, int memory, uint8_t *piece,
		       uint64_t *ret_start)
{
	uint64_t start = align_down(first->offset, 8);
	size_t size = (size_t)(align_up(first[count - 1].offset + 1, 8) - start);

	*ret_start = start;
	if (!mapping->is_fresh)
		return copy_memory(memory, false, piece, size,
				   mapping->addrs.start + (start - mapping->offset));
	if (!entryfiles_read(file, piece, size, start))
		return false;
	array_foreach (entry, first, count)
		entryfiles_set_word(entry, piece, start);
	return true;
}

static bool arm_mapping(const struct entry_mapping *mapping, struct entry_file *file, int memory,
			uint8_t *piece)
{
	size_t i = entryfiles_from(file, mapping->offset), count;
	size_t end = entryfiles_from(file, mapping->offset + range_size(mapping->addrs));
	bool ok = true;

	if (!mapping->is_fresh)
		entryfiles_read_words(file);
	for (; i < end; i += count) {
		struct entry *first = &file->entries[i];
		uint64_t start, addr = mapping->addrs.start + (first->offset - mapping->offset);

		count = 1;
		if (first->is_hit)
			continue;
		count = piece_of(file, i, end);
		if (!read_piece(mapping, file, first, count, memory, piece, &start)) {
			ok = false;
			continue;
		}
		array_foreach (entry, first, count) {
			uint8_t *byte = &piece[entry->offset - start];

			if (!entry->is_hit && *byte == entry_byte(entry))
				*byte = MACHINE_BREAKPOINT;
		}
		ok &= copy_memory(memory, true, piece + (first->offset - start),
				  (size_t)(first[count - 1].offset - first->offset) + 1, addr);
	}
	return ok;
}

bool entryspace_arm(struct entry_space *space, struct entry_files *files, pid_t pid)
{
	CLEANUP(fd_close) int memory = -1;
	bool ok = true;

	vec_foreach (mapping, &space->mappings) {
		struct entry_file *file = &files->list.items[mapping->file];

		if (mapping->is_armed)
			continue;
		mapping->is_armed = true;
		if (file->count == 0)
			continue;
		if (memory < 0)
			memory = open_memory(pid);
		if (memory < 0)
			return false;
		if (!files->piece)
			files->piece = xcalloc(PIECE + 16, 1); // whole words
		ok &= arm_mapping(mapping, file, memory, files->piece);
	}
	return ok;
}

static void disarm_mapping(const struct entry_mapping *mapping, const struct entry_file *file,
			   int memory, uint8_t *piece)
{
	size_t i = entryfiles_from(file, mapping->offset);
	size_t end = entryfiles_from(file, mapping->offset + range_size(mapping->addrs));

	while (i < end) {
		const struct entry *first = &file->entries[i];
		uint64_t addr = mapping->addrs.start + (first->offset - mapping->offset);
		uint64_t rest = PAGE - addr % PAGE;
		bool is_changed = false;
		size_t count = 0;

		if (!copy_memory(memory, false, piece, rest, addr))
			rest = 0;
		do {
			uint64_t at = first[count].offset - first->offset;

			if (at < rest && piece[at] == MACHINE_BREAKPOINT && first[count].has_word) {
				piece[at] = entry_byte(&first[count]);
				is_changed = true;
			}
			count++;
		} while (i + count < end && first[count].offset - first->offset < rest);
		if (is_changed)
			copy_memory(memory, true, piece, rest, addr);
		i += count;
	}
}

void entryspace_disarm(struct entry_space *space, struct entry_files *files, pid_t pid)
{
	CLEANUP(freep) uint8_t *piece = xcalloc(PAGE, 1);
	CLEANUP(fd_close) int memory = open_memory(pid);

	entryspace_remove_mark(&space->start, pid);
	entryspace_remove_mark(&space->brk, pid);
	if (memory < 0)
		return;
	vec_foreach (mapping, &space->mappings)
		disarm_mapping(mapping, &files->list.items[mapping->file], memory, piece);
	space->mappings.count = 0;
}

bool entryspace_entry_at(const struct entry_space *space, const struct entry_files *files,
			 uint64_t addr, uint32_t *ret_file, uint32_t *ret_entry)
{
	vec_foreach (mapping, &space->mappings) {
		const struct entry_file *file = &files->list.items[mapping->file];

		if (!range_contains(mapping->addrs, addr))
			continue;
		uint64_t offset = addr - mapping->addrs.start + mapping->offset;
		size_t at = entryfiles_from(file, offset);

		if (at == file->count || file->entries[at].offset != offset)
			continue;
		*ret_file = mapping->file;
		*ret_entry = (uint32_t)at; // each has a symbol or FDE: fewer than 2^32
		return true;
	}
	return false;
}

static bool peek(pid_t tid, uint64_t addr, uint64_t *ret_word)
{
	errno = 0;
	*ret_word = (uint64_t)ptrace(PTRACE_PEEKTEXT, tid, addr, NULL);
	return errno == 0;
}

/** Write @byte at @addr, whose word from a multiple of 8 on is @word. */
static bool poke(pid_t tid, uint64_t addr, uint64_t word, uint8_t byte)
{
	unsigned shift = addr % 8 * 8;

	word = (word & ~(UINT64_C(0xff) << shift)) | (uint64_t)byte << shift;
	return ptrace(PTRACE_POKETEXT, tid, align_down(addr, 8), word) == 0;
}

/** Whether @word is that of @entry, but for breakpoints. */
static bool is_code_of(const struct entry *entry, uint64_t word)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint8_t byte = (uint8_t)(word >> shift);

		if (byte != (uint8_t)(entry->word >> shift) && byte != MACHINE_BREAKPOINT)
			return false;
	}
	return true;
}

enum entry_trap entryspace_trap(struct entry_space *space, struct entry_files *files, pid_t tid,
				uint64_t addr, uint32_t *ret_file, uint32_t *ret_entry)
{
	uint64_t word;
	struct err err;

	if (!entryspace_entry_at(space, files, addr, ret_file, ret_entry) ||
	    !peek(tid, align_down(addr, 8), &word))
		return ENTRY_TRAP_OTHER;
	if ((uint8_t)(word >> (addr % 8 * 8)) != MACHINE_BREAKPOINT)
		return ENTRY_TRAP_GONE;

	const struct entry *entry = &files->list.items[*ret_file].entries[*ret_entry];

	// Other code: relocations changed it, or the library is gone and something else is here.
	if (!is_code_of(entry, word) &&
	    (!entryspace_look(space, files, tid, false, -1, &err) ||
	     !entryspace_entry_at(space, files, addr, ret_file, ret_entry)))
		return ENTRY_TRAP_OTHER;
	entry = &files->list.items[*ret_file].entries[*ret_entry];
	return poke(tid, addr, word, entry_byte(entry)) ? ENTRY_TRAP_HIT : ENTRY_TRAP_OTHER;
}

void entryspace_set_mark(struct entry_space *space, struct entry_files *files,
			 struct entry_mark *mark, pid_t tid, uint64_t addr)
{
	uint32_t file, entry;
	uint64_t word;

	if (!peek(tid, align_down(addr, 8), &word))
		return;
	mark->byte = (uint8_t)(word >> (addr % 8 * 8));
	if (mark->byte == MACHINE_BREAKPOINT &&
	    entryspace_entry_at(space, files, addr, &file, &entry))
		mark->byte = entry_byte(&files->list.items[file].entries[entry]);
	mark->addr = addr;
	mark->is_set = poke(tid, addr, word, MACHINE_BREAKPOINT);
}

void entryspace_remove_mark(struct entry_mark *mark, pid_t tid)
{
	uint64_t word;

	if (!mark->is_set || !peek(tid, align_down(mark->addr, 8), &word))
		return;
	poke(tid, mark->addr, word, mark->byte);
	mark->is_set = false;
}
