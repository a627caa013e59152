// SPDX-License-Identifier: Apache-2.0
// How much of each file and of each of its sections was read, mapped and touched. Serves
// correlate/storage/storage.c.
#include "correlate/storage/parts.h"

#include "base/order.h"

/** A section, with what it is sorted by beside its columns. */
struct section_row {
	struct model_storage_section row;
	uint64_t offset;
};

struct tables {
	struct arena *arena;
	struct objects *objects;
	struct storage_parts parts;
	VEC(struct section_row) sections;
	VEC(struct model_storage_file) files;
};

ORDER_OF(compare_sections, section_row,
	 ORDER(y->row.read, x->row.read) ?: order_text(x->row.path, y->row.path)
		 ?: ORDER(x->offset, y->offset))

ORDER_OF(compare_files, model_storage_file,
	 ORDER(y->bytes, x->bytes) ?: order_text(x->path, y->path))

static void add_section(struct tables *tables, const struct storage_file *file, const char *name,
			struct range bytes)
{
	const struct section_row row = {
		.row = { .object = file->row.object,
			 .path = file->row.path,
			 .section = name,
			 .size = range_size(bytes),
			 .read = rangeset_count(&file->read, bytes),
			 .mapped = rangeset_count(&file->counted.mapped, bytes),
			 .touched = rangeset_count(&file->counted.touched, bytes) },
		.offset = bytes.start,
	};

	if (row.row.read > 0 || row.row.touched > 0)
		vec_push(&tables->sections, row);
}

/** The sections of an ELF file, then what lies between them. */
static void add_elf(struct tables *tables, const struct storage_file *file, struct elfmap *map)
{
	const struct model_storage_file *whole = &file->row;
	struct section_row rest = { .row = { .object = whole->object,
					     .path = whole->path,
					     .section = "[padding]",
					     .size = whole->size,
					     .read = whole->read,
					     .mapped = whole->mapped,
					     .touched = whole->touched },
				    .offset = UINT64_MAX };
	uint64_t end = 0; // of the section before: of those that overlap the first has the bytes
	struct storage_sums left = storage_sums_of(file, (struct range){ 0, UINT64_MAX });
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(map, &count);

	for (size_t i = 0; i < count; i++) {
		struct range bytes = { sections[i].offset, sections[i].offset + sections[i].size };

		if (!sections[i].has_bytes || bytes.end < bytes.start || bytes.end > whole->size)
			continue;
		if (bytes.start < end)
			bytes.start = end;
		if (bytes.end <= bytes.start)
			continue;
		end = bytes.end;
		const char *name = arena_strdup(tables->arena, sections[i].name);
		const struct storage_sums sums = storage_sums_of(file, bytes);

		add_section(tables, file, name, bytes);
		storage_parts_add(&tables->parts, file, name, &sums);
		storage_sums_take(&left, &sums);
		rest.row.size -= range_size(bytes);
		rest.row.read -= rangeset_count(&file->read, bytes);
		rest.row.mapped -= rangeset_count(&file->counted.mapped, bytes);
		rest.row.touched -= rangeset_count(&file->counted.touched, bytes);
	}
	if (rest.row.read > 0 || rest.row.touched > 0)
		vec_push(&tables->sections, rest);
	storage_parts_add(&tables->parts, file, rest.row.section, &left);
}

/** Add a file that is not divided into sections. */
static void add_whole(struct tables *tables, const struct storage_file *file)
{
	const struct storage_sums sums = storage_sums_of(file, (struct range){ 0, UINT64_MAX });

	storage_parts_add(&tables->parts, file, NULL, &sums);
}

static void add_file(struct tables *tables, struct storage_file *file)
{
	struct model_storage_file *row = &file->row;
	struct elfmap *map =
		row->object == MODEL_NONE ? NULL : objects_map(tables->objects, row->object);

	if (map)
		row->size = elfmap_info(map)->size;
	// The last page goes on behind the end of the file.
	struct range whole = { 0, row->size ? row->size : UINT64_MAX };

	rangeset_settle(&file->read);
	rangeset_settle(&file->counted.mapped);
	rangeset_settle(&file->counted.touched);
	rangeset_settle(&file->whole.mapped);
	rangeset_settle(&file->whole.touched);
	rangeset_settle(&file->faulted);
	row->path = arena_strdup(tables->arena, row->path);
	row->read = rangeset_count(&file->read, whole);
	row->mapped = rangeset_count(&file->counted.mapped, whole);
	row->touched = rangeset_count(&file->counted.touched, whole);
	row->unused = rangeset_count(&file->faulted, (struct range){ 0, UINT64_MAX }) -
		      rangeset_common(&file->faulted, &storage_file_whole(file)->mapped);
	if (row->bytes > 0)
		vec_push(&tables->files, *row);
	if (map) {
		add_elf(tables, file, map);
		return;
	}
	add_section(tables, file, NULL, whole);
	add_whole(tables, file);
}

void storage_sections_fill(struct arena *arena, struct objects *objects,
			   struct storage_files *files, const struct storage_sums *of_no_file,
			   struct model_storage *storage)
{
	struct tables tables = { .arena = arena, .objects = objects };
	struct model_storage_section *sections;

	vec_foreach (file, &files->list) {
		if (file->is_wanted) {
			add_file(&tables, file);
			continue;
		}
		file->row.path = arena_strdup(arena, file->row.path);
		add_whole(&tables, file);
	}
	storage_parts_add(&tables.parts, NULL, NULL, of_no_file);
	storage_parts_fill(&tables.parts, arena, storage);
	vec_sort(&tables.sections, compare_sections);
	vec_sort(&tables.files, compare_files);
	storage->section_count = tables.sections.count;
	sections = arena_array(arena, tables.sections.count + 1, sizeof(*sections));
	for (size_t i = 0; i < tables.sections.count; i++)
		sections[i] = tables.sections.items[i].row;
	vec_deinit(&tables.sections);
	storage->sections = sections;
	storage->files = vec_keep_counted(&tables.files, arena, &storage->file_count);
}
