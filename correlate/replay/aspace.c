// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/aspace.h"

#include "base/checked.h"
#include "base/range.h"
#include "base/search.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <elf.h>

enum {
	STACK_GROWTH_MAX = 64 << 20,
	NEIGHBOURS = 8,	  // areas between an image's data and its .bss: RELRO splits, padding
	IMAGE_AREAS = 16, // areas of one image, from its first on: segments and their splits
};

/** Part of a mapping that is still in force. Never changed once made, so that forks share it. */
struct area {
	struct range addr;
	const struct trace_mapping *mapping;
	uint32_t object;
	uint64_t offset; // in the file, of addr.start; where is_file
	bool is_file;
	bool is_bss; // anonymous, belonging to the ELF file `object`
	// Anonymous, where code of an ELF file was: if it can be executed it is a copy of that.
	bool is_over_code;
	uint32_t code_object;
	uint64_t code_bias;
	// A cache: the load bias, found when it is first asked for (is_bss: from the start).
	bool bias_was_sought, has_bias;
	uint64_t bias;
};

struct aspace {
	struct arena *arena;
	struct objects *objects;
	uint64_t page;		  // bytes: files are mapped by whole ones
	VEC(struct area *) areas; // sorted, disjoint
	uint64_t generation, code_generation;
};

/** A number that no space had so far. */
static uint64_t new_generation(void)
{
	static uint64_t last;

	return ++last;
}

struct aspace *aspace_create(struct arena *arena, struct objects *objects, uint64_t page)
{
	struct aspace *aspace = xcalloc(1, sizeof(*aspace));

	aspace->arena = arena;
	aspace->objects = objects;
	aspace->page = page;
	aspace->generation = aspace->code_generation = new_generation();
	return aspace;
}

struct aspace *aspace_fork(const struct aspace *parent)
{
	struct aspace *child = aspace_create(parent->arena, parent->objects, parent->page);

	vec_reserve(&child->areas, parent->areas.count);
	if (parent->areas.count)
		memcpy(child->areas.items, parent->areas.items,
		       parent->areas.count * sizeof(*parent->areas.items));
	child->areas.count = parent->areas.count;
	child->generation = parent->generation;
	child->code_generation = parent->code_generation;
	return child;
}

void aspace_destroy(struct aspace *aspace)
{
	if (!aspace)
		return;
	vec_deinit(&aspace->areas);
	free(aspace);
}

bool aspace_is_code(const struct area *area)
{
	return area && (area->mapping->protection & TRACE_PROTECTION_EXEC);
}

uint64_t aspace_generation(const struct aspace *aspace, bool of_code)
{
	return of_code ? aspace->code_generation : aspace->generation;
}

/** Index of the first area that ends after @addr. */
static size_t lower_bound(const struct aspace *aspace, uint64_t addr)
{
	return search_first(aspace->areas.count, i, aspace->areas.items[i]->addr.end > addr);
}

static struct area *area_part(struct aspace *aspace, const struct area *whole, struct range addr)
{
	struct area *part = arena_copy(aspace->arena, whole, sizeof(*whole));

	part->addr = addr;
	part->offset = whole->offset + (addr.start - whole->addr.start);
	return part;
}

/** Remove [range) and put @replacement (may be NULL) there, cutting what overlaps. */
static void splice(struct aspace *aspace, struct range range, struct area *replacement)
{
	size_t first = lower_bound(aspace, range.start);
	size_t end = first;
	struct area *pieces[3];
	size_t piece_count = 0;

	bool has_code = aspace_is_code(replacement);

	while (end < aspace->areas.count && aspace->areas.items[end]->addr.start < range.end)
		has_code |= aspace_is_code(aspace->areas.items[end++]);
	if (first < end && aspace->areas.items[first]->addr.start < range.start) {
		const struct area *left = aspace->areas.items[first];

		pieces[piece_count++] =
			area_part(aspace, left, (struct range){ left->addr.start, range.start });
	}
	if (replacement)
		pieces[piece_count++] = replacement;
	if (first < end && aspace->areas.items[end - 1]->addr.end > range.end) {
		const struct area *right = aspace->areas.items[end - 1];

		pieces[piece_count++] =
			area_part(aspace, right, (struct range){ range.end, right->addr.end });
	}

	size_t old_count = end - first;
	size_t tail = aspace->areas.count - end;

	if (old_count + piece_count == 0)
		return;
	vec_reserve(&aspace->areas, aspace->areas.count + piece_count);
	memmove(aspace->areas.items + first + piece_count, aspace->areas.items + end,
		tail * sizeof(*aspace->areas.items));
	memcpy(aspace->areas.items + first, pieces, piece_count * sizeof(*pieces));
	aspace->areas.count = aspace->areas.count - old_count + piece_count;
	aspace->generation = new_generation();
	if (has_code)
		aspace->code_generation = aspace->generation;
}

static bool is_load(const struct elfmap_segment *segment)
{
	return segment->type == PT_LOAD && segment->memory_size > 0;
}

static bool same_protection(const struct elfmap_segment *segment,
			    const struct trace_mapping *mapping)
{
	return !!(segment->flags & PF_X) == !!(mapping->protection & TRACE_PROTECTION_EXEC) &&
	       !!(segment->flags & PF_W) == !!(mapping->protection & TRACE_PROTECTION_WRITE);
}

/** How well @segment explains a mapping that shows its bytes; 0: not at all. */
static int fit(const struct aspace *aspace, const struct elfmap_segment *segment,
	       const struct area *area)
{
	uint64_t first = align_down(segment->offset, aspace->page);
	uint64_t end = align_up(segment->offset + segment->file_size, aspace->page);

	if (!is_load(segment) || area->offset < first || area->offset >= end)
		return 0;
	return 1 + (area->mapping->offset == first ? 2 : 0) +
	       (same_protection(segment, area->mapping) ? 1 : 0);
}

/** The load bias if @area shows @segment. */
static uint64_t bias_by(const struct elfmap_segment *segment, const struct area *area)
{
	return area->addr.start - (area->offset - segment->offset + segment->vaddr);
}

/** The segment that explains @area best when looked at alone; NULL if none does. */
static const struct elfmap_segment *best_segment(const struct aspace *aspace,
						 const struct elfmap *map, const struct area *area)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);
	const struct elfmap_segment *best = NULL;
	int best_fit = 0;

	for (size_t i = 0; i < count; i++) {
		int this_fit = fit(aspace, &segments[i], area);

		if (this_fit > best_fit) {
			best = &segments[i];
			best_fit = this_fit;
		}
	}
	return best;
}

/**
 * The segment of @area that gives it the bias of the image it belongs to: lld and mold let segments
 * share a page of the file, which is then mapped twice with the same protection. The image's bias
 * is that of a mapping of the file's start not far below.
 */
static const struct elfmap_segment *
segment_of_image(const struct aspace *aspace, const struct elfmap *map, const struct area *area)
{
	size_t at = lower_bound(aspace, area->addr.start);
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	for (size_t back = 1; back <= IMAGE_AREAS && back <= at; back++) {
		const struct area *start = aspace->areas.items[at - back];

		if (!start->is_file || start->object != area->object || start->offset != 0)
			continue;
		const struct elfmap_segment *first = best_segment(aspace, map, start);
		if (!first)
			continue;
		for (size_t i = 0; i < count; i++)
			if (fit(aspace, &segments[i], area) &&
			    bias_by(&segments[i], area) == bias_by(first, start))
				return &segments[i];
	}
	return NULL;
}

/** vaddr = addr - bias: from the segment that the mapping shows. */
static bool seek_bias(struct aspace *aspace, struct area *area)
{
	if (area->bias_was_sought)
		return area->has_bias;
	area->bias_was_sought = true;

	struct elfmap *map = objects_map(aspace->objects, area->object);
	if (!map)
		return false;

	const struct elfmap_segment *segment = segment_of_image(aspace, map, area);
	if (!segment)
		segment = best_segment(aspace, map, area);
	if (!segment)
		return false;
	area->has_bias = true;
	area->bias = bias_by(segment, area);
	return true;
}

/** The anonymous pages that loading @segment with @bias makes. */
static struct range bss_range(const struct aspace *aspace, const struct elfmap_segment *segment,
			      uint64_t bias)
{
	const uint64_t page = aspace->page;
	uint64_t file_end = segment->vaddr + segment->file_size;
	// A segment without file bytes is anonymous from its first page on.
	uint64_t start =
		segment->file_size ? align_up(file_end, page) : align_down(segment->vaddr, page);

	return (struct range){ bias + start,
			       bias + align_up(segment->vaddr + segment->memory_size, page) };
}

/** True if all of @addr is known to be memory outside files. */
static bool is_anonymous(const struct aspace *aspace, struct range addr)
{
	size_t at = lower_bound(aspace, addr.start);

	for (; addr.start < addr.end; at++) {
		if (at >= aspace->areas.count || aspace->areas.items[at]->is_file ||
		    !range_contains(aspace->areas.items[at]->addr, addr.start))
			return false;
		addr.start = aspace->areas.items[at]->addr.end;
	}
	return true;
}

/**
 * The .bss that @addr begins in, where mprotect changes a part of it, cuts it in pieces and makes
 * one area of them again: up to *@ret_end; NULL if @addr does not begin in one, or is memory mapped
 * anew where an image was. The kernel reports whole areas: what follows .bss without a gap, such as
 * the heap, may be one area with it.
 */
static const struct area *known_bss(const struct aspace *aspace, struct range addr,
				    uint64_t *ret_end)
{
	size_t at = lower_bound(aspace, addr.start);

	if (at >= aspace->areas.count || !aspace->areas.items[at]->is_bss ||
	    aspace->areas.items[at]->addr.start > addr.start)
		return NULL;
	const struct area *here = aspace->areas.items[at];
	uint64_t end = here->addr.end;
	while (end < addr.end && ++at < aspace->areas.count) {
		const struct area *next = aspace->areas.items[at];

		if (!next->is_bss || next->addr.start != end || next->object != here->object ||
		    next->bias != here->bias)
			break;
		end = next->addr.end;
	}
	*ret_end = end < addr.end ? end : addr.end;
	return here->addr.start == addr.start ||
			       is_anonymous(aspace, (struct range){ *ret_end, addr.end })
		       ? here
		       : NULL;
}

/** The end of the .bss at @bias that @area, a piece of it, does not reach; 0 if it is whole. */
static uint64_t missing_bss_end(const struct aspace *aspace, const struct area *area)
{
	size_t count;
	const struct elfmap_segment *segments =
		elfmap_segments(objects_map(aspace->objects, area->object), &count);

	for (size_t i = 0; i < count; i++) {
		struct range bss = bss_range(aspace, &segments[i], area->bias);

		if (is_load(&segments[i]) && bss.start <= area->addr.start &&
		    area->addr.end < bss.end)
			return bss.end;
	}
	return 0;
}

/** True if the file of @area, an image, is what ends at @addr: its last page before its .bss. */
static bool follows_file(const struct aspace *aspace, const struct area *area, uint64_t addr)
{
	size_t at = lower_bound(aspace, addr - 1);
	const struct area *before = at < aspace->areas.count ? aspace->areas.items[at] : NULL;

	return before && before->is_file && before->object == area->object &&
	       before->addr.start < addr;
}

/**
 * The image whose .bss @addr has exactly the shape of, or begins with, up to *@ret_end; NULL if
 * none. A process that is attached to shows .bss in as many pieces as mprotect has cut it.
 */
static const struct area *bss_owner(struct aspace *aspace, struct range addr, uint64_t *ret_end)
{
	size_t at = lower_bound(aspace, addr.start);

	*ret_end = addr.end;
	if (at > 0 && aspace->areas.items[at - 1]->is_bss &&
	    aspace->areas.items[at - 1]->addr.end == addr.start) {
		const struct area *before = aspace->areas.items[at - 1];
		uint64_t end = missing_bss_end(aspace, before);

		*ret_end = end < addr.end ? end : addr.end;
		if (end)
			return before;
		*ret_end = addr.end;
	}
	for (size_t back = 0; back < NEIGHBOURS && back <= at; back++) {
		if (at - back >= aspace->areas.count)
			continue;
		struct area *area = aspace->areas.items[at - back];

		if (!area->is_file || area->addr.start > addr.start || !seek_bias(aspace, area))
			continue;
		size_t count;
		const struct elfmap_segment *segments =
			elfmap_segments(objects_map(aspace->objects, area->object), &count);
		for (size_t i = 0; i < count; i++) {
			struct range bss;

			if (!is_load(&segments[i]))
				continue;
			bss = bss_range(aspace, &segments[i], area->bias);
			// glibc's ld.so maps a page of the file for such a segment's first bytes.
			if (!segments[i].file_size && bss.start + aspace->page == addr.start &&
			    align_up(segments[i].vaddr, aspace->page) != segments[i].vaddr)
				bss.start += aspace->page;
			if (bss.start != addr.start || bss.start >= bss.end)
				continue;
			// Anonymous memory that was there behind it has become one area with it.
			if (bss.end <= addr.end || follows_file(aspace, area, addr.start)) {
				*ret_end = bss.end < addr.end ? bss.end : addr.end;
				return area;
			}
		}
	}
	return NULL;
}

/**
 * True if the image that @area, the one at @at, is of is still there behind @end, where a mapping
 * ends: what is mapped after a dlclose comes from above.
 */
static bool is_followed(const struct aspace *aspace, const struct area *area, size_t at,
			uint64_t end)
{
	if (area->addr.end > end)
		return true;
	for (size_t i = at + 1; i < aspace->areas.count && i <= at + IMAGE_AREAS; i++)
		if (aspace->areas.items[i]->is_file &&
		    aspace->areas.items[i]->object == area->object)
			return true;
	return false;
}

/**
 * The image whose code the area at @at is, or is mapped over, where a mapping up to @end takes its
 * place; false if there is none.
 */
static bool find_code(struct aspace *aspace, size_t at, uint64_t end, uint32_t *ret_object,
		      uint64_t *ret_bias)
{
	struct area *area = aspace->areas.items[at];

	if (area->is_over_code) {
		*ret_object = area->code_object;
		*ret_bias = area->code_bias;
		return true;
	}
	if (!area->is_file || !aspace_is_code(area) || !is_followed(aspace, area, at, end) ||
	    !seek_bias(aspace, area))
		return false;
	*ret_object = area->object;
	*ret_bias = area->bias;
	return true;
}

/**
 * Note in @area, anonymous memory that is about to be mapped, the image whose code is all that was
 * there: programs copy their code to huge pages at the same addresses, as the kernel has none for
 * files.
 */
static void find_code_below(struct aspace *aspace, struct area *area)
{
	size_t at = lower_bound(aspace, area->addr.start);
	uint64_t addr = area->addr.start, bias;
	uint32_t object;
	bool is_known = false; // that it is a copy, whose protection changes

	area->is_over_code = false;
	for (; addr < area->addr.end; addr = aspace->areas.items[at++]->addr.end) {
		if (at >= aspace->areas.count ||
		    !range_contains(aspace->areas.items[at]->addr, addr) ||
		    !find_code(aspace, at, area->addr.end, &object, &bias) ||
		    (addr > area->addr.start &&
		     (object != area->code_object || bias != area->code_bias)))
			return;
		area->code_object = object;
		area->code_bias = bias;
		is_known = is_known || (aspace->areas.items[at]->is_over_code &&
					aspace_is_code(aspace->areas.items[at]));
	}
	area->is_over_code = true;
	if (aspace_is_code(area) && !is_known)
		objects_note_copy(aspace->objects, area->code_object,
				  (struct range){ area->addr.start - area->code_bias,
						  area->addr.end - area->code_bias });
}

static void keep_area(struct aspace *aspace, const struct area *area)
{
	splice(aspace, area->addr, arena_copy(aspace->arena, area, sizeof(*area)));
}

void aspace_map(struct aspace *aspace, const struct trace_mapping *mapping)
{
	struct range addr = { .start = mapping->addr };

	if (!mapping->size || !checked_add(mapping->addr, mapping->size, &addr.end))
		return;

	struct area area = {
		.mapping = mapping,
		.object = objects_of_mapping(aspace->objects, mapping),
		.offset = mapping->offset,
	};
	size_t count;
	area.is_file = objects_all(aspace->objects, &count)[area.object].is_file;
	if (!area.is_file) {
		uint64_t bss_end;
		const struct area *owner = known_bss(aspace, addr, &bss_end);
		if (!owner)
			owner = bss_owner(aspace, addr, &bss_end);
		if (owner) {
			struct area bss = area;

			bss.is_bss = bss.bias_was_sought = bss.has_bias = true;
			bss.object = owner->object;
			bss.bias = owner->bias;
			bss.addr = (struct range){ addr.start, bss_end };
			keep_area(aspace, &bss);
			addr.start = bss_end;
		}
	}
	area.addr = addr;
	if (!area.is_file && !mapping->is_shared)
		find_code_below(aspace, &area);
	if (addr.start < addr.end)
		keep_area(aspace, &area);
}

void aspace_remap(struct aspace *aspace, const struct trace_remap *remap)
{
	struct range old = { .start = remap->old_addr }, new = { .start = remap->new_addr };

	if (!checked_add(old.start, remap->old_size, &old.end) ||
	    !checked_add(new.start, remap->new_size, &new.end))
		return;

	size_t at = lower_bound(aspace, old.start);
	struct area *moved = NULL;
	if (at < aspace->areas.count && range_contains(aspace->areas.items[at]->addr, old.start) &&
	    new.end > new.start) {
		const struct area *source = aspace->areas.items[at];

		// A growing mapping shows more of the same file; the copy is as long as the new
		// range.
		moved = area_part(aspace, source, (struct range){ old.start, source->addr.end });
		moved->addr = new;
		moved->bias += new.start - old.start;
	}
	if (!remap->keeps_old && old.end > old.start)
		splice(aspace, old, NULL);
	if (moved && !moved->is_file && !moved->is_bss && !moved->mapping->is_shared)
		find_code_below(aspace, moved);
	splice(aspace, new, moved);
}

/** Stack growth is not recorded: an address just below a stack belongs to it. */
static bool find_in_grown_stack(struct aspace *aspace, size_t at, uint64_t addr,
				struct aspace_place *ret_place)
{
	if (at >= aspace->areas.count)
		return false;

	const struct area *above = aspace->areas.items[at];
	if (strncmp(above->mapping->path, "[stack", 6) != 0 ||
	    above->addr.start - addr > STACK_GROWTH_MAX)
		return false;
	*ret_place = (struct aspace_place){ .object = above->object };
	return true;
}

/** True if the file's pages of @segment, as loaded with @area's bias, have @vaddr. */
static bool has_page(uint64_t page, const struct elfmap_segment *segment, const struct area *area,
		     uint64_t vaddr)
{
	return is_load(segment) && bias_by(segment, area) == area->bias &&
	       vaddr >= align_down(segment->vaddr, page) &&
	       vaddr < align_up(segment->vaddr + segment->file_size, page);
}

/**
 * True if @area is what a loader made of the end of @zeroed, which it zeroes behind the file's
 * bytes: the area ends there and shows nothing but segments that are written to.
 */
static bool is_zeroed(uint64_t page, const struct elfmap *map, const struct area *area,
		      const struct elfmap_segment *zeroed)
{
	uint64_t file_end = align_up(zeroed->vaddr + zeroed->file_size, page);
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	if (area->mapping->is_shared || area->addr.end != area->bias + file_end)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((segments[i].flags & PF_W) &&
		    has_page(page, &segments[i], area, area->addr.start - area->bias))
			return true;
	return false;
}

/**
 * True if @vaddr is what the loaded image has at the byte of @area that shows @offset of the file.
 * Where a file is mapped as data, in one piece, only the segment that gave the bias lies as loaded.
 */
static bool is_of_image(uint64_t page, const struct elfmap *map, const struct area *area,
			uint64_t vaddr, uint64_t offset)
{
	uint64_t own_offset;
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);
	bool is_padding = false;

	if (elfmap_vaddr_to_offset(map, vaddr, &own_offset))
		return own_offset == offset;
	array_foreach (segment, segments, count) {
		bool has = has_page(page, segment, area, vaddr);

		if (is_load(segment) && vaddr >= segment->vaddr &&
		    vaddr - segment->vaddr < segment->memory_size)
			return has && is_zeroed(page, map, area, segment);
		is_padding = is_padding || has;
	}
	return is_padding;
}

const struct area *aspace_area(const struct aspace *aspace, uint64_t addr)
{
	size_t at = lower_bound(aspace, addr);

	if (at >= aspace->areas.count || !range_contains(aspace->areas.items[at]->addr, addr))
		return NULL;
	return aspace->areas.items[at];
}

bool aspace_find(struct aspace *aspace, uint64_t addr, struct aspace_place *ret_place)
{
	size_t at = lower_bound(aspace, addr);

	if (at >= aspace->areas.count || !range_contains(aspace->areas.items[at]->addr, addr))
		return find_in_grown_stack(aspace, at, addr, ret_place);

	struct area *area = aspace->areas.items[at];
	bool is_copy = area->is_over_code && aspace_is_code(area);

	*ret_place = (struct aspace_place){
		.object = is_copy ? area->code_object : area->object,
		.mapping = area->mapping,
		.has_offset = area->is_file,
		.offset = area->offset + (addr - area->addr.start),
	};
	if (is_copy) {
		ret_place->has_vaddr = true;
		ret_place->vaddr = addr - area->code_bias;
		return true;
	}
	if (!area->is_bss && !(area->is_file && seek_bias(aspace, area)))
		return true;
	ret_place->vaddr = addr - area->bias;
	ret_place->has_vaddr = area->is_bss ||
			       is_of_image(aspace->page, objects_map(aspace->objects, area->object),
					   area, ret_place->vaddr, ret_place->offset);
	return true;
}
