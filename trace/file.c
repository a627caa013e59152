// SPDX-License-Identifier: Apache-2.0
// The bytes of a trace file, before anything is known of its form.
#include "trace/private.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/packheader.h"
#include "base/readfull.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/** The trace's name, which is the first in the pack; false if it does not end. */
static bool read_name(struct trace_file *file, const struct pack_header *header)
{
	enum { NAME_MAX_BYTES = 4 << 10 };
	char name[NAME_MAX_BYTES];
	uint64_t at = sizeof(*header) +
		      (uint64_t)le32toh(header->entry_count) * sizeof(struct pack_entry) +
		      (uint64_t)le32toh(header->range_count) * sizeof(struct pack_range);
	ssize_t got = pread(file->fd, name, sizeof(name), (off_t)at); // of 32-bit numbers

	if (got <= 0 || !memchr(name, '\0', (size_t)got))
		return false;
	file->name = xstrdup(name);
	return true;
}

/** If @file is a pack, enter the trace in it. What else is in the pack its reader checks. */
static bool enter_pack(struct trace_file *file, struct err *err)
{
	struct pack_header header;
	uint64_t size = file->size;

	if (pread(file->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, PACK_MAGIC, PACK_MAGIC_SIZE) != 0)
		return true;
	if (le32toh(header.version) != PACK_VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: pack of version %u; this elfault reads version %d", file->path,
			       le32toh(header.version), PACK_VERSION);
	file->start = le64toh(header.trace_offset);
	file->size = le64toh(header.trace_size);
	if (le64toh(header.header_hash) !=
		    XXH64(&header, offsetof(struct pack_header, header_hash), 0) ||
	    !checked_within(file->start, file->size, size) || !read_name(file, &header) ||
	    lseek(file->fd, (off_t)file->start, SEEK_SET) < 0)
		return err_set(err, ERR_INPUT,
			       "%s: damaged pack: its header does not say where the trace is; "
			       "copy or pack it again",
			       file->path);
	return true;
}

bool trace_file_open(const char *path, struct trace_file *ret_file, struct err *err)
{
	// O_NONBLOCK so that a FIFO without a writer does not hang.
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return err_os(err, "%s", path);
	if (S_ISDIR(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a directory, not a trace", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a %s; a trace must be a regular file", path,
			       S_ISFIFO(status.st_mode) ? "FIFO" : "device or socket");
	if (status.st_size == 0)
		return err_set(err, ERR_INPUT, "%s: is empty, not a trace", path);

	struct trace_file file = { .path = path, .fd = fd, .size = (uint64_t)status.st_size };
	if (!enter_pack(&file, err)) {
		free(file.name);
		return false;
	}
	*ret_file = file;
	fd = -1; // NOLINT(clang-analyzer-deadcode.DeadStores): fd_close() reads it
	return true;
}

void trace_file_close(struct trace_file *file)
{
	free(file->name);
	fd_close(&file->fd);
}

bool trace_file_read(struct trace_file *file, void *bytes, size_t size, size_t *ret_got,
		     struct err *err)
{
	uint64_t left = file->size - file->at;

	if (size > left)
		size = left;
	size_t got = read_full(file->fd, bytes, size);
	if (got < size && errno)
		return err_os(err, "%s", file->path);
	file->at += got;
	*ret_got = got;
	return true;
}
