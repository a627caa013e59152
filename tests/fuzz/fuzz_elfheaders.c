// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as the headers of an ELF file: nothing is read past them, and a build-id lies in
// the notes.
#include "elfmap/headers/elfheaders.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_for_build_id(const struct elfheaders *headers, const uint8_t *data, size_t size,
			      uint64_t align)
{
	uint32_t found_size = 0;
	const uint8_t *found = elfheaders_find_build_id(headers, data, size, align, &found_size);

	if (found && (found < data || found_size > size || found > data + (size - found_size)))
		abort();
}

/** The same bytes as a file. */
static void look_at_file(const uint8_t *data, size_t size)
{
	uint8_t build_id[20];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (elfheaders_build_id(fd, build_id, sizeof(build_id)) > sizeof(build_id) ||
	    elfheaders_is_elf_file(fd) != elfheaders_is_elf(data, size))
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfheaders headers;

	look_at_file(data, size);
	if (!elfheaders_parse(data, size, &headers))
		return 0;
	for (uint64_t i = 0; (i + 1) * elfheaders_segment_size(headers.is_64bit) <= size; i++)
		elfheaders_segment(&headers, data, i);
	for (uint64_t i = 0; (i + 1) * elfheaders_section_size(headers.is_64bit) <= size; i++)
		elfheaders_section(&headers, data, i);
	for (size_t at = 0; at < size && at < 4 << 10; at += 4)
		look_for_build_id(&headers, data + at, size - at, at % 8 ? 4 : 8);
	return 0;
}
