// SPDX-License-Identifier: Apache-2.0
// The files that a trace's requests are of: found by device and inode, joined to the objects that
// its mappings show. Serves correlate/storage/storage.c.
#include "correlate/storage/parts.h"

#include "base/key.h"
#include "base/search.h"

#include <string.h>
#include <xxhash.h>

enum { FAULTS_LOOKED_AT = 64 };

static void put(struct u64map *map, uint64_t key, uint32_t value)
{
	bool is_new;
	uint32_t *place = u64map_put(map, key, &is_new);

	if (is_new)
		*place = value;
}

static void learn_objects(struct storage_files *files)
{
	size_t count;
	const struct object *all = objects_all(files->mapped, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct trace_identity *identity = all[i].identity;

		if (!all[i].is_file)
			continue;
		put(&files->paths, XXH3_64bits(all[i].path, strlen(all[i].path)), i + 1);
		if (identity && identity->flags & TRACE_FILE_KNOWN)
			put(&files->objects, key_of(identity->device, identity->inode), i + 1);
	}
}

void storage_files_init(struct storage_files *files, const struct objects *objects,
			const struct model_thread *threads, const struct trace *trace,
			const struct all_faults *faults)
{
	*files = (struct storage_files){
		.trace = trace, .mapped = objects, .threads = threads, .faults = faults
	};
	learn_objects(files);
	for (uint32_t i = 0; i < trace->paths.count; i++)
		put(&files->names,
		    key_of(trace->paths.items[i].device, trace->paths.items[i].inode), i + 1);
	for (uint32_t i = 0; i < trace->reads.count; i++)
		if (trace->reads.items[i].flags & TRACE_READ_FAULT)
			put(&files->by_fault,
			    key_of(trace->reads.items[i].device, trace->reads.items[i].inode),
			    i + 1);
}

enum model_direction storage_direction(struct range before, struct range bytes)
{
	enum { NEAR_BYTES = 1 << 20 };

	if (bytes.start >= before.end && bytes.start - before.end <= NEAR_BYTES)
		return MODEL_DIRECTION_FORWARD;
	if (bytes.end <= before.start && before.start - bytes.end <= NEAR_BYTES)
		return MODEL_DIRECTION_BACKWARD;
	return MODEL_DIRECTION_RANDOM;
}

void storage_waits_deinit(struct storage_waits *waits)
{
	u64map_deinit(&waits->by_tid);
	vec_deinit(&waits->ends);
}

void storage_files_deinit(struct storage_files *files)
{
	vec_foreach (file, &files->list) {
		rangeset_deinit(&file->read);
		rangeset_deinit(&file->counted.mapped);
		rangeset_deinit(&file->counted.touched);
		rangeset_deinit(&file->whole.mapped);
		rangeset_deinit(&file->whole.touched);
		rangeset_deinit(&file->faulted);
		storage_waits_deinit(&file->waits);
		vec_deinit(&file->pieces);
	}
	vec_deinit(&files->list);
	u64map_deinit(&files->by_inode);
	u64map_deinit(&files->by_object);
	u64map_deinit(&files->objects);
	u64map_deinit(&files->paths);
	u64map_deinit(&files->names);
	u64map_deinit(&files->by_fault);
}

/** The object on which a fault of @read's thread was under way then; MODEL_NONE: none known. */
static uint32_t object_of_fault(const struct storage_files *files, const struct trace_read *read)
{
	const struct model_fault *faults = files->faults->list.items;
	uint64_t time_ns = read->time_ns - files->trace->meta.start_ns;
	size_t at = search_first(files->faults->list.count, i, faults[i].time_ns > time_ns);

	for (size_t back = 0; back < FAULTS_LOOKED_AT && at-- > 0; back++) {
		const struct model_thread *thread = &files->threads[faults[at].thread];

		if (thread->tid == read->tid && thread->pid == read->pid)
			return faults[at].has_read ? faults[at].at.object : MODEL_NONE;
	}
	return MODEL_NONE;
}

/**
 * The object that the file is; MODEL_NONE: it was never mapped. By inode; by path, where the
 * file system has devices of its own (btrfs); by a fault that read it, where another file system
 * lies above (overlayfs).
 */
static uint32_t object_of(const struct storage_files *files, uint64_t device, uint64_t inode,
			  const char *path)
{
	const uint32_t *found = u64map_get(&files->objects, key_of(device, inode));

	if (!found && path)
		found = u64map_get(&files->paths, XXH3_64bits(path, strlen(path)));
	if (found)
		return *found - 1;
	found = u64map_get(&files->by_fault, key_of(device, inode));
	return found ? object_of_fault(files, &files->trace->reads.items[*found - 1]) : MODEL_NONE;
}

struct storage_file *storage_files_of_object(struct storage_files *files, uint32_t object)
{
	bool is_new;
	uint32_t *place = u64map_put(&files->by_object, object, &is_new);

	if (is_new) {
		size_t count;
		const struct object *known = &objects_all(files->mapped, &count)[object];

		vec_push(&files->list,
			 (struct storage_file){
				 .row = { .object = object,
					  .path = known->path,
					  .size = known->identity ? known->identity->size : 0 },
				 .is_wanted = true,
			 });
		*place = (uint32_t)files->list.count;
	}
	return &files->list.items[*place - 1];
}

struct storage_file *storage_files_find(struct storage_files *files, uint64_t device,
					uint64_t inode)
{
	bool is_new;
	uint32_t *place = u64map_put(&files->by_inode, key_of(device, inode), &is_new);

	if (!is_new)
		return &files->list.items[*place - 1];

	const uint32_t *name = u64map_get(&files->names, key_of(device, inode));
	const struct trace_path *path = name ? &files->trace->paths.items[*name - 1] : NULL;
	uint32_t object = object_of(files, device, inode, path ? path->path : NULL);

	if (object != MODEL_NONE) {
		struct storage_file *file = storage_files_of_object(files, object);

		*place = (uint32_t)(file - files->list.items) + 1;
		if (path && file->row.size == 0)
			file->row.size = path->size;
		return file;
	}
	vec_push(&files->list, (struct storage_file){ .row = { .object = MODEL_NONE,
							       .path = path ? path->path : NULL,
							       .size = path ? path->size : 0 } });
	*place = (uint32_t)files->list.count;
	return &files->list.items[files->list.count - 1];
}
