// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/tracebytes.h"

#include "trace/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

bool tracebytes_is_binary(const void *bytes, size_t size)
{
	return size >= DISK_MAGIC_SIZE && memcmp(bytes, DISK_MAGIC, DISK_MAGIC_SIZE) == 0;
}

void tracebytes_repair(uint8_t *bytes, size_t size)
{
	struct disk_file_header file_header;
	size_t at = sizeof(file_header);

	if (size < at)
		return;
	memcpy(&file_header, bytes, sizeof(file_header));
	file_header.hash = htole64(XXH64(bytes, offsetof(struct disk_file_header, hash), 0));
	memcpy(bytes, &file_header, sizeof(file_header));

	struct disk_chunk_header header;
	while (size - at >= sizeof(header)) {
		memcpy(&header, bytes + at, sizeof(header));
		size_t left = size - at - sizeof(header);
		size_t stored_size = le32toh(header.stored_size);

		if (stored_size <= left)
			header.stored_hash =
				htole64(XXH64(bytes + at + sizeof(header), stored_size, 0));
		header.header_hash =
			htole64(XXH64(&header, offsetof(struct disk_chunk_header, header_hash), 0));
		memcpy(bytes + at, &header, sizeof(header));
		if (stored_size > left)
			return;
		at += sizeof(header) + stored_size;
	}
}

struct trace *tracebytes_read_fd(int fd)
{
	char path[64];
	struct trace *trace = NULL;
	struct err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return trace_read(path, &trace, &err) ? trace : NULL;
}

struct trace *tracebytes_read(const void *bytes, size_t size)
{
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return tracebytes_read_fd(fd);
}
