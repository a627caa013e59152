// SPDX-License-Identifier: Apache-2.0
#include "correlate/answer/listinglines.h"

#include "base/cleanup.h"
#include "base/key.h"
#include "base/order.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
	BESIDE = 2,	 // lines above and below one that cost something
	SPAN_MAX = 5000, // between the first line of a function and its last
};

/** A place in source code. */
struct spot {
	uint32_t file, number;
};

void listinglines_deinit(struct listinglines *lines)
{
	vec_deinit(&lines->files);
	vec_deinit(&lines->opened);
	vec_deinit(&lines->list);
	vec_deinit(&lines->owners);
	u64map_deinit(&lines->file_index);
	u64map_deinit(&lines->index);
}

static uint32_t file_of(struct listinglines *lines, const char *path, size_t length)
{
	const size_t known = lines->files.count;
	const uint32_t row = u64map_row(&lines->file_index, XXH3_64bits(path, length),
					&lines->files, (struct model_listing_file){ 0 });

	if (row == known) {
		struct model_listing_file *file = &lines->files.items[row];
		const struct sourcefile *opened;

		file->path = arena_strndup(lines->arena, path, length);
		opened = sourcefiles_get(lines->sources, file->path);
		file->problem = sourcefile_problem(opened, elfmap_status(lines->map)->st_mtime);
		vec_push(&lines->opened, opened);
	}
	return row;
}

/** Take "file:line" or "file:?" apart. */
static struct spot spot_of(struct listinglines *lines, const char *source)
{
	const char *colon = source ? strrchr(source, ':') : NULL;

	if (!colon)
		return (struct spot){ MODEL_NONE, 0 };
	return (struct spot){ file_of(lines, source, (size_t)(colon - source)),
			      (uint32_t)strtoul(colon + 1, NULL, 10) };
}

static const char *text_at(struct listinglines *lines, struct spot spot)
{
	if (spot.file == MODEL_NONE)
		return NULL;
	return sourcefile_line(lines->opened.items[spot.file], spot.number, lines->arena);
}

/**
 * The row of @at, inlined from @function, if that is not NULL, where @owner has called it; of the
 * function's own lines both are the same.
 */
static uint32_t row_of(struct listinglines *lines, struct spot owner, struct spot at,
		       const char *function, bool adds)
{
	const uint64_t key = key_of((uint64_t)owner.file << 32 | owner.number,
				    (uint64_t)at.file << 32 | at.number,
				    function ? XXH3_64bits(function, strlen(function)) : 0);
	const uint32_t *known = u64map_get(&lines->index, key);

	if (known || !adds)
		return known ? *known : MODEL_NONE;
	const uint32_t own =
		function ? row_of(lines, owner, owner, NULL, true) : (uint32_t)lines->list.count;
	const char *name =
		function && lines->demangle ? elfmap_demangle(lines->map, function) : function;

	*u64map_put(&lines->index, key, NULL) = (uint32_t)lines->list.count;
	vec_push(&lines->owners, own);
	vec_push(&lines->list, (struct model_listing_line){
				       .file = at.file,
				       .number = at.number,
				       .function = arena_strdup(lines->arena, name),
				       .text = text_at(lines, at),
			       });
	return (uint32_t)lines->list.count - 1;
}

uint32_t listinglines_at(struct listinglines *lines, uint64_t vaddr, bool adds)
{
	const struct elfmap_code *code = elfmap_code_at(lines->map, vaddr);

	if (!code)
		return MODEL_NONE;
	const size_t depth = code->inlined_count;
	// Its own file is the first.
	const struct spot owner =
		spot_of(lines, depth > 0 ? code->inlined[depth - 1].source : code->source);

	if (depth == 0)
		return row_of(lines, owner, owner, NULL, adds);
	return row_of(lines, owner, spot_of(lines, code->source),
		      code->inlined[0].function ?: "(no name)", adds);
}

void listinglines_spend(struct listinglines *lines, uint32_t index, const struct model_spent *spent)
{
	model_spent_add(&lines->list.items[index].spent, spent);
	model_spent_add(&lines->list.items[lines->owners.items[index]].with_inlined, spent);
}

/** Add own lines of @file from @first to @last, as far as the file has them. */
static void add_lines(struct listinglines *lines, uint32_t file, uint32_t first, uint32_t last)
{
	for (uint32_t number = first; number <= last; number++) {
		const struct spot at = { file, number };

		if (text_at(lines, at))
			row_of(lines, at, at, NULL, true);
	}
}

void listinglines_surround(struct listinglines *lines, bool is_whole)
{
	const size_t count = lines->list.count;
	uint32_t first = UINT32_MAX, last = 0;

	for (size_t i = 0; i < count; i++) {
		const struct model_listing_line line = lines->list.items[i];

		if (line.function || line.number == 0 || line.file == MODEL_NONE)
			continue;
		if (line.file == 0 && line.number < first)
			first = line.number;
		if (line.file == 0 && line.number > last)
			last = line.number;
		if (model_spent_is_any(&line.with_inlined))
			add_lines(lines, line.file, line.number > BESIDE ? line.number - BESIDE : 1,
				  line.number + BESIDE);
	}
	if (is_whole && first <= last && last - first <= SPAN_MAX)
		add_lines(lines, 0, first, last);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct listinglines *lines = context;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct model_listing_line *x = &lines->list.items[a], *y = &lines->list.items[b];
	const struct model_listing_line *own_x = &lines->list.items[lines->owners.items[a]];
	const struct model_listing_line *own_y = &lines->list.items[lines->owners.items[b]];

	return ORDER(own_x->file, own_y->file) ?: ORDER(own_x->number, own_y->number)
		?: ORDER(!!x->function, !!y->function)
		?: ORDER(y->spent.own_ns, x->spent.own_ns)
		?: ORDER(y->spent.faults, x->spent.faults) ?: ORDER(x->file, y->file)
		?: ORDER(x->number, y->number) ?: order_text(x->function, y->function);
}

void listinglines_keep(struct listinglines *lines, struct model_listing *listing,
		       uint32_t **ret_moved)
{
	const size_t count = lines->list.count;
	CLEANUP(freep) uint32_t *order = xcalloc(count + 1, sizeof(*order));
	uint32_t *moved = *ret_moved = xcalloc(count + 1, sizeof(*moved));
	struct model_listing_line *list = arena_array(lines->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare, lines);
	for (size_t i = 0; i < count; i++) {
		list[i] = lines->list.items[order[i]];
		moved[order[i]] = (uint32_t)i;
	}
	listing->lines = list;
	listing->line_count = count;
	listing->files = vec_keep_counted(&lines->files, lines->arena, &listing->file_count);
}
