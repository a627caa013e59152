// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/filepages.h"
#include "base/key.h"

#include <string.h>
#include <xxhash.h>

// A state has two flags; above them, where requests were recorded, one and the number of the last
// request that was for the page, otherwise the number of the first fault that mapped it.
enum {
	STATE_MAPPED = 1 << 0, // since that request; without requests, ever
	STATE_AGAIN = 1 << 1,  // that request read it again
	STATE_SHIFT = 2,
	PAGE_BITS = 40,		 // of a key: pages of a file
	FORGOTTEN_MAX = 1 << 22, // pages of a call: 16 GiB
};

static uint64_t file_key(const struct trace_mapping *mapping)
{
	return mapping->inode ? key_of(mapping->device, mapping->inode)
			      : XXH3_64bits(mapping->path, strlen(mapping->path));
}

/** The file that an identity of the trace is of has the number @number as well. */
static void learn_identity(struct filepages *pages, uint32_t id, uint32_t number)
{
	const struct trace_identity *file = trace_file_by_id(pages->trace, id);
	bool is_new;

	if (!file || !(file->flags & TRACE_FILE_KNOWN))
		return;
	uint32_t *place = u64map_put(&pages->files, key_of(file->device, file->inode), &is_new);

	if (is_new)
		*place = number;
}

void filepages_init(struct filepages *pages, const struct trace *trace,
		    const struct model_window *window)
{
	uint32_t count = 0;

	pages->trace = trace;
	pages->window = window;
	vec_foreach (mapping, &trace->mappings) {
		bool is_new;
		uint32_t *place;

		if (mapping->path[0] != '/')
			continue;
		place = u64map_put(&pages->files, file_key(mapping), &is_new);
		if (!is_new)
			continue;
		*place = count;
		vec_push(&pages->ends, 0);
		// Of some file systems, such as btrfs, mappings have another device than stat().
		if (mapping->file)
			learn_identity(pages, mapping->file, count);
		count++;
	}
}

void filepages_deinit(struct filepages *pages)
{
	u64map_deinit(&pages->files);
	u64map_deinit(&pages->pages);
	u64map_deinit(&pages->threads);
	vec_deinit(&pages->ends);
}

static uint64_t page_key(uint32_t file, uint64_t page)
{
	return (uint64_t)file << PAGE_BITS | (page & ((1ull << PAGE_BITS) - 1));
}

/** The state of a page of a file; added when new. */
static uint32_t *state_of(struct filepages *pages, uint32_t file, uint64_t page)
{
	if (page >= pages->ends.items[file])
		pages->ends.items[file] = page + 1;
	return u64map_put(&pages->pages, page_key(file, page), NULL);
}

/** When the request that last was for a page of @state had completed. */
static uint64_t completed_ns(const struct filepages *pages, uint32_t state)
{
	const struct trace_request *request =
		&pages->trace->requests.items[(state >> STATE_SHIFT) - 1];

	return request->time_ns + request->duration_ns;
}

/**
 * Note one request. Only what was asked for before and came, or what a fault mapped, was in memory:
 * several devices may pass one request on to each other.
 */
static void note_request(struct filepages *pages, const struct trace_request *request)
{
	const uint64_t size = pages->trace->meta.page_size;
	const uint32_t *file =
		u64map_get(&pages->files, key_of(request->file_device, request->inode));
	const uint32_t number = (uint32_t)(request - pages->trace->requests.items) + 1;
	const bool is_counted = model_window_has(
		pages->window, trace_since(request->time_ns, pages->trace->meta.start_ns));
	uint64_t end;

	if (!file || !(request->flags & TRACE_READ_FILE) || size == 0 ||
	    __builtin_add_overflow(request->offset, request->size, &end))
		return;
	// A page may be read in parts, of which only the first counts.
	for (uint64_t page = request->offset / size + (request->offset % size > 0);
	     page < end / size + (end % size > 0); page++) {
		uint32_t *state = state_of(pages, *file, page);
		const bool was_there =
			*state & STATE_MAPPED || (*state >> STATE_SHIFT > 0 &&
						  completed_ns(pages, *state) <= request->time_ns);

		pages->read_again += was_there && is_counted;
		*state = number << STATE_SHIFT | (was_there ? STATE_AGAIN : *state & STATE_AGAIN);
	}
}

static void note_requests(struct filepages *pages, uint64_t end_ns)
{
	const struct trace *trace = pages->trace;

	while (pages->request < trace->requests.count &&
	       trace->requests.items[pages->request].time_ns <= end_ns)
		note_request(pages, &trace->requests.items[pages->request++]);
}

static void forget(struct filepages *pages, uint32_t file, uint64_t page)
{
	const uint64_t key = page_key(file, page);

	if (u64map_get(&pages->pages, key))
		*u64map_put(&pages->pages, key, NULL) = 0;
}

static void forget_memory(struct filepages *pages, const struct trace_flush *flush,
			  struct aspace *aspace)
{
	const uint64_t page_size = pages->trace->meta.page_size;
	uint64_t count = flush->size / page_size + (flush->size % page_size > 0);

	for (uint64_t i = 0; i < count && i < FORGOTTEN_MAX; i++) {
		struct aspace_place at;
		const uint32_t *file;

		if (!aspace_find(aspace, flush->addr + i * page_size, &at) || !at.mapping ||
		    !at.has_offset)
			continue;
		file = u64map_get(&pages->files, file_key(at.mapping));
		if (file)
			forget(pages, *file, at.offset / page_size);
	}
}

static void forget_file(struct filepages *pages, const struct trace_flush *flush)
{
	const uint64_t page_size = pages->trace->meta.page_size;
	const uint32_t *file = u64map_get(&pages->files, key_of(flush->device, flush->inode));
	uint64_t end, first = flush->offset / page_size;

	if (!file)
		return;
	end = pages->ends.items[*file];
	if (flush->size > 0 && (flush->offset + flush->size) / page_size < end)
		end = (flush->offset + flush->size) / page_size + 1;
	for (uint64_t page = first; page < end; page++)
		forget(pages, *file, page);
}

void filepages_flush(struct filepages *pages, const struct trace_flush *flush,
		     struct aspace *aspace)
{
	const char *call = trace_call_name(pages->trace, flush->call);

	if (flush->error || !call || pages->trace->meta.page_size == 0)
		return;
	note_requests(pages, flush->time_ns);
	if (strcmp(call, "madvise") == 0)
		forget_memory(pages, flush, aspace);
	else if (strcmp(call, "fadvise64") == 0)
		forget_file(pages, flush);
}

void filepages_end(struct filepages *pages)
{
	note_requests(pages, UINT64_MAX);
}

/**
 * The kernel also counts as major what waits for others to read the page. So the thread's last
 * fault was after a fault mapped the page: it was there when this one began.
 */
static enum page_eviction suppose(struct filepages *pages, const struct trace_fault *fault,
				  uint32_t *state)
{
	uint32_t *last = u64map_put(&pages->threads, fault->tid, NULL);
	const uint32_t number = ++pages->fault_count;
	const bool was_there = *state & STATE_MAPPED && *last >= *state >> STATE_SHIFT;

	*last = number;
	if (!(*state & STATE_MAPPED))
		*state = number << STATE_SHIFT | STATE_MAPPED;
	return was_there && fault->flags & TRACE_FAULT_MAJOR ? EVICTION_SUPPOSED : EVICTION_NONE;
}

/**
 * Note what was mapped around the page, in the same file: of those pages the ones that are known to
 * have been read, as others may not have been in memory.
 */
static void note_around(struct filepages *pages, const struct trace_fault *fault, uint32_t file)
{
	const uint64_t first = fault->around_offset / pages->trace->meta.page_size;
	const uint64_t end_ns = fault->time_ns + fault->duration_ns;

	for (uint32_t i = 0; fault->flags & TRACE_FAULT_HAS_AROUND && i < fault->around_pages;
	     i++) {
		const uint64_t key = page_key(file, first + i);
		const uint32_t *state = u64map_get(&pages->pages, key);

		if (state && *state >> STATE_SHIFT > 0 && completed_ns(pages, *state) <= end_ns)
			*u64map_put(&pages->pages, key, NULL) |= STATE_MAPPED;
	}
}

enum page_eviction filepages_fault(struct filepages *pages, const struct trace_fault *fault,
				   const struct aspace_place *at)
{
	const struct trace_meta *meta = &pages->trace->meta;
	const uint32_t *file = u64map_get(&pages->files, file_key(at->mapping));
	enum page_eviction eviction = EVICTION_NONE;

	note_requests(pages, fault->time_ns + fault->duration_ns);
	// A page that was mapped already was not read.
	if (!file || meta->page_size == 0 ||
	    (fault->flags & TRACE_FAULT_HAS_ERROR_CODE && fault->error_code & TRACE_ERROR_PRESENT))
		return EVICTION_NONE;

	uint32_t *state = state_of(pages, *file, at->offset / meta->page_size);
	if (!meta->has_storage)
		return suppose(pages, fault, state);
	// The first that maps it, and those that waited with it.
	if (*state & STATE_AGAIN &&
	    (!(*state & STATE_MAPPED) || fault->time_ns < completed_ns(pages, *state)))
		eviction = EVICTION_SEEN;
	*state |= STATE_MAPPED;
	note_around(pages, fault, *file);
	return eviction;
}
