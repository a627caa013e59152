// SPDX-License-Identifier: Apache-2.0
#include "correlate/storage/storage.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/order.h"
#include "base/search.h"
#include "correlate/storage/parts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { SECTOR_BYTES = 512, READS_LOOKED_AT = 4 << 10 };

/** A disk, while its requests are counted. */
struct disk {
	uint64_t device;
	struct model_storage_device row; // of the window
	uint64_t bytes;			 // of the whole recording
	bool has_last;			 // the request before, of a recorded task
	struct range last;		 // of it, in bytes
};

struct filling {
	struct model_storage *storage;
	struct rows *rows;
	const struct trace *trace;
	struct storage_files files;
	struct storage_calls calls;
	struct calls *timed_calls; // borrowed
	struct doing doing;
	struct storage_flushes flushes;
	struct storage_ios *ios; // NULL: not asked for
	struct storage_sums of_no_file;
	struct storage_waits waits_of_no_file;
	VEC(struct disk) disks;
	VEC(uint64_t) sizes; // of the requests of recorded tasks
};

static void filling_deinit(struct filling *filling)
{
	storage_files_deinit(&filling->files);
	storage_calls_deinit(&filling->calls);
	doing_deinit(&filling->doing);
	vec_deinit(&filling->flushes.list);
	storage_waits_deinit(&filling->waits_of_no_file);
	vec_deinit(&filling->disks);
	vec_deinit(&filling->sizes);
}

/** The newest read of a recorded task that brought in what @request reads; NULL: none is known. */
static const struct trace_read *find_read(const struct trace *trace,
					  const struct trace_request *request)
{
	const struct trace_read *reads = trace->reads.items;
	size_t at = search_first(trace->reads.count, i, reads[i].time_ns > request->time_ns);

	if (!(request->flags & TRACE_READ_FILE))
		return NULL;
	for (size_t back = 0; back < READS_LOOKED_AT && at-- > 0; back++)
		if (reads[at].inode == request->inode && reads[at].device == request->file_device &&
		    request->offset >= reads[at].offset &&
		    request->offset - reads[at].offset < reads[at].size)
			return &reads[at];
	return NULL;
}

/** System calls that read no content: what they ask of storage is about files. */
static bool is_about_files(const char *call)
{
	static const char *const calls[] = {
		"access",     "chdir",	 "faccessat", "faccessat2", "getdents",
		"getdents64", "lstat",	 "mkdir",     "newfstatat", "open",
		"openat",     "openat2", "readlink",  "readlinkat", "rename",
		"stat",	      "statx",	 "unlink",    "unlinkat",
	};

	for (size_t i = 0; call && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i], call) == 0)
			return true;
	return false;
}

static enum model_storage_cause cause_of(uint32_t flags, const char *call)
{
	if (!(flags & (TRACE_READ_FAULT | TRACE_READ_CALL | TRACE_READ_EXEC)))
		return MODEL_STORAGE_OTHERS;
	if (flags & TRACE_READ_METADATA ||
	    (!(flags & TRACE_READ_FILE) && flags & TRACE_READ_CALL && is_about_files(call)))
		return MODEL_STORAGE_METADATA;
	if (flags & TRACE_READ_ASYNC)
		return MODEL_STORAGE_READAHEAD;
	if (flags & TRACE_READ_FAULT)
		return MODEL_STORAGE_FAULT;
	return flags & TRACE_READ_EXEC ? MODEL_STORAGE_EXEC : MODEL_STORAGE_READ;
}

/** True if @part is of the window: each counts where it began. */
static bool is_counted(const struct filling *filling, const struct trace_request *part)
{
	return model_window_has(&filling->rows->model->window,
				trace_since(part->time_ns, filling->trace->meta.start_ns));
}

static struct disk *disk_of(struct filling *filling, uint64_t device)
{
	vec_foreach (disk, &filling->disks)
		if (disk->device == device)
			return disk;
	vec_push(&filling->disks, (struct disk){ .device = device });
	return &filling->disks.items[filling->disks.count - 1];
}

/** Count the place of the request relative to the one before. */
static void count_step(struct model_storage *storage, const struct disk *disk, struct range bytes)
{
	enum model_direction direction = storage_direction(disk->last, bytes);

	if (!disk->has_last)
		return;
	storage->forward += direction == MODEL_DIRECTION_FORWARD;
	storage->backward += direction == MODEL_DIRECTION_BACKWARD;
	storage->random += direction == MODEL_DIRECTION_RANDOM;
}

/** @size: of the request whole. */
static void count_request(struct filling *filling, struct disk *disk,
			  const struct trace_request *first, uint64_t size,
			  enum model_storage_cause cause)
{
	const uint64_t start = first->sector * SECTOR_BYTES;
	const struct range bytes = { start, start + size };
	const bool is_of_window = is_counted(filling, first);

	if (is_of_window) {
		filling->storage->requests++;
		filling->storage->request_ns += first->duration_ns;
		disk->row.requests++;
		filling->storage->other_requests += cause == MODEL_STORAGE_OTHERS;
	}
	if (cause == MODEL_STORAGE_OTHERS)
		return;
	if (is_of_window) {
		count_step(filling->storage, disk, bytes);
		vec_push(&filling->sizes, size);
	}
	disk->has_last = true;
	disk->last = bytes;
}

/** Time that the thread has not waited for another request of the file meanwhile. */
static uint64_t new_wait(struct storage_waits *waits, const struct trace_request *part)
{
	bool is_new;
	uint32_t *place = u64map_put(&waits->by_tid, part->tid, &is_new);
	uint64_t start = part->time_ns, end = part->time_ns + part->duration_ns;

	if (is_new) {
		*place = (uint32_t)waits->ends.count;
		vec_push(&waits->ends, 0);
	}
	uint64_t *last = &waits->ends.items[*place];

	if (start < *last)
		start = *last;
	if (end <= start)
		return 0;
	*last = end;
	return end - start;
}

/**
 * Return the initiator of the thread that asked for @asked while it did @what, which, if it
 * @is_counted, is counted for its initializer. @what: NULL: unknown
 */
static enum model_initiator initiator_of(struct filling *filling, const struct trace_read *asked,
					 const struct model_fault *what, bool is_counted)
{
	if (asked->flags & TRACE_READ_EXEC)
		return MODEL_EXEC;
	if (!what || what->initiator == MODEL_INITIATOR_UNKNOWN)
		return doing_by_worker(&filling->doing, asked) ? MODEL_PROGRAM
							       : MODEL_INITIATOR_UNKNOWN;
	if (what->initializer != MODEL_NONE && is_counted)
		filling->rows->initializers.items[what->initializer].storage_bytes += asked->size;
	return (enum model_initiator)what->initiator;
}

/** Count it for its file, if it is of one, and fill in the file and the wait of @io. */
static void count_for_file(struct filling *filling, struct storage_io *io)
{
	const struct trace_request *part = io->part;
	const enum model_storage_cause cause = io->cause;
	const bool is_waited_for =
		cause != MODEL_STORAGE_OTHERS && cause != MODEL_STORAGE_READAHEAD;

	if (!(part->flags & TRACE_READ_FILE) || part->flags & TRACE_READ_METADATA) {
		if (io->is_counted)
			filling->of_no_file.bytes[cause][io->initiator] += part->size;
		if (is_waited_for)
			io->wait_ns = new_wait(&filling->waits_of_no_file, part);
		return;
	}
	struct storage_file *file =
		storage_files_find(&filling->files, part->file_device, part->inode);

	if (is_waited_for)
		io->wait_ns = new_wait(&file->waits, part);
	io->file = (uint32_t)(file - filling->files.list.items);
	if (!io->is_counted)
		return;
	file->row.bytes += part->size;
	file->row.by_cause[cause] += part->size;
	vec_push(&file->pieces,
		 (struct storage_piece){ part->offset, part->size, cause, io->initiator });
	file->row.requests++;
	rangeset_add(&file->read, part->offset, part->size);
	file->is_wanted |= cause != MODEL_STORAGE_OTHERS;
	if (part->flags & TRACE_READ_FAULT)
		rangeset_add(&file->faulted, part->offset, part->size);
	file->row.wait_ns += io->wait_ns;
}

/** Add up the bytes of @io. */
static void count_bytes(struct filling *filling, struct disk *disk, const struct storage_io *io,
			const char *call)
{
	const struct trace_request *part = io->part;

	filling->storage->device_bytes += part->size;
	filling->storage->by_cause[io->cause] += part->size;
	disk->row.bytes += part->size;
	storage_calls_add(&filling->calls, part, call, io->cause);
	if (part->flags & (TRACE_READ_CALL | TRACE_READ_EXEC))
		calls_add_bytes(filling->timed_calls, part);
}

static enum model_storage_cause count_part(struct filling *filling, struct disk *disk,
					   const struct trace_request *from)
{
	struct trace_request part = *from;
	const struct trace_read *read = part.pid ? NULL : find_read(filling->trace, &part);

	// Issued on behalf of a task by another, as by a thread of the kernel.
	if (read) {
		part.flags |= read->flags & ~(uint32_t)TRACE_READ_CONTINUES;
		part.pid = read->pid;
		part.tid = read->tid;
		part.call = read->call;
	}
	const char *call = trace_call_name(filling->trace, part.call);
	enum model_storage_cause cause = cause_of(part.flags, call);
	struct storage_io io = { .part = &part,
				 .cause = cause,
				 .initiator = MODEL_INITIATOR_UNKNOWN,
				 .file = MODEL_NONE,
				 .is_counted = is_counted(filling, from) };

	if (cause != MODEL_STORAGE_OTHERS) {
		const struct trace_read asked = { .time_ns = read ? read->time_ns : part.time_ns,
						  .size = part.size,
						  .pid = part.pid,
						  .tid = part.tid,
						  .call = part.call,
						  .flags = part.flags };

		io.what = doing_at(&filling->doing, &asked);
		io.initiator = initiator_of(filling, &asked, io.what, io.is_counted);
	}
	disk->bytes += part.size;
	if (io.is_counted)
		count_bytes(filling, disk, &io, call);
	count_for_file(filling, &io);
	if (filling->ios)
		storage_ios_add(filling->ios, &io);
	return cause;
}

/** Count a call that waited until a file was written. */
static void count_flush(struct filling *filling, const struct trace_request *flush)
{
	const struct trace_read asked = { .time_ns = flush->time_ns,
					  .tid = flush->tid,
					  .call = flush->call,
					  .flags = flush->flags };
	const struct model_fault *what = doing_at(&filling->doing, &asked);
	struct storage_io io = { .part = flush,
				 .cause = MODEL_STORAGE_FLUSH,
				 .initiator = MODEL_INITIATOR_UNKNOWN,
				 .file = MODEL_NONE,
				 .wait_ns = storage_flush_wait(filling->trace, flush),
				 .is_counted = is_counted(filling, flush) };

	// It may not have waited, and a later one have done so.
	if (what &&
	    what->time_ns + filling->trace->meta.start_ns - flush->time_ns < flush->duration_ns) {
		io.what = what;
		io.initiator = (enum model_initiator)what->initiator;
	}
	if (io.is_counted) {
		filling->storage->flushes++;
		filling->storage->flush_ns += io.wait_ns;
	}
	if (!filling->ios)
		return;
	if (flush->flags & TRACE_READ_FILE)
		io.file = (uint32_t)(storage_files_find(&filling->files, flush->file_device,
							flush->inode) -
				     filling->files.list.items);
	storage_ios_add(filling->ios, &io);
}

/** Count the calls that began before @time_ns. */
static void count_flushes(struct filling *filling, uint64_t time_ns)
{
	struct storage_flushes *flushes = &filling->flushes;

	for (; flushes->next < flushes->list.count; flushes->next++) {
		const struct trace_request *flush = &flushes->list.items[flushes->next];

		if (flush->time_ns > time_ns)
			return;
		count_flush(filling, flush);
	}
}

static void count_requests(struct filling *filling)
{
	const struct trace_request *requests = filling->trace->requests.items;
	size_t count = filling->trace->requests.count;

	for (size_t i = 0; i < count;) {
		const struct trace_request *first = &requests[i];

		count_flushes(filling, first->time_ns);
		struct disk *disk = disk_of(filling, first->device);
		enum model_storage_cause cause = count_part(filling, disk, first);
		uint64_t size = first->size;

		for (i++; i < count && requests[i].flags & TRACE_READ_CONTINUES; i++) {
			enum model_storage_cause of_part = count_part(filling, disk, &requests[i]);

			if (cause == MODEL_STORAGE_OTHERS)
				cause = of_part;
			size += requests[i].size;
		}
		count_request(filling, disk, first, size, cause);
	}
	count_flushes(filling, UINT64_MAX);
}

static void add_uses(struct storage_uses *uses, const struct model_fault *fault, uint64_t page_size)
{
	const uint64_t page = align_down(fault->at.offset, page_size);

	rangeset_add(&uses->touched, page, page_size);
	rangeset_add(&uses->mapped, page, page_size);
	if (fault->has_around)
		rangeset_add(&uses->mapped, model_around_offset(fault),
			     model_around_pages(fault) * page_size);
}

/** Count the mapped and touched bytes of each file. */
static void count_faults(struct filling *filling, const struct all_faults *faults,
			 const struct counted_faults *counted, uint64_t page_size)
{
	size_t object_count;
	const struct object *objects = objects_all(filling->files.mapped, &object_count);

	vec_foreach (fault, &faults->list) {
		if (fault->at.object == MODEL_NONE || !fault->at.has_offset ||
		    !objects[fault->at.object].is_file)
			continue;
		struct storage_file *file =
			storage_files_of_object(&filling->files, fault->at.object);

		if (fault >= counted->items && fault < counted->items + counted->count)
			add_uses(&file->counted, fault, page_size);
		if (counted->count < faults->list.count)
			add_uses(&file->whole, fault, page_size);
	}
}

ORDER_OF(compare_disks, disk, ORDER(x->device, y->device))

static const char *device_name(struct model *model, uint64_t device)
{
	return arena_printf(&model->arena, "%u:%u", major(device), minor(device));
}

/** Hold the requests of each disk against the kernel's counter. */
static void check_disks(struct filling *filling, struct model *model)
{
	struct model_storage *storage = filling->storage;
	struct model_storage_device *rows;
	const bool is_whole = !model->window.is_set;

	vec_foreach (device, &filling->trace->devices) {
		struct disk *disk = disk_of(filling, device->device);

		disk->row.name = arena_strdup(&model->arena, device->name);
		disk->row.has_counted = is_whole;
		disk->row.counted_least = device->least;
		disk->row.counted_most = device->most;
	}
	vec_sort(&filling->disks, compare_disks);
	rows = arena_array(&model->arena, filling->disks.count + 1, sizeof(*rows));
	vec_foreach (disk, &filling->disks) {
		struct model_storage_device *row = &disk->row;

		// What a disk read before the first request that was seen is not the run's.
		if (row->bytes == 0 && (row->counted_least == 0 || !is_whole))
			continue;
		if (!row->name)
			row->name = device_name(model, disk->device);
		rows[storage->device_count++] = *row;
		if (disk->bytes >= row->counted_least && disk->bytes <= row->counted_most)
			continue;
		storage->complete = false;
		notes_add(&model->notes,
			  "%s read %" PRIu64
			  " bytes by its requests, but the kernel counted %s%" PRIu64,
			  row->name, disk->bytes,
			  disk->bytes < row->counted_least ? "at least " : "at most ",
			  disk->bytes < row->counted_least ? row->counted_least
							   : row->counted_most);
	}
	storage->devices = rows;
}

void storage_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct counted_faults *counted, const struct all_moments *moments,
		  uint64_t page_size, struct calls *calls, bool has_ios)
{
	struct model *model = rows->model;

	if (!trace->meta.has_storage)
		return;
	struct model_storage *storage = arena_array(&model->arena, 1, sizeof(struct model_storage));
	CLEANUP(filling_deinit)
	struct filling filling = {
		.storage = storage, .rows = rows, .trace = trace, .timed_calls = calls
	};

	CLEANUP(storage_ios_deinit)
	struct storage_ios ios = { .rows = rows, .trace = trace, .faults = faults };

	if (has_ios)
		filling.ios = &ios;
	storage_files_init(&filling.files, rows->objects, rows->threads.items, trace, faults);
	storage_flushes_init(&filling.flushes, trace);
	doing_init(&filling.doing, rows->threads.items, trace, faults, moments);
	storage->lost = trace->summary.storage_lost;
	storage->complete = trace->complete && storage->lost == 0;
	notes_add_counted(&model->notes, storage->lost,
			  "a record of what storage read was lost: its bytes are missing, or their"
			  " cause is");
	count_requests(&filling);
	storage->median_size = (uint64_t)median_of(filling.sizes.items, filling.sizes.count);
	filecalls_count(&filling.files, trace);
	count_faults(&filling, faults, counted, page_size);
	check_disks(&filling, model);
	storage_calls_fill(&filling.calls, &model->arena, storage);
	storage_sections_fill(&model->arena, rows->objects, &filling.files, &filling.of_no_file,
			      storage);
	model->storage = storage;
	if (has_ios)
		storage_ios_fill(&ios, &filling.files);
}
