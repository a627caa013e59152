// SPDX-License-Identifier: Apache-2.0
// Writes packs: contents first, as they are compressed, then the table and header before them.
#include "depot/pack.h"

#include "base/readfull.h"
#include "base/strbuf.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
	BUFFER_BYTES = 1 << 18,
	LEVEL = 6,	  // of zstd: 3 is 5 % larger, 12 takes thrice the time for 2 %
	RATIO_MOST = 900, // below what readers allow
};

void pack_list_deinit(struct pack_list *list)
{
	vec_foreach (item, &list->items)
		fd_close(&item->fd);
	vec_deinit(&list->items);
	arena_deinit(&list->arena);
}

uint32_t pack_list_add(struct pack_list *list, const struct pack_item *item)
{
	struct pack_item copy = *item;

	for (size_t i = 0; i < list->items.count; i++)
		if (strcmp(list->items.items[i].path, item->path) == 0)
			return (uint32_t)(i + 1);
	copy.path = arena_strdup(&list->arena, item->path);
	copy.build_id = arena_copy(&list->arena, item->build_id, item->build_id_size);
	copy.ranges =
		arena_copy(&list->arena, item->ranges, item->range_count * sizeof(*item->ranges));
	copy.fd = item->fd < 0 ? -1 : fcntl(item->fd, F_DUPFD_CLOEXEC, 3);
	vec_push(&list->items, copy);
	return (uint32_t)list->items.count;
}

/** The written part of one stream, and its hash. */
struct stream {
	FILE *out;
	uint64_t size;
	XXH64_state_t *hash;
};

static bool stream_add(struct stream *stream, const void *bytes, size_t size)
{
	XXH64_update(stream->hash, bytes, size);
	stream->size += size;
	return size == 0 || fwrite(bytes, size, 1, stream->out) == 1;
}

/** Work in progress, of one content after the other. */
struct writer {
	FILE *out;
	ZSTD_CCtx *zstd;
	XXH64_state_t *content_hash, *stored_hash;
	uint8_t in[BUFFER_BYTES], out_bytes[BUFFER_BYTES];
};

/** Compress @size bytes of writer.in, or end the frame where @is_end. */
static bool compress(struct writer *writer, size_t size, bool is_end, struct stream *stored)
{
	ZSTD_inBuffer input = { writer->in, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer output = { writer->out_bytes, BUFFER_BYTES, 0 };

		left = ZSTD_compressStream2(writer->zstd, &output, &input,
					    is_end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left) || !stream_add(stored, writer->out_bytes, output.pos))
			return false;
	} while (is_end ? left > 0 : input.pos < input.size);
	return true;
}

static bool read_piece(const struct pack_item *item, uint64_t offset, uint8_t *bytes, size_t size,
		       struct err *err)
{
	if (pread_full(item->fd, bytes, size, offset) == size)
		return true;
	return errno ? err_os(err, "%s", item->path)
		     : err_set(err, ERR_INPUT, "%s: was cut while it was packed", item->path);
}

/** Write the ranges of @item, compressed or as they are, and fill @entry. */
static bool write_ranges(struct writer *writer, const struct pack_item *item, bool is_zstd,
			 struct pack_entry *entry, struct err *err)
{
	struct stream stored = { .out = writer->out, .hash = writer->stored_hash };

	XXH64_reset(writer->content_hash, 0);
	XXH64_reset(writer->stored_hash, 0);
	ZSTD_CCtx_reset(writer->zstd, ZSTD_reset_session_only);
	entry->content_size = 0;
	array_foreach (range, item->ranges, item->range_count) {
		for (uint64_t at = range->start; at < range->end;) {
			uint64_t left = range->end - at;
			size_t size = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;

			if (!read_piece(item, at, writer->in, size, err))
				return false;
			XXH64_update(writer->content_hash, writer->in, size);
			if (!(is_zstd ? compress(writer, size, false, &stored)
				      : stream_add(&stored, writer->in, size)))
				return err_os(err, "writing");
			at += size;
			entry->content_size += size;
		}
	}
	if (is_zstd && !compress(writer, 0, true, &stored))
		return err_os(err, "writing");
	entry->flags = is_zstd ? PACK_ZSTD : 0;
	entry->stored_size = stored.size;
	entry->stored_hash = XXH64_digest(writer->stored_hash);
	entry->content_hash = XXH64_digest(writer->content_hash);
	return true;
}

static bool write_content(struct writer *writer, const struct pack_item *item,
			  struct pack_entry *entry, struct err *err)
{
	off_t start = ftello(writer->out);

	entry->stored_offset = (uint64_t)start;
	entry->stored_hash = entry->content_hash = XXH64("", 0, 0);
	if (item->range_count == 0)
		return true;
	if (!write_ranges(writer, item, true, entry, err))
		return false;
	// Readers refuse what grows more: it would be a way to fill their memory.
	if (entry->content_size / RATIO_MOST < entry->stored_size)
		return true;
	return (fseeko(writer->out, start, SEEK_SET) == 0 || err_os(err, "writing")) &&
	       write_ranges(writer, item, false, entry, err);
}

static bool copy_trace(struct writer *writer, int trace, struct pack_header *header,
		       struct err *err)
{
	struct stream stored = { .out = writer->out, .hash = writer->stored_hash };
	size_t got;

	XXH64_reset(writer->stored_hash, 0);
	do {
		got = pread_full(trace, writer->in, BUFFER_BYTES, stored.size);
		if (got < BUFFER_BYTES && errno)
			return err_os(err, "reading the trace");
		if (!stream_add(&stored, writer->in, got))
			return err_os(err, "writing");
	} while (got == BUFFER_BYTES);
	header->trace_size = stored.size;
	header->trace_hash = XXH64_digest(writer->stored_hash);
	return true;
}

static struct pack_entry entry_of(const struct pack_item *item, uint32_t path, uint32_t range)
{
	const struct stat *status = &item->status;
	struct pack_entry entry = {
		.size = (uint64_t)status->st_size,
		.mtime_ns = (uint64_t)status->st_mtim.tv_sec * 1000000000 +
			    (uint64_t)status->st_mtim.tv_nsec,
		.device = status->st_dev,
		.inode = status->st_ino,
		.mode = status->st_mode,
		.first_range = range,
		.range_count = (uint32_t)item->range_count, // of a file's pages, at most 2^24
		.path = path,
		.debug = item->debug,
		.shared = item->shared,
		.build_id_size = item->build_id_size,
	};

	memcpy(entry.build_id, item->build_id, item->build_id_size);
	return entry;
}

/** The table as it is stored, but for what becomes known as contents are written. */
struct table {
	VEC(struct pack_entry) entries;
	VEC(struct pack_range) ranges;
	struct strbuf names;
};

static void table_deinit(struct table *table)
{
	vec_deinit(&table->entries);
	vec_deinit(&table->ranges);
	strbuf_deinit(&table->names);
}

static void table_fill(struct table *table, const char *name, const struct pack_list *list)
{
	strbuf_add(&table->names, name, strlen(name) + 1);
	vec_foreach (item, &list->items) {
		// Paths of so many files do not have 4 GiB.
		vec_push(&table->entries, entry_of(item, (uint32_t)table->names.length,
						   (uint32_t)table->ranges.count));
		strbuf_add(&table->names, item->path, strlen(item->path) + 1);
		array_foreach (range, item->ranges, item->range_count)
			vec_push(&table->ranges,
				 (struct pack_range){ htole64(range->start), htole64(range->end) });
	}
}

static uint64_t table_size(const struct table *table)
{
	return table->entries.count * sizeof(struct pack_entry) +
	       table->ranges.count * sizeof(struct pack_range) + table->names.length;
}

/** Write header and table, at the beginning. */
static bool write_table(struct writer *writer, struct table *table, struct pack_header *header)
{
	struct stream stored = { .out = writer->out, .hash = writer->stored_hash };

	XXH64_reset(writer->stored_hash, 0);
	vec_foreach (entry, &table->entries)
		pack_swap_entry(entry);
	bool ok = fseeko(writer->out, sizeof(*header), SEEK_SET) == 0 &&
		  stream_add(&stored, table->entries.items,
			     table->entries.count * sizeof(struct pack_entry)) &&
		  stream_add(&stored, table->ranges.items,
			     table->ranges.count * sizeof(struct pack_range)) &&
		  stream_add(&stored, table->names.text, table->names.length);

	memcpy(header->magic, PACK_MAGIC, PACK_MAGIC_SIZE);
	header->version = htole32(PACK_VERSION);
	header->entry_count = htole32((uint32_t)table->entries.count);
	header->range_count = htole32((uint32_t)table->ranges.count);
	header->names_size = htole32((uint32_t)table->names.length);
	header->trace_offset = htole64(header->trace_offset);
	header->trace_size = htole64(header->trace_size);
	header->file_size = htole64(header->file_size);
	header->trace_hash = htole64(header->trace_hash);
	header->table_hash = htole64(XXH64_digest(writer->stored_hash));
	header->header_hash = htole64(XXH64(header, offsetof(struct pack_header, header_hash), 0));
	return ok && fseeko(writer->out, 0, SEEK_SET) == 0 &&
	       fwrite(header, sizeof(*header), 1, writer->out) == 1 && fflush(writer->out) == 0;
}

static bool write_all(struct writer *writer, const char *name, int trace,
		      const struct pack_list *list, struct err *err)
{
	CLEANUP(table_deinit) struct table table = { 0 };
	struct pack_header header = { 0 };

	table_fill(&table, name, list);
	header.trace_offset = sizeof(header) + table_size(&table);
	if (fseeko(writer->out, (off_t)header.trace_offset, SEEK_SET) != 0)
		return err_os(err, "writing");
	if (!copy_trace(writer, trace, &header, err))
		return false;
	for (size_t i = 0; i < list->items.count; i++)
		if (!write_content(writer, &list->items.items[i], &table.entries.items[i], err))
			return false;
	header.file_size = (uint64_t)ftello(writer->out);
	// A content that was written a second time may have been longer at first.
	if (fflush(writer->out) != 0 ||
	    ftruncate(fileno(writer->out), (off_t)header.file_size) != 0)
		return err_os(err, "writing");
	return write_table(writer, &table, &header) || err_os(err, "writing");
}

bool pack_write(FILE *out, const char *name, int trace, const struct pack_list *list,
		struct err *err)
{
	CLEANUP(freep) struct writer *writer = xcalloc(1, sizeof(*writer));

	writer->out = out;
	writer->zstd = ZSTD_createCCtx();
	writer->content_hash = XXH64_createState();
	writer->stored_hash = XXH64_createState();
	bool ok = writer->zstd && writer->content_hash && writer->stored_hash;

	if (ok) {
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
		ok = write_all(writer, name, trace, list, err);
	} else {
		err_os(err, "compressing");
	}
	ZSTD_freeCCtx(writer->zstd);
	XXH64_freeState(writer->content_hash);
	XXH64_freeState(writer->stored_hash);
	return ok;
}
