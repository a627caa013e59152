// SPDX-License-Identifier: Apache-2.0
// An ELF file as processes map it: which sections a mapping holds, byte by byte. With
// correlate/replay/aspace.c the place where addresses and vaddrs become each other.
#include "inspect/smaps/attribute.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/range.h"
#include "base/search.h"
#include "elfmap/elfmap.h"
#include "elfmap/headers/elfheaders.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A section as it lies in memory. */
struct section {
	struct range vaddrs;
	const char *name;
};

struct smaps_image {
	struct elfmap *map;
	uint64_t page_size;
	VEC(struct section) sections; // by vaddr; none reaches into the next
	bool has_bias;
	uint64_t bias; // of the mapping before
	uint64_t end;  // of the mapping before, as an address
};

// ---- Opening ----------------------------------------------------------------------------------

ORDER_OF(compare_sections, section,
	 ORDER(x->vaddrs.start, y->vaddrs.start) ?: ORDER(y->vaddrs.end, x->vaddrs.end))

/** Those that take room in memory. Of two that overlap, which no linker makes, the first wins. */
static void list_sections(struct smaps_image *image)
{
	size_t count, kept = 0;
	const struct elfmap_section *from = elfmap_sections(image->map, &count);

	for (size_t i = 0; i < count; i++)
		if (from[i].segment >= 0 && from[i].size > 0 &&
		    (from[i].has_bytes || !(from[i].flags & SHF_TLS)))
			vec_push(&image->sections,
				 (struct section){ { from[i].vaddr, from[i].vaddr + from[i].size },
						   from[i].name });
	vec_sort(&image->sections, compare_sections);
	vec_foreach (section, &image->sections) {
		struct section *last = kept > 0 ? &image->sections.items[kept - 1] : NULL;

		if (last && section->vaddrs.start < last->vaddrs.end)
			section->vaddrs.start = last->vaddrs.end;
		if (section->vaddrs.start < section->vaddrs.end)
			image->sections.items[kept++] = *section;
	}
	image->sections.count = kept;
}

/**
 * Whether the file at @path is the mapped one. Only the inode is compared: of overlayfs and btrfs
 * stat() has another device than the kernel's list of mappings.
 */
static bool is_file_of(const char *path, const struct smaps_mapping *mapping)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino == mapping->inode;
}

struct smaps_image *smaps_image_open(const struct smaps_mapping *mapping, uint32_t pid,
				     bool is_forced, uint64_t page_size, struct err *err)
{
	struct elfmap *map = NULL;
	char inside[4200];
	const char *path = mapping->path;

	snprintf(inside, sizeof(inside), "/proc/%" PRIu32 "/root%s", pid, mapping->path);
	if (!is_file_of(path, mapping) && pid != 0 && is_file_of(inside, mapping))
		path = inside;
	else if (access(path, F_OK) != 0) {
		err_set(err, ERR_MISMATCH, "%s: %s; sections unavailable", path,
			errno == ENOENT || errno == ENOTDIR ? "does not exist here"
							    : err_text(errno));
		return NULL;
	} else if (!is_forced && !is_file_of(path, mapping)) {
		err_set(err, ERR_MISMATCH,
			"%s: no longer the mapped file (inode %" PRIu64
			"); sections unavailable (--force takes the one that is there)",
			mapping->path, mapping->inode);
		return NULL;
	}
	if (!elfmap_open(path, &(struct elfmap_options){ .no_debug_files = true }, &map, err))
		return NULL;

	struct smaps_image *image = xcalloc(1, sizeof(*image));

	image->map = map;
	image->page_size = page_size;
	list_sections(image);
	return image;
}

void smaps_image_close(struct smaps_image *image)
{
	if (!image)
		return;
	elfmap_close(image->map);
	vec_deinit(&image->sections);
	free(image);
}

void smaps_image_restart(struct smaps_image *image)
{
	image->has_bias = false;
}

// ---- Pieces -----------------------------------------------------------------------------------

static void add_piece(struct smaps_pieces *pieces, uint64_t start, uint64_t end, const char *name)
{
	size_t count = pieces->list.count;

	if (start >= end)
		return;
	if (count > 0 && pieces->list.items[count - 1].end == start &&
	    strcmp(pieces->list.items[count - 1].name, name) == 0) {
		pieces->list.items[count - 1].end = end;
		return;
	}
	vec_push(&pieces->list, (struct smaps_piece){ start, end, name });
}

/** Name the bytes at @vaddr outside sections and headers: padding, if there are sections at all. */
static const char *name_gap(struct smaps_image *image, uint64_t vaddr)
{
	static const char *const segments[] = {
		"[--- segment]", "[--x segment]", "[-w- segment]", "[-wx segment]",
		"[r-- segment]", "[r-x segment]", "[rw- segment]", "[rwx segment]",
	};
	struct elfmap_place place;

	elfmap_locate(image->map, vaddr, &place);
	return image->sections.count > 0 || !place.segment ? "[padding]"
							   : segments[place.segment->flags & 7];
}

/** Add the bytes between sections: headers, or padding. */
static void add_gap(struct smaps_image *image, struct smaps_pieces *pieces, struct range vaddrs)
{
	const struct elfmap_info *info = elfmap_info(image->map);
	struct elfmap_place place;
	uint64_t vaddr = vaddrs.start;

	// The file's header, then its program headers: each piece is as long as what it is.
	for (int i = 0; i < 2 && vaddr < vaddrs.end; i++) {
		uint64_t size;
		size_t count;

		elfmap_locate(image->map, vaddr, &place);
		elfmap_segments(image->map, &count);
		if (strcmp(place.section_name, "[elf-header]") == 0)
			size = elfheaders_size(info->is_64bit) - place.offset;
		else if (strcmp(place.section_name, "[program-headers]") == 0)
			size = count * elfheaders_segment_size(info->is_64bit);
		else
			break;

		uint64_t end = size < vaddrs.end - vaddr ? vaddr + size : vaddrs.end;

		add_piece(pieces, vaddr + image->bias, end + image->bias, place.section_name);
		vaddr = end;
	}
	if (vaddr < vaddrs.end)
		add_piece(pieces, vaddr + image->bias, vaddrs.end + image->bias,
			  name_gap(image, vaddr));
}

/** Add the pieces of @vaddrs as loaded. */
static void add_range(struct smaps_image *image, struct smaps_pieces *pieces, struct range vaddrs)
{
	const struct section *sections = image->sections.items;
	size_t count = image->sections.count;
	size_t i = search_first(count, at, sections[at].vaddrs.end > vaddrs.start);
	uint64_t vaddr = vaddrs.start;

	for (; i < count && sections[i].vaddrs.start < vaddrs.end; i++) {
		struct range part = sections[i].vaddrs;

		if (part.start > vaddr)
			add_gap(image, pieces, (struct range){ vaddr, part.start });
		else
			part.start = vaddr;
		if (part.end > vaddrs.end)
			part.end = vaddrs.end;
		add_piece(pieces, part.start + image->bias, part.end + image->bias,
			  sections[i].name);
		vaddr = part.end;
	}
	if (vaddr < vaddrs.end)
		add_gap(image, pieces, (struct range){ vaddr, vaddrs.end });
}

/** Whether @mapping may show @segment: its pages are those of the segment's file part. */
static bool shows(const struct smaps_image *image, const struct elfmap_segment *segment,
		  const struct smaps_mapping *mapping)
{
	uint64_t first = align_down(segment->offset, image->page_size);
	uint64_t last = align_up(segment->offset + segment->file_size, image->page_size);

	return segment->type == PT_LOAD && segment->file_size > 0 && mapping->offset >= first &&
	       mapping->offset < last && mapping->end - mapping->start <= last - mapping->offset;
}

static uint64_t vaddr_of(const struct smaps_image *image, const struct elfmap_segment *segment,
			 const struct smaps_mapping *mapping)
{
	return align_down(segment->vaddr, image->page_size) +
	       (mapping->offset - align_down(segment->offset, image->page_size));
}

/**
 * The segment that @mapping shows. Two may have a page of the file in common: then it is the one
 * that lies where the mapping before has put the image.
 */
static const struct elfmap_segment *find_segment(const struct smaps_image *image,
						 const struct smaps_mapping *mapping)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(image->map, &count);
	const struct elfmap_segment *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!shows(image, &segments[i], mapping))
			continue;
		if (image->has_bias &&
		    mapping->start - vaddr_of(image, &segments[i], mapping) == image->bias)
			return &segments[i];
		if (!found)
			found = &segments[i];
	}
	return found;
}

bool smaps_image_file(struct smaps_image *image, const struct smaps_mapping *mapping,
		      struct smaps_pieces *ret_pieces)
{
	const struct elfmap_segment *segment = find_segment(image, mapping);

	if (!segment)
		return false;

	uint64_t vaddr = vaddr_of(image, segment, mapping);

	image->has_bias = true;
	image->bias = mapping->start - vaddr;
	image->end = mapping->end;
	// Nothing of a neighbour that shares a page of the file is in use here.
	struct range all = { vaddr, vaddr + (mapping->end - mapping->start) };
	struct range used = { segment->vaddr, segment->vaddr + segment->memory_size };

	if (all.end < all.start || !range_overlaps(all, used))
		return false;
	if (used.start > all.start)
		add_piece(ret_pieces, mapping->start, used.start + image->bias, "[padding]");
	else
		used.start = all.start;
	if (used.end > all.end)
		used.end = all.end;
	add_range(image, ret_pieces, used);
	add_piece(ret_pieces, used.end + image->bias, mapping->end, "[padding]");
	return true;
}

/**
 * The zero-filled pages of a segment that a mapping at @vaddr shows: they begin there, or go on.
 * A segment may have no other pages.
 */
static bool find_zeros(const struct smaps_image *image, uint64_t vaddr, bool goes_on,
		       struct range *ret_zeros)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(image->map, &count);

	array_foreach (segment, segments, count) {
		uint64_t first =
			segment->file_size > 0
				? align_up(segment->vaddr + segment->file_size, image->page_size)
				: align_down(segment->vaddr, image->page_size);

		*ret_zeros = (struct range){ first, align_up(segment->vaddr + segment->memory_size,
							     image->page_size) };
		if (segment->type == PT_LOAD && (vaddr == first || goes_on) &&
		    range_contains(*ret_zeros, vaddr))
			return true;
	}
	return false;
}

bool smaps_image_zeros(struct smaps_image *image, const struct smaps_mapping *mapping,
		       const char *rest, struct smaps_pieces *ret_pieces)
{
	uint64_t vaddr = mapping->start - image->bias, size = mapping->end - mapping->start;
	struct range zeros;

	if (!image->has_bias || !find_zeros(image, vaddr, mapping->start == image->end, &zeros))
		return false;

	struct range used = { vaddr, size < zeros.end - vaddr ? vaddr + size : zeros.end };

	add_range(image, ret_pieces, used);
	add_piece(ret_pieces, used.end + image->bias, mapping->end, rest);
	image->end = mapping->end;
	return true;
}
