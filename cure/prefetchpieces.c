// SPDX-License-Identifier: Apache-2.0
// From pages to a list: pages that lie together are asked for together, when the first is needed.
#include "cure/prefetchmaker.h"

#include "base/cleanup.h"
#include "base/order.h"

#include <stdio.h>

struct piece {
	double when;
	uint64_t start, end; // bytes of the file
	uint32_t file;
	enum prefetch_why why;
};

struct pieces {
	VEC(struct piece) list;
};

ORDER_OF(compare_pages, made_page, ORDER(x->file, y->file) ?: ORDER(x->number, y->number))

ORDER_OF(compare_pieces, piece,
	 ORDER(x->when, y->when) ?: ORDER(x->file, y->file) ?: ORDER(x->start, y->start))

/** Make @page part of @piece if it lies near. Larger gaps are worth larger pieces. */
static bool extend(struct piece *piece, const struct made_page *page, uint64_t page_size,
		   uint64_t gap)
{
	uint64_t start = page->number * page_size;
	uint64_t most = gap * 4 > PREFETCH_RANGE_MAX ? gap * 4 : PREFETCH_RANGE_MAX;

	if (page->file != piece->file || start - piece->end > gap ||
	    start + page_size - piece->start > most)
		return false;
	piece->end = start + page_size;
	// Of what is used first, but a window is said to be one.
	if (page->when < piece->when) {
		piece->when = page->when;
		piece->why = page->why == PREFETCH_FAULT && piece->why == PREFETCH_WINDOW
				     ? PREFETCH_WINDOW
				     : page->why;
	} else if (piece->why == PREFETCH_FAULT && page->why == PREFETCH_WINDOW) {
		piece->why = PREFETCH_WINDOW;
	}
	return true;
}

static void make_pieces(struct prefetch_maker *maker, uint64_t gap, struct pieces *pieces)
{
	struct piece *last = NULL;

	vec_sort(&maker->pages, compare_pages);
	vec_foreach (page, &maker->pages) {
		uint64_t start = page->number * maker->page_size;

		if (maker->files.items[page->file].is_left_out)
			continue;
		if (last && extend(last, page, maker->page_size, gap))
			continue;
		vec_push(&pieces->list, (struct piece){ page->when, start, start + maker->page_size,
							page->file, page->why });
		last = &pieces->list.items[pieces->list.count - 1];
	}
	vec_sort(&pieces->list, compare_pieces);
}

static void parse_build_id(const char *hex, struct prefetch_file *file)
{
	unsigned int byte;

	for (; hex && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		file->build_id[file->build_id_size++] = (uint8_t)byte;
}

static struct prefetch_file file_of(const struct model_used_file *from, struct arena *arena)
{
	int64_t mtime = (int64_t)from->mtime_ns, ns = mtime % 1000000000;
	struct prefetch_file file = {
		.path = arena_strdup(arena, from->path),
		.size = from->size,
		.mtime_s = mtime / 1000000000 - (ns < 0),
		.mtime_ns = (uint32_t)(ns < 0 ? ns + 1000000000 : ns),
	};

	parse_build_id(from->build_id, &file);
	return file;
}

struct prefetch_list prefetch_maker_finish(struct prefetch_maker *maker, uint64_t gap,
					   struct arena *arena, struct notes *notes)
{
	CLEANUP(vec_release) struct pieces pieces = { 0 };
	CLEANUP(freep) uint32_t *places = xcalloc(maker->files.count + 1, sizeof(*places));
	struct prefetch_list list = { 0 };

	make_pieces(maker, gap, &pieces);
	list.files = arena_array(arena, maker->files.count + 1, sizeof(*list.files));
	list.ranges = arena_array(arena, pieces.list.count + 1, sizeof(*list.ranges));
	vec_foreach (piece, &pieces.list) {
		const struct model_used_file *from = &maker->files.items[piece->file].known;
		uint64_t end = piece->end < from->size ? piece->end : from->size;

		if (places[piece->file] == 0) {
			list.files[list.file_count++] = file_of(from, arena);
			places[piece->file] = (uint32_t)list.file_count;
		}
		list.ranges[list.range_count++] =
			(struct prefetch_range){ piece->start, end - piece->start,
						 places[piece->file] - 1, piece->why };
	}
	notes_merge(notes, &maker->notes);
	return list;
}
