// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a pack: as they are, and with the hashes put right. Of what is accepted every
// entry is unpacked, which may fail, but has to stay within the sizes that the table states.
#include "base/packheader.h"
#include "depot/pack.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_found(const struct depot_file *found)
{
	struct stat status;

	if (found->place[0] != '/' || (found->fd < 0) != (found->problem != NULL))
		abort();
	if (found->fd >= 0 &&
	    (fstat(found->fd, &status) != 0 || status.st_size != found->status.st_size))
		abort();
	for (size_t i = 0; i < found->known_count; i++)
		if (found->known[i].start >= found->known[i].end ||
		    found->known[i].end > (uint64_t)found->status.st_size)
			abort();
}

static void check(const uint8_t *bytes, size_t size)
{
	CLEANUP(fd_close) int fd = memfd_create("pack", MFD_CLOEXEC);
	struct pack_header header;
	CLEANUP(pack_closep) struct pack *pack = NULL;
	struct err err = { 0 };
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!pack_open(path, &pack, &err)) {
		if (!err.message[0])
			abort();
		return;
	}
	memcpy(&header, bytes, sizeof(header));
	for (uint32_t i = 0; i < le32toh(header.entry_count); i++) {
		CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };

		if (pack_get(pack, i, &found))
			check_found(&found);
	}
}

/** The hash of @size bytes at @at, as far as they are there. */
static uint64_t hash_of(const uint8_t *bytes, size_t size, uint64_t at, uint64_t length)
{
	if (at > size)
		return 0;
	return htole64(XXH64(bytes + at, length < size - at ? length : size - at, 0));
}

static void repair_hashes(uint8_t *bytes, size_t size)
{
	struct pack_header header;

	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	uint64_t trace = le64toh(header.trace_offset);
	size_t at = sizeof(header);

	for (uint32_t i = 0; i < le32toh(header.entry_count);
	     i++, at += sizeof(struct pack_entry)) {
		struct pack_entry entry;

		if (at + sizeof(entry) > size)
			break;
		memcpy(&entry, bytes + at, sizeof(entry));
		entry.stored_hash = hash_of(bytes, size, le64toh(entry.stored_offset),
					    le64toh(entry.stored_size));
		memcpy(bytes + at, &entry, sizeof(entry));
	}
	header.file_size = htole64(size);
	header.trace_hash = hash_of(bytes, size, trace, le64toh(header.trace_size));
	header.table_hash = hash_of(bytes, size, sizeof(header),
				    trace > sizeof(header) ? trace - sizeof(header) : 0);
	header.header_hash = htole64(XXH64(&header, offsetof(struct pack_header, header_hash), 0));
	memcpy(bytes, &header, sizeof(header));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) uint8_t *copy = malloc(size + 1);

	check(data, size);
	memcpy(copy, data, size);
	repair_hashes(copy, size);
	check(copy, size);
	return 0;
}
