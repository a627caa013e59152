// SPDX-License-Identifier: Apache-2.0
// Files with code that is followed, and the entries in them.
#include "follow/private.h"

#include "record/files/kernelinode.h"

#include "base/cleanup.h"
#include "base/search.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

bool entrymaps_parse(char *line, struct entry_map_line *ret_line)
{
	const char *rights = strchr(line, ' ');
	unsigned int major, minor;
	int path = 0;

	*ret_line = (struct entry_map_line){ 0 };
	// Few lines are of code, and all are looked at again with each library. What is shared
	// belongs to others too, and to the file if it may be written.
	if (!rights || strnlen(rights, 5) < 5 || rights[3] != 'x' || rights[4] != 'p' ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &ret_line->addrs.start, &ret_line->addrs.end, &ret_line->offset, &major, &minor,
		   &ret_line->inode, &path) != 6 ||
	    ret_line->addrs.end < ret_line->addrs.start)
		return false;
	ret_line->path = line + path;
	ret_line->device = makedev(major, minor);
	return ret_line->inode != 0;
}

/** Open @path if it is the file that is mapped. */
static int open_same(const char *path, const struct entry_map_line *line)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	uint64_t device, inode;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    ((status.st_dev == line->device && status.st_ino == line->inode) ||
	     (kernelinode_of(fd, &device, &inode) && device == line->device &&
	      inode == line->inode)))
		return fd;
	close(fd);
	return -1;
}

/** @fd is open: *@ret_path is where this process finds the same file, if by its own name. */
static int open_mapped(pid_t pid, int fd, const struct entry_map_line *line, char **ret_path)
{
	char path[64];
	int own = open_same(line->path, line);

	if (own >= 0) {
		*ret_path = xstrdup(line->path);
		return own;
	}
	char *in_root = NULL;
	if (asprintf(&in_root, "/proc/%d/root%s", (int)pid, line->path) < 0)
		oom();
	own = open_same(in_root, line);
	free(in_root);
	if (own < 0) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
		own = open_same(path, line);
	}
	if (own < 0 && fd >= 0) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		own = open_same(path, line);
	}
	if (own >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", own);
		*ret_path = xstrdup(path);
	}
	return own;
}

uint32_t entryfiles_find(struct entry_files *files, pid_t pid, int fd,
			 const struct entry_map_line *line)
{
	for (size_t i = 0; i < files->list.count; i++) {
		const struct entry_file *file = &files->list.items[i];

		if (file->device == line->device && file->inode == line->inode)
			return (uint32_t)i;
	}
	struct entry_file file = {
		.device = line->device,
		.inode = line->inode,
		.path = xstrdup(line->path),
	};
	file.fd = open_mapped(pid, fd, line, &file.open_path);
	vec_push(&files->list, file);
	return (uint32_t)(files->list.count - 1); // each is open: far fewer than 2^32
}

bool entryfiles_read(const struct entry_file *file, uint8_t *bytes, size_t size, uint64_t offset)
{
	ssize_t length = pread(file->fd, bytes, size, (off_t)offset);

	if (length <= 0)
		return false;
	memset(bytes + length, 0, size - (size_t)length);
	return true;
}

void entryfiles_set_word(struct entry *entry, const uint8_t *bytes, uint64_t start)
{
	if (entry->has_word)
		return;
	memcpy(&entry->word, bytes + align_down(entry->offset - start, 8), 8);
	entry->has_word = true;
	// A breakpoint of the program's own is not to be told from ours.
	if (entry_byte(entry) == MACHINE_BREAKPOINT)
		entry->is_hit = true;
}

void entryfiles_read_words(struct entry_file *file)
{
	enum { PIECE = 1 << 20 };
	CLEANUP(freep) uint8_t *piece = xcalloc(PIECE, 1);

	for (size_t i = 0; i < file->count;) {
		uint64_t start = align_down(file->entries[i].offset, 8);

		if (!entryfiles_read(file, piece, PIECE, start)) {
			file->count = i; // the file has been cut
			return;
		}
		for (; i < file->count && file->entries[i].offset - start < PIECE; i++)
			entryfiles_set_word(&file->entries[i], piece, start);
	}
}

void entryfiles_set(struct entry_file *file, const uint64_t *offsets, size_t count)
{
	file->entries = xcalloc(count, sizeof(*file->entries));
	for (size_t i = 0; i < count; i++)
		file->entries[i].offset = offsets[i];
	file->count = count;
}

size_t entryfiles_from(const struct entry_file *file, uint64_t offset)
{
	return search_first(file->count, i, file->entries[i].offset >= offset);
}

void entryfiles_deinit(struct entry_files *files)
{
	vec_foreach (file, &files->list) {
		fd_close(&file->fd);
		free(file->path);
		free(file->open_path);
		free(file->entries);
	}
	vec_deinit(&files->list);
	free(files->piece);
}
