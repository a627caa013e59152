// SPDX-License-Identifier: Apache-2.0
// A start with none of its files in memory, under another read-ahead of the disk: the faults again,
// in their order, against a page cache that only their reads fill (mm/filemap.c,
// do_sync_mmap_readahead() and do_async_mmap_readahead()). Data is read around the page. So is code
// by older kernels; by Linux 6.18 from the page on, as seen in recordings: code that runs backwards
// then waits for every page.
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/range.h"
#include "base/u64map.h"
#include "cure/whatifkit.h"
#include "model/layout.h"

#include <stdio.h>
#include <stdlib.h>

/** Bytes; each row is one start. */
static const uint64_t sizes[] = { 0, UINT64_C(128) << 10, UINT64_C(512) << 10, UINT64_C(2) << 20,
				  UINT64_C(8) << 20 };

/** Pages that exec and ld.so read of each program and library before they map it. */
enum { HEADER_PAGES = 4 };

/** The read-ahead state of a file, as its struct file has it. */
struct window {
	uint64_t start, size, mark; // pages; mark: where more is asked for ahead
	bool has_mark;
	bool is_known;	   // its headers were read, and code is set
	struct range code; // pages of the executable mapping
};

struct cache {
	const struct whatif_kit *kit;
	uint64_t ahead; // pages
	bool reads_code_on;
	struct u64map pages;  // that are in memory, by file
	struct window *files; // by object
	uint64_t major, bytes;
};

static void cache_deinit(struct cache *cache)
{
	u64map_deinit(&cache->pages);
	free(cache->files);
}

static uint64_t key_of(uint32_t object, uint64_t page)
{
	return (uint64_t)object << 40 ^ page;
}

/** Read [@start, @start + @count) of the file, as far as it goes and is not there. */
static void read_pages(struct cache *cache, uint32_t object, uint64_t start, uint64_t count)
{
	const struct model_object *row = &cache->kit->model->objects[object];
	uint64_t pages = row->size > 0 ? (row->size - 1) / cache->kit->page_size + 1 : UINT64_MAX;
	uint64_t end = start + count < pages ? start + count : pages;

	for (uint64_t page = start; page < end; page++)
		if (u64map_add(&cache->pages, key_of(object, page)))
			cache->bytes += cache->kit->page_size;
}

/** Go on ahead where the thread came to the mark. */
static void read_ahead(struct cache *cache, uint32_t object)
{
	struct window *window = &cache->files[object];

	window->start += window->size;
	window->size = cache->ahead;
	window->mark = window->start;
	read_pages(cache, object, window->start, window->size);
}

/** Read a page that is not there, with what lies around it. */
static void read_around(struct cache *cache, uint32_t object, uint64_t page)
{
	struct window *window = &cache->files[object];

	cache->major++;
	if (cache->ahead == 0) {
		read_pages(cache, object, page, 1);
		return;
	}
	if (cache->reads_code_on && range_contains(window->code, page)) {
		const uint64_t left = window->code.end - page;

		read_pages(cache, object, page, left < cache->ahead ? left : cache->ahead);
		window->has_mark = false;
		return;
	}
	window->start = page > cache->ahead / 2 ? page - cache->ahead / 2 : 0;
	window->size = cache->ahead;
	window->mark = window->start + window->size - cache->ahead / 4;
	window->has_mark = true;
	read_pages(cache, object, window->start, window->size);
}

/** The pages of the mapping with the code of @object, as sections tell. */
static struct range code_of(const struct whatif_kit *kit, uint32_t object)
{
	const struct model_layout *layout = kit->model->objects[object].layout;
	struct range code = { 0, 0 };

	for (size_t i = 0; layout && i < layout->section_count; i++) {
		const struct model_layout_section *section = &layout->sections[i];

		if (!section->is_code || !section->has_bytes || section->file_size == 0)
			continue;
		const uint64_t end =
			(section->offset + section->file_size - 1) / kit->page_size + 1;

		if (code.end == 0)
			code.start = section->offset / kit->page_size;
		code.end = end > code.end ? end : code.end;
	}
	return code;
}

static void touch(struct cache *cache, const struct model_fault *fault)
{
	uint32_t object = fault->at.object;
	struct window *window = &cache->files[object];
	uint64_t page = fault->at.offset / cache->kit->page_size;

	if (!window->is_known && cache->kit->model->objects[object].is_elf) {
		const uint64_t bytes = cache->bytes;

		read_pages(cache, object, 0, HEADER_PAGES);
		cache->bytes = bytes; // exec's and open's own
		window->code = code_of(cache->kit, object);
	}
	window->is_known = true;
	if (!u64map_get(&cache->pages, key_of(object, page)))
		read_around(cache, object, page);
	else if (window->has_mark && page == window->mark)
		read_ahead(cache, object);
}

/** Of a file, and not there yet for this process: the page cache is asked. */
static bool asks_cache(const struct model *model, const struct model_fault *fault)
{
	return fault->at.object != MODEL_NONE && fault->at.has_offset &&
	       model->objects[fault->at.object].is_file &&
	       (fault->mechanism == MODEL_FILE_MAP || fault->mechanism == MODEL_PRIVATE_WRITE ||
		fault->mechanism == MODEL_REFAULT || fault->mechanism == MODEL_COW_BREAK);
}

/** Whether the kernel that was recorded reads code from the page that faults on. */
static bool reads_code_on(const struct model *model)
{
	unsigned major = 0, minor = 0;

	return model->trace.kernel && sscanf(model->trace.kernel, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 18));
}

/**
 * Read-ahead that reads nearly all that fault-around hides, or waits for none of it. With more, up
 * to 1.8 times as much was read: whole windows that nothing in a warm trace explains.
 */
enum { UNHIDDEN = 512 << 10, UNHIDDEN_MAJORS = 2 << 20 };

static void predict(struct whatif_kit *kit, uint64_t bytes)
{
	const struct model *model = kit->model;
	const bool is_hidden = kit->answer->around > kit->page_size;
	CLEANUP(cache_deinit)
	struct cache cache = {
		.kit = kit,
		.ahead = bytes / kit->page_size,
		.reads_code_on = reads_code_on(model),
		.files = xcalloc(model->object_count + 1, sizeof(*cache.files)),
	};
	struct whatif row = {
		.group = WHATIF_COLD_START,
		.cure = arena_printf(kit->arena, "read-ahead-%luk", bytes >> 10),
		.title = bytes == 0 ? "no read-ahead" : figure_size(kit->arena, bytes),
		.how = arena_printf(kit->arena, "echo %lu > /sys/block/DISK/queue/read_ahead_kb",
				    bytes >> 10),
		.saves.is = is_hidden && bytes != UNHIDDEN ? MODEL_AT_MOST : MODEL_PREDICTION,
		.is_major_bound = is_hidden && bytes < UNHIDDEN_MAJORS,
		.error_percent = is_hidden ? 20 : 15,
		.applies = true,
	};

	array_foreach (fault, model->faults, model->fault_count)
		if (asks_cache(model, fault))
			touch(&cache, fault);
	if (cache.major == 0)
		return;
	row.after = (struct whatif_sum){ .major = cache.major, .read_bytes = cache.bytes };
	vec_push(&kit->list, row);
}

void whatif_readahead(struct whatif_kit *kit)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		predict(kit, sizes[i]);
}
