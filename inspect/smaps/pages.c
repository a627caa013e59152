// SPDX-License-Identifier: Apache-2.0
// The formats: Documentation/admin-guide/mm/pagemap.rst.
#include "inspect/smaps/pages.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <unistd.h>

enum { CHUNK = 4 << 10 };

static const uint64_t span_max = UINT64_C(8) << 30; // bytes of mappings looked at, 8 per page

/** Bits of an entry of pagemap. */
static const uint64_t entry_present = UINT64_C(1) << 63;
static const uint64_t entry_swapped = UINT64_C(1) << 62;
static const uint64_t entry_file = UINT64_C(1) << 61;
static const uint64_t entry_exclusive = UINT64_C(1) << 56;
static const uint64_t entry_frame = (UINT64_C(1) << 55) - 1; // 0 for whom it is hidden from

struct smaps_pagefiles smaps_pagefiles_open(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	return (struct smaps_pagefiles){
		.pagemap = open(path, O_RDONLY | O_CLOEXEC),
		.page_counts = open("/proc/kpagecount", O_RDONLY | O_CLOEXEC),
		.page_flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC),
	};
}

void smaps_pagefiles_close(struct smaps_pagefiles *files)
{
	fd_close(&files->pagemap);
	fd_close(&files->page_counts);
	fd_close(&files->page_flags);
}

/** Word @index of a file of 64-bit words; 0 where it has none. */
static uint64_t word_at(int fd, uint64_t index)
{
	uint64_t word;

	return fd >= 0 && pread(fd, &word, sizeof(word), (off_t)(index * 8)) == sizeof(word) ? word
											     : 0;
}

static struct smaps_page describe(const struct smaps_pagefiles *files, uint64_t entry)
{
	struct smaps_page page = { 0 };
	uint64_t frame = entry & entry_frame;

	if (entry & entry_swapped)
		page.bits |= SMAPS_PAGE_SWAPPED;
	if (!(entry & entry_present))
		return page;
	page.bits |= SMAPS_PAGE_PRESENT;
	if (entry & entry_exclusive)
		page.bits |= SMAPS_PAGE_EXCLUSIVE;
	if (entry & entry_file)
		page.bits |= SMAPS_PAGE_FILE;
	if (frame == 0)
		return page;

	uint64_t mapped = word_at(files->page_counts, frame);
	uint64_t flags = word_at(files->page_flags, frame);

	page.mapped = mapped < UINT32_MAX ? (uint32_t)mapped : 0;
	if (flags >> KPF_DIRTY & 1)
		page.bits |= SMAPS_PAGE_DIRTY;
	return page;
}

/** The pages of [start, end), to be freed. NULL if they cannot be read. */
static struct smaps_page *read_pages(const struct smaps_pagefiles *files, uint64_t start,
				     uint64_t end, uint64_t page_size)
{
	uint64_t count = (end - start) / page_size, first = start / page_size;
	CLEANUP(freep) struct smaps_page *pages = xcalloc(count + 1, sizeof(*pages));
	uint64_t entries[CHUNK];

	for (uint64_t at = 0; at < count;) {
		uint64_t rest = count - at < CHUNK ? count - at : CHUNK;
		ssize_t length =
			pread(files->pagemap, entries, rest * 8, (off_t)((first + at) * 8));

		if (length < 8)
			return NULL;
		for (ssize_t i = 0; i < length / 8; i++)
			pages[at++] = describe(files, entries[i]);
	}
	return TAKE(pages);
}

bool smaps_pages_read(const struct smaps_pagefiles *files, struct smaps_text *text,
		      uint64_t page_size)
{
	bool is_behind = false, is_read = false;
	uint64_t span = 0;

	if (files->pagemap < 0)
		return false;
	vec_foreach (mapping, &text->mappings) {
		uint64_t size = mapping->end - mapping->start;
		bool is_file = mapping->path[0] == '/';

		is_behind = is_file || (is_behind && mapping->inode == 0);
		bool is_empty = mapping->amounts.bytes[SMAPS_RSS] == 0 &&
				mapping->amounts.bytes[SMAPS_SWAP] == 0;

		if (!is_behind || (is_empty && !is_file) || size % page_size != 0 ||
		    size > span_max - span)
			continue;
		span += size;
		mapping->pages = read_pages(files, mapping->start, mapping->end, page_size);
		is_read |= mapping->pages != NULL;
	}
	return is_read;
}
