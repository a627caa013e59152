// SPDX-License-Identifier: Apache-2.0
// Reads packs, which anyone may have made: all of one is checked when it is opened, and what is
// unpacked goes to files in memory.
#include "depot/pack.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/readfull.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
	BUFFER_BYTES = 1 << 18,
	RATIO_MAX = 1000, // content is at most this many times what is stored
};

static const uint64_t size_max = UINT64_C(64) << 30, table_max = UINT64_C(1) << 30;

struct pack {
	struct arena arena;
	const char *path;
	int fd;
	struct pack_header header;
	struct pack_entry *entries;
	struct range *ranges;
	const char *names;
	uint64_t unpacked; // bytes
};

bool pack_is_at(const char *path)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[PACK_MAGIC_SIZE];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       memcmp(magic, PACK_MAGIC, sizeof(magic)) == 0;
}

static bool refuse(const struct pack *pack, struct err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool refuse(const struct pack *pack, struct err *err, const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "%s: damaged pack: %s; copy or pack it again", pack->path,
		       what);
}

/** Read all of [@offset, @offset + @size). */
static bool read_at(const struct pack *pack, void *bytes, uint64_t size, uint64_t offset,
		    struct err *err)
{
	size_t got = pread_full(pack->fd, bytes, size, offset);

	if (got < size && errno)
		return err_os(err, "%s", pack->path);
	return got == size || refuse(pack, err, "it ends at byte %" PRIu64, offset + got);
}

/** The hash of [@offset, @offset + @size), read in pieces. */
static bool hash_at(const struct pack *pack, uint64_t offset, uint64_t size, uint64_t *ret_hash,
		    struct err *err)
{
	CLEANUP(freep) uint8_t *buffer = xcalloc(BUFFER_BYTES, 1);
	XXH64_state_t *state = XXH64_createState();
	bool ok = true;

	XXH64_reset(state, 0);
	while (ok && size > 0) {
		uint64_t piece = size < BUFFER_BYTES ? size : BUFFER_BYTES;

		ok = read_at(pack, buffer, piece, offset, err);
		XXH64_update(state, buffer, piece);
		offset += piece;
		size -= piece;
	}
	*ret_hash = XXH64_digest(state);
	XXH64_freeState(state);
	return ok;
}

static bool read_header(struct pack *pack, uint64_t file_size, struct err *err)
{
	struct pack_header *header = &pack->header;

	if (file_size < sizeof(*header))
		return refuse(pack, err, "it ends within its header, at byte %" PRIu64, file_size);
	if (!read_at(pack, header, sizeof(*header), 0, err))
		return false;
	if (memcmp(header->magic, PACK_MAGIC, PACK_MAGIC_SIZE) != 0)
		return err_set(err, ERR_INPUT, "%s: is not a packed trace", pack->path);
	if (le32toh(header->version) != PACK_VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: pack of version %u; this elfault reads version %d", pack->path,
			       le32toh(header->version), PACK_VERSION);
	if (le64toh(header->header_hash) !=
	    XXH64(header, offsetof(struct pack_header, header_hash), 0))
		return refuse(pack, err, "its header does not match its hash");
	header->entry_count = le32toh(header->entry_count);
	header->range_count = le32toh(header->range_count);
	header->names_size = le32toh(header->names_size);
	header->trace_offset = le64toh(header->trace_offset);
	header->trace_size = le64toh(header->trace_size);
	header->file_size = le64toh(header->file_size);
	if (header->file_size != file_size)
		return refuse(pack, err, "it has %" PRIu64 " bytes, and not %" PRIu64 " as it says",
			      file_size, header->file_size);
	return true;
}

void pack_swap_entry(struct pack_entry *entry)
{
	uint64_t *words = (uint64_t *)entry;
	uint32_t *halves = &entry->mode;

	for (size_t i = 0; i < offsetof(struct pack_entry, mode) / sizeof(*words); i++)
		words[i] = le64toh(words[i]);
	for (size_t i = 0; &halves[i] <= &entry->build_id_size; i++)
		halves[i] = le32toh(halves[i]);
}

static bool read_table(struct pack *pack, struct err *err)
{
	const struct pack_header *header = &pack->header;
	// Of 32-bit counts: these cannot overflow.
	uint64_t entries = (uint64_t)header->entry_count * sizeof(struct pack_entry);
	uint64_t ranges = (uint64_t)header->range_count * sizeof(struct pack_range);
	uint64_t size = entries + ranges + header->names_size;

	if (!checked_within(sizeof(*header), size, header->file_size) || size > table_max ||
	    !memory_allows(size))
		return refuse(pack, err, "a table of %" PRIu64 " bytes in a file of %" PRIu64, size,
			      header->file_size);
	uint8_t *table = arena_alloc(&pack->arena, size + 1);
	if (!read_at(pack, table, size, sizeof(*header), err))
		return false;
	if (XXH64(table, size, 0) != le64toh(header->table_hash))
		return refuse(pack, err, "its table does not match its hash");
	pack->entries = (struct pack_entry *)table;
	for (uint32_t i = 0; i < header->entry_count; i++)
		pack_swap_entry(&pack->entries[i]);
	pack->ranges = (struct range *)(table + entries);
	for (uint32_t i = 0; i < header->range_count; i++) {
		pack->ranges[i].start = le64toh(pack->ranges[i].start);
		pack->ranges[i].end = le64toh(pack->ranges[i].end);
	}
	pack->names = (const char *)table + entries + ranges;
	if (header->names_size == 0 || pack->names[header->names_size - 1] != '\0')
		return refuse(pack, err, "its names do not end");
	if (header->trace_offset != sizeof(*header) + size ||
	    !checked_within(header->trace_offset, header->trace_size, header->file_size))
		return refuse(pack, err, "its trace is not behind its table");
	return true;
}

/** Check the ranges of entry @index, the next of which has to be @range. */
static bool check_ranges(const struct pack *pack, uint32_t index, uint64_t range, struct err *err)
{
	const struct pack_entry *entry = &pack->entries[index];
	uint64_t content = 0, end = 0;

	if (entry->first_range != range ||
	    !checked_within(range, entry->range_count, pack->header.range_count))
		return refuse(pack, err, "entry %u: its ranges are not those that come next",
			      index);
	for (uint32_t i = 0; i < entry->range_count; i++) {
		const struct range *at = &pack->ranges[range + i];

		if (at->start >= at->end || (i > 0 && at->start <= end) || at->end > entry->size)
			return refuse(pack, err,
				      "entry %u: range %u from %" PRIu64 " to %" PRIu64
				      " of a file of %" PRIu64 " bytes",
				      index, i, at->start, at->end, entry->size);
		content += at->end - at->start; // disjoint, and below size_max
		end = at->end;
	}
	if (content != entry->content_size)
		return refuse(pack, err,
			      "entry %u: ranges of %" PRIu64 " bytes, content of %" PRIu64, index,
			      content, entry->content_size);
	return true;
}

static bool check_entry(const struct pack *pack, uint32_t index, uint64_t range, uint64_t offset,
			struct err *err)
{
	const struct pack_header *header = &pack->header;
	const struct pack_entry *entry = &pack->entries[index];
	bool is_zstd = entry->flags & PACK_ZSTD;

	if (entry->path >= header->names_size || pack->names[entry->path] != '/')
		return refuse(pack, err, "entry %u: its path is not absolute", index);
	if (entry->size > size_max || entry->build_id_size > PACK_BUILD_ID_MAX ||
	    entry->debug > header->entry_count || entry->shared > header->entry_count ||
	    (entry->flags & ~(uint32_t)PACK_ZSTD) ||
	    (!S_ISREG(entry->mode) && entry->range_count > 0))
		return refuse(pack, err, "entry %u: makes no sense", index);
	if (!check_ranges(pack, index, range, err))
		return false;
	if (entry->stored_offset != offset ||
	    !checked_within(offset, entry->stored_size, header->file_size))
		return refuse(pack, err, "entry %u: stored at %" PRIu64 " and not at %" PRIu64,
			      index, entry->stored_offset, offset);
	if (is_zstd ? entry->content_size / RATIO_MAX > entry->stored_size
		    : entry->content_size != entry->stored_size)
		return refuse(pack, err,
			      "entry %u: %" PRIu64 " bytes of content, stored in %" PRIu64, index,
			      entry->content_size, entry->stored_size);
	return true;
}

static bool check_hash(const struct pack *pack, uint64_t offset, uint64_t size, uint64_t expected,
		       const char *what, struct err *err)
{
	uint64_t hash;

	return hash_at(pack, offset, size, &hash, err) &&
	       (hash == expected ||
		refuse(pack, err, "%s, at byte %" PRIu64 ", does not match its hash", what,
		       offset));
}

static bool check(const struct pack *pack, struct err *err)
{
	const struct pack_header *header = &pack->header;
	uint64_t range = 0, offset = header->trace_offset + header->trace_size;

	for (uint32_t i = 0; i < header->entry_count; i++) {
		const struct pack_entry *entry = &pack->entries[i];

		if (!check_entry(pack, i, range, offset, err))
			return false;
		range += entry->range_count;
		offset += entry->stored_size;
	}
	if (range != header->range_count || offset != header->file_size)
		return refuse(pack, err, "its entries end at byte %" PRIu64 " of %" PRIu64, offset,
			      header->file_size);
	if (!check_hash(pack, header->trace_offset, header->trace_size, le64toh(header->trace_hash),
			"the trace", err))
		return false;
	for (uint32_t i = 0; i < header->entry_count; i++) {
		const struct pack_entry *entry = &pack->entries[i];
		char name[32];

		snprintf(name, sizeof(name), "entry %u", i);
		if (!check_hash(pack, entry->stored_offset, entry->stored_size, entry->stored_hash,
				name, err))
			return false;
	}
	return true;
}

bool pack_open(const char *path, struct pack **ret_pack, struct err *err)
{
	CLEANUP(pack_closep) struct pack *pack = xcalloc(1, sizeof(*pack));
	struct stat status;

	pack->path = arena_strdup(&pack->arena, path);
	pack->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (pack->fd < 0 || fstat(pack->fd, &status) != 0)
		return err_os(err, "%s", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is not a regular file", path);
	if (!read_header(pack, (uint64_t)status.st_size, err) || !read_table(pack, err) ||
	    !check(pack, err))
		return false;
	*ret_pack = TAKE(pack);
	return true;
}

void pack_close(struct pack *pack)
{
	if (!pack)
		return;
	fd_close(&pack->fd);
	arena_deinit(&pack->arena);
	free(pack);
}

// ---- Unpacking ------------------------------------------------------------------------------

/** Content that is written to the ranges of a file, one after the other. */
struct sink {
	int fd;
	const struct range *ranges;
	uint64_t at; // in the first of them
	uint64_t left;
	XXH64_state_t *hash;
};

/** False with errno, which is 0 if there is more than the ranges hold. */
static bool sink_add(struct sink *sink, const uint8_t *bytes, uint64_t size)
{
	errno = 0;
	if (size > sink->left)
		return false;
	XXH64_update(sink->hash, bytes, size);
	sink->left -= size;
	while (size > 0) {
		uint64_t length = sink->ranges->end - sink->ranges->start - sink->at;
		ssize_t written = pwrite(sink->fd, bytes, length < size ? length : size,
					 (off_t)(sink->ranges->start + sink->at)); // < size_max

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (uint64_t)written;
		sink->at += (uint64_t)written;
		if (sink->at == sink->ranges->end - sink->ranges->start) {
			sink->ranges++;
			sink->at = 0;
		}
	}
	return true;
}

struct buffers {
	uint8_t in[BUFFER_BYTES], out[BUFFER_BYTES];
};

/** Decompress @input into @sink; @ret_is_end: the frame has ended. */
static bool decompress(ZSTD_DStream *stream, ZSTD_inBuffer input, struct buffers *buffers,
		       struct sink *sink, bool *ret_is_end)
{
	bool is_full = false;

	while (input.pos < input.size || is_full) {
		ZSTD_outBuffer output = { buffers->out, BUFFER_BYTES, 0 };
		size_t left =
			*ret_is_end ? (size_t)-1 : ZSTD_decompressStream(stream, &output, &input);

		errno = 0;
		if (ZSTD_isError(left) || !sink_add(sink, buffers->out, output.pos))
			return false;
		*ret_is_end = left == 0;
		is_full = output.pos == output.size;
	}
	return true;
}

/** Write the content of @entry to @sink; false with errno, which is 0 if it is damaged. */
static bool unpack(const struct pack *pack, const struct pack_entry *entry, struct sink *sink)
{
	CLEANUP(freep) struct buffers *buffers = xcalloc(1, sizeof(*buffers));
	ZSTD_DStream *stream = ZSTD_createDStream();
	uint64_t done = 0;
	bool is_end = !(entry->flags & PACK_ZSTD), ok = stream != NULL;
	struct err err;

	while (ok && done < entry->stored_size) {
		uint64_t left = entry->stored_size - done;
		ZSTD_inBuffer input = { buffers->in, left < BUFFER_BYTES ? left : BUFFER_BYTES, 0 };

		ok = read_at(pack, buffers->in, input.size, entry->stored_offset + done, &err) &&
		     (entry->flags & PACK_ZSTD ? decompress(stream, input, buffers, sink, &is_end)
					       : sink_add(sink, buffers->in, input.size));
		done += input.size;
	}
	ZSTD_freeDStream(stream);
	if (ok)
		errno = 0;
	return ok && is_end && sink->left == 0 && XXH64_digest(sink->hash) == entry->content_hash;
}

/** A file in memory with the content of @entry; -1 with the reason. */
static int unpack_to_memory(struct pack *pack, const struct pack_entry *entry,
			    const char **ret_problem)
{
	CLEANUP(fd_close) int fd = memfd_create("elfault-pack", MFD_CLOEXEC);
	struct sink sink = {
		.fd = fd,
		.ranges = pack->ranges + entry->first_range,
		.left = entry->content_size,
	};

	if (!memory_allows(pack->unpacked + entry->content_size)) {
		*ret_problem = "the pack has more of it than memory is allowed";
		return -1;
	}
	if (fd < 0 || ftruncate(fd, (off_t)entry->size) != 0) { // < size_max
		*ret_problem = strerror(errno);
		return -1;
	}
	sink.hash = XXH64_createState();
	XXH64_reset(sink.hash, 0);
	bool ok = unpack(pack, entry, &sink);

	*ret_problem = errno ? strerror(errno) : "its content in the pack is damaged";
	XXH64_freeState(sink.hash);
	if (!ok)
		return -1;
	pack->unpacked += entry->content_size;
	int result = fd;
	fd = -1; // NOLINT(clang-analyzer-deadcode.DeadStores): fd_close() reads it
	return result;
}

bool pack_get(struct pack *pack, uint32_t index, struct depot_file *ret_found)
{
	const struct pack_entry *entry = &pack->entries[index];
	struct depot_file found = {
		.fd = -1,
		.status = {
			.st_mode = entry->mode,
			.st_size = (off_t)entry->size, // at most size_max
			.st_dev = entry->device,
			.st_ino = entry->inode,
			// Modulo 2^64: what is before the epoch comes out as it was.
			.st_mtim = { .tv_sec = (time_t)(entry->mtime_ns / 1000000000),
				     .tv_nsec = (long)(entry->mtime_ns % 1000000000) },
		},
		.place = pack->names + entry->path,
		.is_packed = true,
		.known = pack->ranges + entry->first_range,
		.known_count = entry->range_count,
		.debug = entry->debug,
		.shared = entry->shared,
	};

	if (!S_ISREG(entry->mode))
		found.problem = "not a regular file";
	else
		found.fd = unpack_to_memory(pack, entry, &found.problem);
	if (found.fd >= 0)
		found.problem = NULL;
	*ret_found = found;
	return true;
}

bool pack_find(struct pack *pack, const char *path, struct depot_file *ret_found)
{
	for (uint32_t i = 0; i < pack->header.entry_count; i++)
		if (strcmp(pack->names + pack->entries[i].path, path) == 0)
			return pack_get(pack, i, ret_found);
	return false;
}
