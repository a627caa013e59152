// SPDX-License-Identifier: Apache-2.0
#include "render/picture/bands.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/vec.h"
#include "derive/pages.h"
#include "model/layout.h"

#include <stdlib.h>
#include <string.h>

/** How many kinds of memory have a lane of their own; the rest share one. */
enum { LANES_MAX = 6 };

/** Content without a lane of its own, in the order of the lanes. */
enum rest {
	REST_ASTRAY,
	REST_FILES,
	REST_MEMORY,
	REST_UNMAPPED,
	RESTS,
};
static const char *const rest_labels[RESTS] = {
	[REST_ASTRAY] = "not in the file",
	[REST_FILES] = "other files",
	[REST_MEMORY] = "other memory",
	[REST_UNMAPPED] = "no mapping known",
};

struct build {
	struct bands *bands;
	const struct model *model;
	uint32_t object;
	enum palette_by by;
	uint64_t page_size;
	VEC(struct band) list;
	uint32_t lane_objects[LANES_MAX]; // what lanes show, most faults first
	size_t lane_count;
	size_t first_lane; // a band; those of the rest follow them
};

// ---- Bands of the object ----------------------------------------------------------------------

static void add_file_band(struct build *build, uint64_t start, uint64_t end, const char *label,
			  bool is_loaded, size_t section_count)
{
	if (start < end)
		vec_push(&build->list, (struct band){ .kind = BAND_FILE,
						      .range = { start, end },
						      .label = label,
						      .is_loaded = is_loaded,
						      .section_count = section_count });
}

/** Cut the whole file into bands: sections that are loaded, and what lies between them. */
static void cut_file(struct build *build, uint64_t size)
{
	const struct model_layout *layout = build->model->objects[build->object].layout;
	uint64_t done = 0;

	for (size_t i = 0; layout && i < layout->section_count; i++) {
		const struct model_layout_section *section = &layout->sections[i];
		uint64_t end;

		if (!section->has_bytes || !section->is_loaded ||
		    !checked_add(section->offset, section->file_size, &end))
			continue;
		if (end > size)
			end = size;
		if (section->offset > done)
			add_file_band(build, done, section->offset < size ? section->offset : size,
				      done == 0 ? "headers" : "padding", true, 0);
		add_file_band(build, section->offset > done ? section->offset : done, end,
			      section->name, true, 1);
		if (end > done)
			done = end;
	}
	if (done < size)
		add_file_band(build, done, size, done == 0 ? "file" : "not loaded", done == 0,
			      done == 0 ? 1 : 0);
}

static void cut_memory(struct build *build)
{
	const struct model_layout *layout = build->model->objects[build->object].layout;
	uint64_t done = 0;

	for (size_t i = 0; layout && i < layout->section_count; i++) {
		const struct model_layout_section *section = &layout->sections[i];
		uint64_t start = section->vaddr > done ? section->vaddr : done, end;

		if (section->has_bytes || !section->is_loaded ||
		    !checked_add(section->vaddr, section->memory_size, &end) || start >= end)
			continue;
		vec_push(&build->list, (struct band){ .kind = BAND_MEMORY,
						      .range = { start, end },
						      .label = section->name,
						      .is_loaded = true,
						      .section_count = 1 });
		done = end;
	}
}

/** The band of @kind among those from @first up to @end that holds @value; NONE: none does. */
static size_t find_band(const struct build *build, size_t first, size_t end, uint64_t value)
{
	const struct band *bands = build->list.items;
	size_t low = first + search_first(end - first, i, bands[first + i].range.end > value);

	return low < end && range_contains(bands[low].range, value) ? low : SIZE_MAX;
}

/**
 * The band of .bss and the like that holds @value, or else the last one before it, or else the
 * first: beginning and end of their first and last page belong to no section.
 */
static size_t find_memory(const struct build *build, size_t first, size_t end, uint64_t value)
{
	size_t found = find_band(build, first, end, value);

	if (found != SIZE_MAX || first == end)
		return found;
	found = first;
	for (size_t i = first; i < end; i++)
		if (build->list.items[i].range.start <= value)
			found = i;
	return found;
}

// ---- Lanes ------------------------------------------------------------------------------------

static void add_lane(struct build *build, const char *label)
{
	vec_push(&build->list,
		 (struct band){ .kind = BAND_BESIDE, .label = label, .is_loaded = true });
}

/** A lane of its own for each kind of memory that is among those most faulted; then the rest. */
static void add_lanes(struct build *build)
{
	const struct model *model = build->model;

	build->first_lane = build->list.count;
	for (size_t i = 0; i < model->shown_count && build->lane_count < LANES_MAX; i++) {
		uint32_t id = model->shown[i];

		if (model->objects[id].is_file)
			continue;
		build->lane_objects[build->lane_count++] = id;
		add_lane(build, model->objects[id].path);
	}
	for (unsigned i = 0; i < RESTS; i++)
		add_lane(build, rest_labels[i]);
}

static size_t lane_of(const struct build *build, const struct model_fault *fault)
{
	size_t rest = build->first_lane + build->lane_count;

	if (fault->at.object == MODEL_NONE)
		return rest + REST_UNMAPPED;
	if (build->model->objects[fault->at.object].is_file)
		return rest + (fault->at.object == build->object ? REST_ASTRAY : REST_FILES);
	for (size_t i = 0; i < build->lane_count; i++)
		if (build->lane_objects[i] == fault->at.object)
			return build->first_lane + i;
	return rest + REST_MEMORY;
}

// ---- Points -----------------------------------------------------------------------------------

/** Whether @fault falls into a band of the object itself; sets it and the place in it. */
static bool place_in_object(const struct build *build, const struct model_fault *fault,
			    size_t file_count, size_t own_count, struct band_point *point)
{
	uint64_t value = fault->at.has_offset ? fault->at.offset : fault->at.vaddr;
	size_t found = SIZE_MAX;

	if (fault->at.object != build->object)
		return false;
	if (fault->at.has_offset)
		found = find_band(build, 0, file_count, value);
	else if (fault->at.has_vaddr)
		found = find_memory(build, file_count, own_count, value);
	if (found == SIZE_MAX)
		return false;
	point->band = (uint16_t)found;
	return true;
}

/** A page of a band, to be put in order. */
struct page {
	uint16_t band;
	uint32_t file; // its object + 1; 0: memory
	uint64_t number;
};

ORDER_OF(compare_pages, page,
	 ORDER(x->band, y->band) ?: ORDER(x->file, y->file) ?: ORDER(x->number, y->number))

/** The page of a file is one, wherever processes have mapped it. */
static struct page page_of(const struct build *build, const struct band_point *point)
{
	const struct model_fault *fault = &build->model->faults[point->fault];
	bool is_of_file =
		fault->at.object != MODEL_NONE && (fault->at.has_offset || fault->at.has_vaddr);
	uint64_t at = fault->at.has_offset  ? fault->at.offset
		      : fault->at.has_vaddr ? fault->at.vaddr
					    : fault->addr;

	return (struct page){
		.band = point->band,
		.file = is_of_file ? fault->at.object + 1 : 0,
		.number = at / build->page_size,
	};
}

/** The distinct pages of all points, by band and number. xcalloc()ed; *@ret_count of them. */
static struct page *list_pages(const struct build *build, size_t *ret_count)
{
	const struct bands *bands = build->bands;
	struct page *pages = xcalloc(bands->point_count, sizeof(*pages));
	size_t count = 0;

	for (size_t i = 0; i < bands->point_count; i++)
		pages[i] = page_of(build, &bands->points[i]);
	if (bands->point_count > 0)
		qsort(pages, bands->point_count, sizeof(*pages), compare_pages);
	for (size_t i = 0; i < bands->point_count; i++)
		if (i == 0 || compare_pages(&pages[i], &pages[i - 1]) != 0)
			pages[count++] = pages[i];
	*ret_count = count;
	return pages;
}

/** Below 1, also after rounding to a float. */
static float fraction(double part, double whole)
{
	double at = whole > 0 ? part / whole : 0;

	return at < 0 ? 0 : at > 0.999999 ? 0.999999F : (float)at;
}

/** Count the pages of each band, and set where in it each point lies. */
static void place_points(const struct build *build)
{
	struct bands *bands = build->bands;
	size_t page_count;
	CLEANUP(freep) struct page *pages = list_pages(build, &page_count);
	size_t *firsts = xcalloc(bands->count + 1, sizeof(*firsts)); // of each band, in pages

	for (size_t i = 0; i < page_count; i++)
		bands->items[pages[i].band].pages++;
	for (size_t i = 0; i < bands->count; i++)
		firsts[i + 1] = firsts[i] + bands->items[i].pages;
	array_foreach (point, bands->points, bands->point_count) {
		const struct band *band = &bands->items[point->band];
		const struct model_fault *fault = &build->model->faults[point->fault];
		uint64_t at = fault->at.has_offset ? fault->at.offset : fault->at.vaddr;

		if (band->kind != BAND_BESIDE) {
			point->at = fraction((double)at - (double)band->range.start,
					     (double)range_size(band->range));
			continue;
		}
		struct page key = page_of(build, point);
		const struct page *found =
			bsearch(&key, pages, page_count, sizeof(*pages), compare_pages);
		size_t rank = (size_t)(found - pages) - firsts[point->band];

		point->at = fraction((double)rank + 0.5, (double)band->pages);
	}
	free(firsts);
}

// ---- Merging ----------------------------------------------------------------------------------

static int compare_counts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return ORDER(y, x);
}

/** Bands of fewer faults than this give up their place. */
static uint64_t least_faults(const struct build *build, size_t own_count, size_t limit)
{
	CLEANUP(freep) uint64_t *counts = xcalloc(own_count, sizeof(*counts));
	uint64_t least = 1;

	for (size_t i = 0; i < own_count; i++)
		counts[i] = build->list.items[i].faults;
	if (own_count > limit) {
		qsort(counts, own_count, sizeof(*counts), compare_counts);
		least = counts[limit] + 1;
	}
	return least;
}

static void merge(struct build *build, struct band *into, const struct band *from)
{
	if (into->section_count == 0 && from->section_count > 0)
		into->label = from->label;
	else if (into->section_count == 1 && from->section_count == 1)
		into->label =
			arena_printf(&build->bands->arena, "%s, %s", into->label, from->label);
	into->range.end = from->range.end;
	into->section_count += from->section_count;
	into->faults += from->faults;
	into->own_ns += from->own_ns;
	into->major += from->major;
	for (unsigned i = 0; i < PALETTE_GROUPS; i++)
		into->groups[i] += from->groups[i];
}

/** Padding that nobody touched belongs to the band before it. */
static bool is_mere_gap(const struct band *band)
{
	return band->section_count == 0 && band->faults == 0 && band->is_loaded;
}

/**
 * Merge neighbours among the first @own_count bands, and leave out lanes that nothing is in; *@map
 * has the new place of every old one.
 */
static void merge_bands(struct build *build, size_t own_count, uint64_t least, uint16_t *map)
{
	struct band *items = build->list.items;
	bool gave_way = false; // the last band that was kept, and all that was merged into it
	size_t used = 0;

	for (size_t i = 0; i < build->list.count; i++) {
		struct band *last = used > 0 ? &items[used - 1] : NULL;
		bool is_own = i < own_count, gives_way = items[i].faults < least;

		if (!is_own && items[i].faults == 0)
			continue;
		if (is_own && last && last->kind == items[i].kind &&
		    last->is_loaded == items[i].is_loaded &&
		    ((gave_way && gives_way) || is_mere_gap(&items[i]))) {
			merge(build, last, &items[i]);
		} else {
			items[used++] = items[i];
			gave_way = gives_way;
		}
		map[i] = (uint16_t)(used - 1);
	}
	build->list.count = used;
}

/** "3 sections" where a band stands for more than two. */
static void label_bands(struct build *build)
{
	vec_foreach (band, &build->list)
		if (band->section_count > 2)
			band->label = arena_printf(&build->bands->arena, "%zu sections",
						   band->section_count);
}

// ---- All --------------------------------------------------------------------------------------

static void add_point(struct build *build, size_t fault_index, size_t file_count, size_t own_count)
{
	struct bands *bands = build->bands;
	const struct model_fault *fault = &build->model->faults[fault_index];
	struct band_point point = { .fault = (uint32_t)fault_index,
				    .group = (uint8_t)palette_group_of(build->by, fault) };

	if (!place_in_object(build, fault, file_count, own_count, &point))
		point.band = (uint16_t)lane_of(build, fault);
	struct band *band = &build->list.items[point.band];

	band->faults++;
	band->own_ns += model_fault_own(fault);
	band->major += fault->kind == MODEL_MAJOR;
	band->groups[point.group]++;
	bands->points[bands->point_count++] = point;
}

/** Fix the bands, and count what they are of. */
static void settle(struct build *build, size_t own_count, size_t limit)
{
	struct bands *bands = build->bands;
	uint16_t *map = xcalloc(build->list.count, sizeof(*map));

	merge_bands(build, own_count, least_faults(build, own_count, limit), map);
	label_bands(build);
	for (size_t i = 0; i < bands->point_count; i++)
		bands->points[i].band = map[bands->points[i].band];
	free(map);

	bands->count = build->list.count;
	bands->items = arena_array(&bands->arena, bands->count, sizeof(*bands->items));
	for (size_t i = 0; i < bands->count; i++) {
		bands->items[i] = build->list.items[i];
		bands->file_count += bands->items[i].kind == BAND_FILE;
		bands->own_count += bands->items[i].kind != BAND_BESIDE;
	}
}

void bands_init(struct bands *bands, const struct model *model, uint32_t object, enum palette_by by,
		size_t limit)
{
	// Bands are numbered with 16 bits; a file with more sections is drawn without them.
	enum { SECTIONS_MAX = UINT16_MAX / 2 - 64 };
	struct build build = {
		.bands = bands,
		.model = model,
		.object = object,
		.by = by,
		.page_size = model_page_size(model),
	};
	size_t file_count = 0, own_count = 0;

	*bands = (struct bands){ 0 };
	if (object != MODEL_NONE && model->objects[object].is_file) {
		const struct model_layout *layout = model->objects[object].layout;
		uint64_t size = pages_file_end(model, object);

		if (layout && layout->section_count > SECTIONS_MAX)
			add_file_band(&build, 0, size, "file", true, 1);
		else
			cut_file(&build, size);
		file_count = build.list.count;
		if (!layout || layout->section_count <= SECTIONS_MAX)
			cut_memory(&build);
		own_count = build.list.count;
	}
	add_lanes(&build);
	bands->points = xcalloc(model->fault_count, sizeof(*bands->points));
	for (size_t i = 0; i < model->fault_count; i++)
		add_point(&build, i, file_count, own_count);
	settle(&build, own_count, limit);
	place_points(&build);
	vec_deinit(&build.list);
}

void bands_deinit(struct bands *bands)
{
	free(bands->points);
	arena_deinit(&bands->arena);
	*bands = (struct bands){ 0 };
}
