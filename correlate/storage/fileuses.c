// SPDX-License-Identifier: Apache-2.0
// Bytes of files that the run used: those of faults, by their mappings, and those it read.
#include "correlate/storage/storage.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "base/order.h"
#include "base/path.h"
#include "base/u64map.h"
#include "correlate/storage/parts.h"

/** The model's table while it is filled. */
struct filling {
	const struct objects *objects;
	struct arena *arena;
	const struct model_window *window;
	const struct trace *trace;
	struct storage_files files;
	struct u64map by_object; // object -> place in used + 1; 0: left out
	struct u64map by_inode;	 // place in files.list -> the same
	VEC(struct model_used_file) used;
	VEC(struct model_file_use) uses;
	size_t elsewhere;
};

static const char *hex_of(struct arena *arena, const uint8_t *bytes, size_t size)
{
	return size > 0 ? hex_text(bytes, size, arena_array(arena, 2 * size + 1, 1)) : NULL;
}

/** The place of the object's file in the table, plus 1; 0: it is left out. */
static uint32_t use_object(struct filling *filling, uint32_t id)
{
	bool is_new;
	uint32_t *place = u64map_put(&filling->by_object, id, &is_new);
	size_t count;
	const struct object *object = &objects_all(filling->objects, &count)[id];
	const struct trace_identity *identity = object->identity;

	if (!is_new || !object->is_file || object->is_shared_memory)
		return *place;
	if ((identity && identity->flags & TRACE_FILE_ELSEWHERE) || path_is_deleted(object->path)) {
		filling->elsewhere++;
		return 0;
	}
	bool is_known = identity && identity->flags & TRACE_FILE_KNOWN;

	vec_push(&filling->used, (struct model_used_file){
					 .path = arena_strdup(filling->arena, object->path),
					 .build_id = hex_of(filling->arena, object->build_id,
							    object->build_id_size),
					 .size = is_known ? identity->size : 0,
					 .has_mtime = is_known,
					 .mtime_ns = is_known ? identity->mtime_ns : 0,
				 });
	*place = (uint32_t)filling->used.count;
	return *place;
}

/** The same of what @read is of. */
static uint32_t use_inode(struct filling *filling, const struct trace_read *read)
{
	const struct storage_file *file =
		storage_files_find(&filling->files, read->device, read->inode);
	bool is_new;
	uint32_t *place = u64map_put(&filling->by_inode,
				     (uint64_t)(file - filling->files.list.items), &is_new);

	if (!is_new || (!file->row.path && file->row.object == MODEL_NONE))
		return *place;
	if (file->row.object != MODEL_NONE) {
		*place = use_object(filling, file->row.object);
		return *place;
	}
	if (file->row.path[0] != '/' || path_is_deleted(file->row.path)) {
		filling->elsewhere++;
		return 0;
	}
	vec_push(&filling->used,
		 (struct model_used_file){ .path = arena_strdup(filling->arena, file->row.path),
					   .size = file->row.size });
	*place = (uint32_t)filling->used.count;
	return *place;
}

// ---- Uses -------------------------------------------------------------------------------------

/** Add @use, whose .file is a place plus 1. */
static void add_use(struct filling *filling, struct model_file_use use, uint32_t file)
{
	if (file == 0 || !model_window_has(filling->window, use.time_ns))
		return;
	use.file = file - 1;
	vec_push(&filling->uses, use);
}

/** Add what tasks brought into memory otherwise than by faults, which have their own records. */
static void add_reads(struct filling *filling)
{
	uint64_t start_ns = filling->trace->meta.start_ns;

	vec_foreach (read, &filling->trace->reads) {
		struct model_file_use use = { trace_since(read->time_ns, start_ns), read->offset,
					      read->size, 0,
					      read->flags & TRACE_READ_EXEC ? MODEL_USE_EXEC
									    : MODEL_USE_READ };

		if (read->flags & (TRACE_READ_CALL | TRACE_READ_EXEC) &&
		    read->flags & TRACE_READ_FILE && !(read->flags & TRACE_READ_METADATA))
			add_use(filling, use, use_inode(filling, read));
	}
}

ORDER_OF(compare_uses, model_file_use,
	 ORDER(x->time_ns, y->time_ns) ?: ORDER(x->file, y->file) ?: ORDER(x->use, y->use)
		 ?: ORDER(x->offset, y->offset))

static void filling_deinit(struct filling *filling)
{
	storage_files_deinit(&filling->files);
	u64map_deinit(&filling->by_object);
	u64map_deinit(&filling->by_inode);
	vec_deinit(&filling->used);
	vec_deinit(&filling->uses);
}

void fileuses_fill(struct model *model, const struct objects *objects,
		   const struct model_thread *threads, const struct trace *trace,
		   const struct all_faults *faults, const struct fileuses *uses)
{
	struct model_file_uses *table = arena_array(&model->arena, 1, sizeof(*table));
	CLEANUP(filling_deinit)
	struct filling filling = {
		.objects = objects, .arena = &model->arena, .window = &model->window, .trace = trace
	};

	storage_files_init(&filling.files, objects, threads, trace, faults);
	vec_foreach (use, &uses->list)
		add_use(&filling, *use, use_object(&filling, use->file));
	add_reads(&filling);
	vec_sort(&filling.uses, compare_uses);
	table->files = vec_keep_counted(&filling.used, &model->arena, &table->file_count);
	table->uses = vec_keep_counted(&filling.uses, &model->arena, &table->use_count);
	table->start_unix_ns = trace->meta.start_unix_ns;
	table->is_exact = uses->is_exact;
	table->has_reads = trace->meta.has_storage;
	table->elsewhere = filling.elsewhere;
	model->file_uses = table;
}
