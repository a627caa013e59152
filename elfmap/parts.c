// SPDX-License-Identifier: Apache-2.0
// A file of which only parts are known: laid out in a file in memory that has holes, since libelf
// reads through a descriptor, with a list of what is known, since a hole is not zeros.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/order.h"
#include "base/search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/** Address space for the file is taken by its size, whatever is known of it. */
static const uint64_t size_max = UINT64_C(64) << 30;

ORDER_OF(compare_ranges, range, ORDER(x->start, y->start))

/** Sort, and join what overlaps or touches. */
static void join_known(struct elfmap_content *file)
{
	size_t joined = 0;

	if (file->known_count == 0)
		return;
	qsort(file->known, file->known_count, sizeof(*file->known), compare_ranges);
	for (size_t i = 1; i < file->known_count; i++) {
		if (file->known[i].start > file->known[joined].end)
			file->known[++joined] = file->known[i];
		else if (file->known[i].end > file->known[joined].end)
			file->known[joined].end = file->known[i].end;
	}
	file->known_count = joined + 1;
}

static bool write_part(int fd, const struct elfmap_part *part)
{
	uint64_t done = 0;

	while (done < part->size) {
		ssize_t written = pwrite(fd, part->bytes + done, part->size - done,
					 (off_t)(part->offset + done)); // below size_max

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		done += (uint64_t)written;
	}
	return true;
}

bool elfmap_lay_out_parts(struct elfmap *map, const struct elfmap_parts *from, struct err *err)
{
	struct elfmap_content *file = &map->file;

	if (from->file_size > size_max)
		return err_set(err, ERR_INPUT, "%s: file too large (%" PRIu64 " bytes)", from->path,
			       from->file_size);
	file->is_partial = true;
	file->known = arena_array(&map->arena, from->count, sizeof(*file->known));
	map->fd = memfd_create("elfault", MFD_CLOEXEC);
	if (map->fd < 0 || ftruncate(map->fd, (off_t)from->file_size) != 0)
		return err_os(err, "%s: a file in memory", from->path);
	array_foreach (part, from->parts, from->count) {
		if (!checked_within(part->offset, part->size, from->file_size))
			return err_set(err, ERR_INPUT, "%s: the trace has bytes past the end of it",
				       from->path);
		if (!write_part(map->fd, part))
			return err_os(err, "%s: a file in memory", from->path);
		file->known[file->known_count++] =
			(struct range){ part->offset, part->offset + part->size };
	}
	join_known(file);
	return true;
}

void elfmap_know_parts(struct elfmap *map, const struct depot_file *found)
{
	struct elfmap_content *file = &map->file;
	uint64_t size = (uint64_t)found->status.st_size;
	bool is_whole = found->known_count == 1 && found->known[0].start == 0 &&
			found->known[0].end == size;

	if (!found->is_packed || is_whole)
		return;
	file->is_partial = file->is_packed = true;
	file->known =
		arena_copy(&map->arena, found->known, found->known_count * sizeof(*found->known));
	file->known_count = found->known_count;
}

bool elfmap_is_in_parts(const struct elfmap *map, uint64_t offset, uint64_t size)
{
	const struct elfmap_content *file = &map->file;

	if (size == 0)
		return true;
	size_t past = search_first(file->known_count, i, file->known[i].start > offset);

	return past > 0 && file->known[past - 1].end >= offset &&
	       size <= file->known[past - 1].end - offset;
}
