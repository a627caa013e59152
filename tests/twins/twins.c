// SPDX-License-Identifier: Apache-2.0
// Axes, rooms and faults as C makes them, as one JSON document: twins.js has the page's modules
// make the same of the same. What is right is said in tests/unit; here nothing is expected twice.
#include "base/cleanup.h"
#include "derive/pages.h"
#include "render/escape.h"
#include "render/columns/node.h"
#include "render/page/data.h"
#include "render/page/faults.h"
#include "render/picture/bands.h"
#include "render/picture/scale.h"
#include "tests/support/pictures.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t seed = 20261122;

/** Below @limit. */
static uint32_t draw(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * limit >> 24);
}

static bool toss(unsigned one_in)
{
	return draw(one_in) == 0;
}

// ---- Axes and rooms -----------------------------------------------------------------------------

enum { GAPS = 4 };

/** An axis with gaps: where some values lie, and its ticks. */
static struct json_object *axis_new(void)
{
	struct json_object *object = node_object(), *gaps = node_array(), *ticks = node_array();
	struct json_object *places = node_array();
	struct scale_gap cut[GAPS];
	struct scale scale = { .length = 200 + draw(1500), .gaps = cut, .gap_length = draw(30) };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	unsigned shift = draw(20);
	size_t limit = 3 + draw(12), count, wanted = draw(GAPS + 1);
	uint64_t at = (uint64_t)draw(1 << 12) << shift;

	scale.first = at;
	for (size_t i = 0; i < wanted; i++) {
		at += toss(5) && i == 0 ? 0 : (uint64_t)(1 + draw(1 << 12)) << shift;
		uint64_t end = at + ((uint64_t)(1 + draw(1 << 14)) << shift);

		cut[scale.gap_count++] = (struct scale_gap){ at, end };
		node_append(gaps, json_object_new_int64((int64_t)at));
		node_append(gaps, json_object_new_int64((int64_t)end));
		at = end;
	}
	scale.last = at + ((uint64_t)(1 + draw(1 << 12)) << shift);
	for (unsigned i = 0; i <= 40; i++) {
		uint64_t value = scale.first + (scale.last - scale.first) / 40 * i;

		node_append(places, json_object_new_int64((int64_t)value));
		node_append(places, json_object_new_double(scale_place(&scale, value)));
	}
	const struct scale_tick *made =
		scale_time_ticks(&arena, &scale, "\xc2\xb5s", limit, &count);

	for (size_t i = 0; i < count; i++)
		node_append(ticks, node_text(made[i].label));
	node_add_number(object, "first", scale.first);
	node_add_number(object, "last", scale.last);
	node_add(object, "length", json_object_new_double(scale.length));
	node_add(object, "gap_length", json_object_new_double(scale.gap_length));
	node_add_number(object, "limit", limit);
	node_add(object, "gaps", gaps);
	node_add(object, "places", places);
	node_add(object, "ticks", ticks);
	return object;
}

/** Spans some of which lie far apart, and the gaps between them. */
static struct json_object *found_new(void)
{
	enum { SPANS = 60, FOUND_MAX = 32 };
	struct json_object *object = node_object(), *list = node_array();
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct range spans[SPANS];
	uint64_t at = draw(1 << 20), end = 0;
	size_t count;

	for (size_t i = 0; i < SPANS; i++) {
		at += draw(100) + (toss(12) ? (uint64_t)draw(1 << 10) << draw(16) : 0);
		spans[i] = (struct range){ at, at + draw(toss(8) ? 1 << 20 : 50) };
		end = spans[i].end > end ? spans[i].end : end;
	}
	const struct scale_gap *gaps = scale_find_gaps(&arena, spans, SPANS, FOUND_MAX, &count);

	for (size_t i = 0; i < count; i++) {
		node_append(list, json_object_new_int64((int64_t)gaps[i].first));
		node_append(list, json_object_new_int64((int64_t)gaps[i].last));
	}
	node_add_number(object, "first", spans[0].start);
	node_add_number(object, "end", end);
	node_add(object, "gaps", list);
	return object;
}

static struct json_object *all_found(void)
{
	struct json_object *list = node_array();

	for (unsigned i = 0; i < 300; i++)
		node_append(list, found_new());
	return list;
}

static struct json_object *all_axes(void)
{
	struct json_object *list = node_array();

	for (unsigned i = 0; i < 300; i++)
		node_append(list, axis_new());
	return list;
}

static struct json_object *shares_new(const double *weights, const unsigned *minima, size_t count,
				      unsigned total)
{
	struct json_object *object = node_object();
	struct json_object *lists[] = { node_array(), node_array(), node_array() };
	CLEANUP(freep) unsigned *shares = xcalloc(count, sizeof(*shares));

	scale_share(weights, minima, count, total, shares);
	for (size_t i = 0; i < count; i++) {
		node_append(lists[0], json_object_new_double(weights[i]));
		node_append(lists[1], json_object_new_int64(minima[i]));
		node_append(lists[2], json_object_new_int64(shares[i]));
	}
	node_add(object, "weights", lists[0]);
	node_add(object, "minima", lists[1]);
	node_add_number(object, "total", total);
	node_add(object, "shares", lists[2]);
	return object;
}

static struct json_object *all_shares(void)
{
	enum { PARTS = 12 };
	struct json_object *list = node_array();

	// Minima of more than two thirds of the room, and of more than all of it; no weight.
	node_append(list, shares_new((double[]){ 1, 1, 8 }, (unsigned[]){ 10, 10, 20 }, 3, 50));
	node_append(list, shares_new((double[]){ 1, 1, 8 }, (unsigned[]){ 10, 10, 20 }, 3, 30));
	node_append(list, shares_new((double[]){ 0, 0 }, (unsigned[]){ 5, 7 }, 2, 100));
	for (unsigned i = 0; i < 300; i++) {
		double weights[PARTS];
		unsigned minima[PARTS];

		for (size_t k = 0; k < PARTS; k++) {
			weights[k] = toss(4) ? 0 : draw(1000) / 1000.0;
			minima[k] = draw(20);
		}
		node_append(list, shares_new(weights, minima, 1 + draw(PARTS), draw(400)));
	}
	return list;
}

// ---- Faults -------------------------------------------------------------------------------------

enum { FILE_OBJECT, OTHER_FILE, FIRST_MEMORY, OBJECTS = 11, FAULTS_MAX = 400 };

/** Sections one after the other, some empty, some with padding before them, some not loaded. */
static const struct model_layout *random_layout(struct arena *arena, uint64_t *ret_size)
{
	enum { SECTIONS = 12, MEMORY = 3 };
	static const char *const names[SECTIONS + MEMORY] = {
		".a", ".b", ".c", ".d", ".e",	".f",	 ".g",	  ".h",
		".i", ".j", ".k", ".l", ".bss", ".lbss", ".tail",
	};
	struct model_layout *layout = arena_array(arena, 1, sizeof(*layout));
	struct model_layout_section *sections =
		arena_array(arena, SECTIONS + MEMORY, sizeof(*sections));
	size_t count = draw(SECTIONS + 1), loaded = draw((uint32_t)count + 1);
	uint64_t at = 64 + draw(2000);

	for (size_t i = 0; i < count; i++) {
		at += toss(3) ? draw(3 * PICTURES_PAGE) : 0;
		uint64_t size = toss(6) ? 0 : toss(3) ? draw(5 * PICTURES_PAGE) : draw(600);

		sections[i] = (struct model_layout_section){
			.name = names[i],
			.has_bytes = true,
			.offset = at,
			.file_size = size,
			.is_loaded = i < loaded,
			.vaddr = i < loaded ? at : 0,
			.memory_size = size,
		};
		at += size;
	}
	*ret_size = at + (toss(2) ? draw(5000) : 0);
	at = (at / PICTURES_PAGE + 1) * PICTURES_PAGE + draw(PICTURES_PAGE);
	for (size_t i = count; i < count + MEMORY; i++) {
		uint64_t size = toss(3) ? 0 : draw(4 * PICTURES_PAGE);

		sections[i] = (struct model_layout_section){
			.name = names[SECTIONS + i - count],
			.is_loaded = true,
			.vaddr = at,
			.memory_size = size,
		};
		at += size + (toss(2) ? draw(PICTURES_PAGE) : 0);
	}
	*layout = (struct model_layout){ .sections = sections, .section_count = count + MEMORY };
	return layout;
}

/** Somewhere in the file, or a little past its end. */
static struct model_fault fault_in_file(uint64_t time_ns, uint64_t size)
{
	uint32_t reach = (uint32_t)size + PICTURES_PAGE;
	struct model_fault fault =
		pictures_at(time_ns, toss(4) ? draw(reach) : draw(reach / 8 + 1), MODEL_RELOCATION);
	uint64_t page = fault.at.offset / PICTURES_PAGE;

	fault.at.object = toss(8) ? OTHER_FILE : FILE_OBJECT;
	fault.access = draw(MODEL_ACCESSES) & 3;
	fault.mechanism = draw(MODEL_MECHANISMS) & 15;
	fault.initiator = (uint8_t)draw(MODEL_INITIATORS);
	fault.has_around = toss(5);
	uint64_t before = draw((uint32_t)(page < 8 ? page : 8) + 1);
	return pictures_around(fault, (page - before) * PICTURES_PAGE,
			       1 + (uint32_t)before + draw(8));
}

static struct model_fault random_fault(uint64_t time_ns, uint64_t size)
{
	struct model_fault fault = { .time_ns = time_ns,
				     .addr = ((uint64_t)draw(100) << 30) + draw(1 << 20) };

	if (!toss(3))
		return fault_in_file(time_ns, size);
	if (toss(10)) {
		fault.at.object = MODEL_NONE;
	} else if (toss(4)) {
		fault.at.has_vaddr = true;
		fault.at.vaddr =
			(size / PICTURES_PAGE + 1) * PICTURES_PAGE + draw(8 * PICTURES_PAGE);
	} else {
		fault.at.object = toss(20) ? draw(FIRST_MEMORY)
					   : FIRST_MEMORY + draw(1 + draw(OBJECTS - FIRST_MEMORY));
	}
	return fault;
}

static int compare_shown(const void *a, const void *b, void *objects)
{
	const struct model_object *x = (struct model_object *)objects + *(const uint32_t *)a;
	const struct model_object *y = (struct model_object *)objects + *(const uint32_t *)b;

	if (x->count.faults != y->count.faults)
		return x->count.faults > y->count.faults ? -1 : 1;
	return strcmp(x->path, y->path);
}

static struct model *random_model(void)
{
	struct model *model = pictures_model(FAULTS_MAX);
	struct model_object *objects = arena_array(&model->arena, OBJECTS, sizeof(*objects));
	uint32_t *shown = arena_array(&model->arena, OBJECTS, sizeof(*shown));
	uint64_t size;

	objects[FILE_OBJECT] = model->objects[0];
	objects[FILE_OBJECT].layout = random_layout(&model->arena, &size);
	objects[FILE_OBJECT].size = toss(8) ? 0 : size;
	if (toss(8))
		objects[FILE_OBJECT].layout = NULL;
	objects[OTHER_FILE] = (struct model_object){ .path = "/etc/other", .is_file = true };
	for (unsigned i = FIRST_MEMORY; i < OBJECTS; i++)
		objects[i].path = arena_printf(&model->arena, "[anon:memory/%u]", i);
	model->objects = objects;
	model->object_count = OBJECTS;
	size_t count = draw(FAULTS_MAX);

	for (size_t i = 0; i < count; i++) {
		struct model_fault fault = random_fault(10 * i, size);

		fault.stack = fault.initializer = fault.init_object = fault.blame = MODEL_NONE;
		pictures_add(model, fault);
	}
	model->shown = shown;
	model->shown_count = 0;
	for (uint32_t i = 0; i < OBJECTS; i++)
		if (objects[i].count.faults > 0)
			shown[model->shown_count++] = i;
	qsort_r(shown, model->shown_count, sizeof(*shown), compare_shown, objects);
	return model;
}

static struct json_object *rows_new(const struct bands *bands)
{
	struct json_object *list = node_array();

	vec_foreach (band, bands) {
		struct json_object *row = node_object();

		node_add_number(row, "kind", band->kind);
		node_add_text(row, "label", band->label);
		node_add_number(row, "first", band->range.start);
		node_add_number(row, "end", band->range.end);
		node_add_number(row, "faults", band->faults);
		node_add_number(row, "top", band->top);
		node_add_number(row, "height", band->height);
		node_append(list, row);
	}
	return list;
}

/** Some stretches of the file, in bytes, and the shares of its pages' states in them. */
static struct json_object *stretches_new(const struct model *model, uint32_t object)
{
	struct json_object *list = node_array();
	CLEANUP(pages_deinit) struct pages pages;

	pages_init(&pages, model, object);
	for (uint32_t at = 0; at < pages.size; at += 1 + draw(2 * PICTURES_PAGE)) {
		struct json_object *stretch = node_object(), *states = node_array();
		uint32_t left = (uint32_t)pages.size - at, length = 1 + draw(left);
		double shares[PAGE_STATES];

		pages_shares(&pages, at, length, shares);
		for (unsigned i = 0; i < PAGE_STATES; i++)
			node_append(states, json_object_new_double(shares[i]));
		node_add_number(stretch, "start", at);
		node_add_number(stretch, "length", length);
		node_add(stretch, "shares", states);
		node_append(list, stretch);
	}
	return list;
}

static struct json_object *totals_new(const struct model *model, uint32_t object)
{
	struct json_object *list = node_array();
	CLEANUP(pages_deinit) struct pages pages;

	pages_init(&pages, model, object);
	for (unsigned i = 0; i < PAGE_STATES; i++)
		node_append(list, json_object_new_int64((int64_t)pages.totals[i]));
	return list;
}

/** Leave out the lanes of what lies elsewhere, which the page does not draw: of all lanes keep
 * @own. Returns its index. */
static uint16_t drop_others(struct bands *bands, const char *own)
{
	size_t kept = bands->own_count;
	uint16_t found = UINT16_MAX;

	for (size_t i = bands->own_count; i < bands->count; i++)
		if (strcmp(bands->items[i].label, own) == 0) {
			found = (uint16_t)i;
			bands->items[kept++] = bands->items[i];
		}
	bands->count = kept;
	return found;
}

/** How the faults of a file, or of memory, are drawn at @height. */
static struct json_object *picture_new(const struct model *model, uint32_t object, unsigned height)
{
	struct json_object *picture = node_object(), *points = node_array();
	const struct model_object *row = &model->objects[object];
	CLEANUP(bands_deinit) struct bands bands;

	bands_init(&bands, model, object, PALETTE_INITIATOR, height / 30 > 4 ? height / 30 : 4);
	const uint16_t lane =
		drop_others(&bands, row->is_file ? "not in the file" : model_object_name(row));
	// As the page has it: render/page/assets/tracks/bands.js, placeRows().
	bands_place(&bands,
		    &(struct band_room){
			    .total = height, .touched = 15, .cold = 5, .beside = 22, .gap = 6 });
	for (size_t i = 0; i < bands.point_count; i++) {
		const uint16_t band = bands.points[i].band;

		if (band >= bands.own_count && band != lane)
			continue;
		struct json_object *point = node_object();

		node_add_number(point, "fault", i);
		node_add_number(point, "row", band == lane ? bands.own_count : band);
		node_add(point, "at", json_object_new_double((double)bands.points[i].at));
		node_append(points, point);
	}
	node_add_number(picture, "object", object);
	node_add_number(picture, "height", height);
	node_add(picture, "rows", rows_new(&bands));
	node_add(picture, "points", points);
	if (model->objects[object].is_file) {
		node_add(picture, "totals", totals_new(model, object));
		node_add(picture, "stretches", stretches_new(model, object));
	}
	return picture;
}

static struct json_object *all_models(void)
{
	struct json_object *list = node_array();

	for (unsigned i = 0; i < 150; i++) {
		CLEANUP(model_closep) struct model *model = random_model();
		CLEANUP(strbuf_deinit) struct strbuf block = { 0 };
		struct json_object *object = node_object(), *pictures = node_array();

		pagedata_add(&block, model,
			     &(struct pagedata_options){ .merge_above = PAGEFAULTS_MERGE_ABOVE });
		for (uint32_t k = FILE_OBJECT; k <= FIRST_MEMORY; k++)
			node_append(pictures, picture_new(model, k, 300 + draw(400)));
		node_add_text(object, "block", strbuf_text(&block));
		node_add(object, "pictures", pictures);
		node_append(list, object);
	}
	return list;
}

/** Names as fields of CSV. */
static struct json_object *all_fields(void)
{
	static const char *const names[] = {
		"main",
		"f(int, char)",
		"say \"no\"",
		" edge ",
		"=1+1",
		"-[Foo bar:]",
		"  @sum",
		"a=b",
		"+,",
		"\x1b[31m\r\n\t=1",
		"\xe2\x80\xae\xd8\x9c\xc2\x85\xe2\x80\xa8",
		"caf\xc3\xa9",
		"",
	};
	struct json_object *list = node_array();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(strbuf_deinit) struct strbuf field = { 0 };
		struct json_object *object = node_object();

		escape_csv(&field, names[i]);
		node_add_text(object, "name", names[i]);
		node_add_text(object, "field", strbuf_text(&field));
		node_append(list, object);
	}
	return list;
}

int main(void)
{
	CLEANUP(node_putp) struct json_object *document = node_object();

	node_add(document, "axes", all_axes());
	node_add(document, "found", all_found());
	node_add(document, "shares", all_shares());
	node_add(document, "models", all_models());
	node_add(document, "fields", all_fields());
	return puts(json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN)) < 0;
}
