// SPDX-License-Identifier: Apache-2.0
// Bytes that an answer took from files, for a pack that gives the same answer without them.
#include "correlate/answer/phases.h"

#include "elfmap/headers/elfheaders.h"

#include <unistd.h>

static uint32_t add_read(struct pack_list *list, const struct elfmap_read *read, uint32_t debug,
			 uint32_t shared)
{
	const struct pack_item item = {
		.path = read->info ? read->info->path : NULL,
		.status = read->info ? *read->status : (struct stat){ 0 },
		.fd = read->fd,
		.build_id = read->info ? read->info->build_id : NULL,
		.build_id_size = read->info ? read->info->build_id_size : 0,
		.ranges = read->ranges,
		.range_count = read->range_count,
		.debug = debug,
		.shared = shared,
	};

	return read->info ? pack_list_add(list, &item) : 0;
}

static void add_map(struct pack_list *list, struct elfmap *map)
{
	struct elfmap_reads reads;
	size_t count;

	elfmap_functions(map, &count); // order files are made of them
	if (!elfmap_reads(map, list->is_whole, &list->arena, &reads))
		return; // the trace itself has it
	uint32_t shared = add_read(list, &reads.shared, 0, 0);
	uint32_t debug = add_read(list, &reads.debug, 0, reads.is_shared_by_debug ? shared : 0);

	add_read(list, &reads.program, debug, reads.is_shared_by_debug ? 0 : shared);
}

/** An ELF file that is not the recorded one: what shows that it is not. */
static void add_changed(struct objects *objects, const char *path, struct depot_file *found,
			struct pack_list *list)
{
	const struct elfmap_options how = { .no_debug_files = true,
					    .depot = objects_depot(objects) };
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct elfmap_reads reads;
	struct err err;

	if (elfmap_open_found(path, found, &how, &map, &err) &&
	    elfmap_reads(map, false, &list->arena, &reads))
		add_read(list, &reads.program, 0, 0);
}

/** Pack the file at the path of @object, which is not an ELF file: enough to recognise it. */
static void add_other(struct objects *objects, const struct object *object, struct pack_list *list)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	char start[16] = "";
	size_t place = 0;

	if ((object->identity && (object->identity->flags & TRACE_FILE_ELSEWHERE)) ||
	    !depot_next(objects_depot(objects), object->path, &place, &found) || found.os_errno)
		return;
	ssize_t got = found.fd < 0 ? 0 : pread(found.fd, start, sizeof(start), 0);
	if (got < 0)
		return;
	if (elfheaders_is_elf(start, (size_t)got)) {
		add_changed(objects, object->path, &found, list);
		return;
	}
	const struct range range = { 0, (uint64_t)got };
	const struct pack_item item = {
		.path = object->path,
		.status = found.status,
		.fd = found.fd,
		.ranges = &range,
		.range_count = got > 0,
	};

	pack_list_add(list, &item);
}

/** That there is an archive, and the bytes that name its format. */
static void add_archive(struct objects *objects, const char *path, struct pack_list *list)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	const struct range magic = { 0, 8 };
	size_t place = 0;

	if (!depot_next(objects_depot(objects), path, &place, &found) || found.fd < 0)
		return;
	const struct pack_item item = {
		.path = path,
		.status = found.status,
		.fd = found.fd,
		.ranges = &magic,
		.range_count = found.status.st_size >= 8,
	};

	pack_list_add(list, &item);
}

void packlist_fill(struct objects *objects, const struct model *model, struct pack_list *list)
{
	size_t count;

	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].archive)
			add_archive(objects, model->objects[i].archive, list);

	objects_all(objects, &count);
	for (size_t i = 0; i < count; i++) {
		const struct object *object = &objects_all(objects, &count)[i];
		struct elfmap *map = objects_map(objects, (uint32_t)i);

		if (map)
			add_map(list, map);
		else if (object->is_file && !object->is_shared_memory && object->path[0] == '/')
			add_other(objects, object, list);
	}
	objects_count_missing(objects, &list->absent, &list->changed);
}
