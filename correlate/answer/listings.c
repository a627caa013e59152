// SPDX-License-Identifier: Apache-2.0
// Functions line by line and instruction by instruction, with what each cost.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "base/key.h"
#include "base/order.h"
#include "base/search.h"
#include "correlate/answer/listinglines.h"
#include "model/account.h"
#include "model/moments.h"

#include <stdlib.h>

enum {
	BESIDE = 3,		// instructions before and behind one that cost something
	CODE_BYTES = 256 << 10, // of a function, that are decoded
};

/** A function, before its code is looked at. */
struct found {
	uint32_t function;
	uint64_t vaddr;
	struct model_spent spent;
};

/** An address that cost something. */
struct cost {
	uint32_t found;
	uint64_t vaddr;
	struct model_spent spent;
};

struct listings {
	const struct rows *rows;
	struct instructions *instructions;
	struct sourcefiles *sources;
	bool is_whole;
	VEC(struct found) found;
	struct u64map found_index; // hash of function and address -> found
	VEC(struct cost) costs;
	struct u64map cost_index; // hash of found and address -> costs
};

static void listings_deinit(struct listings *listings)
{
	sourcefiles_destroy(listings->sources);
	vec_deinit(&listings->found);
	u64map_deinit(&listings->found_index);
	vec_deinit(&listings->costs);
	u64map_deinit(&listings->cost_index);
}

// ---- What cost something --------------------------------------------------------------------

static void spend(struct listings *listings, const struct model_ip *by,
		  const struct model_spent *spent)
{
	if (!by || !by->has_vaddr || by->object == MODEL_NONE || by->name == MODEL_NONE ||
	    !listings->rows->functions.items[by->name].name || !model_spent_is_any(spent))
		return;
	const uint64_t start = by->vaddr - by->name_offset;
	const uint32_t found =
		u64map_row(&listings->found_index, key_of(by->name, start), &listings->found,
			   (struct found){ .function = by->name, .vaddr = start });
	const uint32_t cost =
		u64map_row(&listings->cost_index, key_of(found, by->vaddr), &listings->costs,
			   (struct cost){ .found = found, .vaddr = by->vaddr });

	model_spent_add(&listings->found.items[found].spent, spent);
	model_spent_add(&listings->costs.items[cost].spent, spent);
}

static void spend_faults(struct listings *listings, const struct shown_faults *faults)
{
	array_foreach (fault, faults->items, faults->count) {
		const uint64_t own_ns = model_fault_own(fault);

		if (fault->has_ip)
			spend(listings, fault->by,
			      &(struct model_spent){ .own_ns = own_ns,
						     .fault_ns = own_ns,
						     .faults = 1,
						     .major = fault->kind == MODEL_MAJOR });
	}
}

static void spend_moments(struct listings *listings, const struct model_moments *moments)
{
	array_foreach (moment, moments ? moments->items : NULL, moments ? moments->count : 0) {
		if (moment->is_left_out)
			continue;
		if (moment->is_sample)
			spend(listings, moment->by,
			      &(struct model_spent){
				      .own_ns = moment->ns, .cpu_ns = moment->ns, .samples = 1 });
		else if (moment->state == MODEL_STATE_FILE_IO)
			spend(listings, moment->by, &(struct model_spent){ .own_ns = moment->ns });
	}
}

static int compare_found(const void *left, const void *right, void *context)
{
	const struct listings *listings = context;
	const struct found *x = &listings->found.items[*(const uint32_t *)left];
	const struct found *y = &listings->found.items[*(const uint32_t *)right];
	const struct model_function *functions = listings->rows->functions.items;

	return ORDER(y->spent.own_ns, x->spent.own_ns) ?: ORDER(y->spent.faults, x->spent.faults)
		?: order_text(functions[x->function].name, functions[y->function].name)
		?: ORDER(functions[x->function].object, functions[y->function].object)
		?: ORDER(x->vaddr, y->vaddr);
}

ORDER_OF(compare_costs, cost, ORDER(x->found, y->found) ?: ORDER(x->vaddr, y->vaddr))

// ---- The code of one ------------------------------------------------------------------------

/** A function while its code is listed. */
struct listed {
	struct model_listing *to;
	struct elfmap *map;
	const struct cost *costs; // its own, in order of address
	size_t cost_count;
	VEC(struct model_listing_instruction) code;
};

/** The instructions from @start on, before @end; only their addresses. */
static void decode(const struct listings *listings, struct listed *listed, uint64_t start,
		   uint64_t end)
{
	CLEANUP(freep) uint8_t *bytes = xcalloc(end - start + 1, 1);
	struct disassembler *by = instructions_read(listings->instructions, listed->map, start);
	size_t size = by ? elfmap_read(listed->map, start, bytes, end - start) : 0;
	const uint8_t *at = bytes;
	uint64_t vaddr = start, next = start;

	while (size > 0 && disassembler_next(by, &at, &size, &next)) {
		vec_push(&listed->code,
			 (struct model_listing_instruction){
				 .vaddr = vaddr, .line = MODEL_NONE, .follows = vaddr != start });
		vaddr = next;
	}
}

/** Decode the function; what costs beyond the bytes that are decoded is there all the same. */
static void decode_all(const struct listings *listings, struct listed *listed)
{
	const uint64_t start = listed->to->vaddr;
	const struct cost *last = &listed->costs[listed->cost_count - 1];
	uint64_t end = listed->to->size;
	size_t at = 0;

	if (end < last->vaddr - start + 1) // of unknown size
		end = last->vaddr - start + 1;
	listed->to->is_cut = end > CODE_BYTES;
	decode(listings, listed, start, start + (end > CODE_BYTES ? CODE_BYTES : end));
	array_foreach (cost, listed->costs, listed->cost_count) {
		while (at < listed->code.count && listed->code.items[at].vaddr < cost->vaddr)
			at++;
		if (at < listed->code.count && listed->code.items[at].vaddr == cost->vaddr)
			continue;
		// Not decoded, or within something else: alone, in its place.
		vec_push(&listed->code, (struct model_listing_instruction){ 0 });
		memmove(&listed->code.items[at + 1], &listed->code.items[at],
			(listed->code.count - 1 - at) * sizeof(*listed->code.items));
		listed->code.items[at] = (struct model_listing_instruction){ .vaddr = cost->vaddr,
									     .line = MODEL_NONE };
	}
}

/** Leave what cost something, and what is beside it. */
static void keep_near(struct listed *listed)
{
	const size_t count = listed->code.count;
	size_t kept = 0, last = 0; // last: behind the one that was kept last
	size_t shown = 0;	   // until where
	size_t next = 0;	   // one that cost something, at or behind i

	for (size_t i = 0; i < count; i++) {
		while (next < count &&
		       (next < i || !model_spent_is_any(&listed->code.items[next].spent)))
			next++;
		if (model_spent_is_any(&listed->code.items[i].spent))
			shown = i + BESIDE + 1;
		if (i >= shown && !(next < count && next - i <= BESIDE))
			continue;
		listed->code.items[kept] = listed->code.items[i];
		listed->code.items[kept++].follows &= last == i;
		last = i + 1;
	}
	listed->code.count = kept;
}

static void list_code(const struct listings *listings, struct listed *listed)
{
	size_t at = 0;

	decode_all(listings, listed);
	array_foreach (cost, listed->costs, listed->cost_count) {
		while (listed->code.items[at].vaddr != cost->vaddr)
			at++;
		listed->code.items[at].spent = cost->spent;
	}
	if (!listings->is_whole)
		keep_near(listed);
}

/** Lines first of what cost something: the others may have those, too. */
static void list_lines(const struct listings *listings, struct listed *listed)
{
	struct arena *arena = &listings->rows->model->arena;
	CLEANUP(listinglines_deinit)
	struct listinglines lines = {
		.arena = arena,
		.map = listed->map,
		.sources = listings->sources,
		.demangle = listings->rows->demangle,
	};
	CLEANUP(freep) uint32_t *moved = NULL;

	vec_foreach (row, &listed->code)
		if (model_spent_is_any(&row->spent)) {
			row->line = listinglines_at(&lines, row->vaddr, true);
			if (row->line != MODEL_NONE)
				listinglines_spend(&lines, row->line, &row->spent);
		}
	vec_foreach (row, &listed->code) {
		if (row->line == MODEL_NONE)
			row->line = listinglines_at(&lines, row->vaddr, listings->is_whole);
		row->text =
			instructions_text(listings->instructions, listed->map, row->vaddr, arena);
	}
	listinglines_surround(&lines, listings->is_whole);
	listinglines_keep(&lines, listed->to, &moved);
	vec_foreach (row, &listed->code)
		if (row->line != MODEL_NONE)
			row->line = moved[row->line];
}

static void list_one(struct listings *listings, const struct found *found, uint32_t index,
		     struct model_listing *to)
{
	const struct rows *rows = listings->rows;
	const struct model_function *function = &rows->functions.items[found->function];
	const size_t count = listings->costs.count;
	const struct cost *costs = listings->costs.items;
	const size_t first = search_first(count, i, costs[i].found >= index);
	struct listed listed = {
		.to = to,
		.map = objects_map(rows->objects, function->object),
		.costs = &costs[first],
		.cost_count = search_first(count, i, costs[i].found > index) - first,
	};

	*to = (struct model_listing){ .function = found->function,
				      .vaddr = found->vaddr,
				      .size = function->size,
				      .spent = found->spent };
	if (!listed.map)
		return;
	list_code(listings, &listed);
	list_lines(listings, &listed);
	to->instructions =
		vec_keep_counted(&listed.code, &rows->model->arena, &to->instruction_count);
}

void listings_fill(const struct rows *rows, const struct shown_faults *faults,
		   struct instructions *instructions, size_t most, bool is_whole)
{
	CLEANUP(listings_deinit)
	struct listings listings = {
		.rows = rows,
		.instructions = instructions,
		.sources = sourcefiles_create(objects_depot(rows->objects)),
		.is_whole = is_whole,
	};
	struct model *model = rows->model;

	spend_faults(&listings, faults);
	spend_moments(&listings, model->moments);
	vec_sort(&listings.costs, compare_costs);

	const size_t found = listings.found.count, count = found < most ? found : most;
	CLEANUP(freep) uint32_t *order = xcalloc(found + 1, sizeof(*order));
	struct model_listing *list = arena_array(&model->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < found; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, found, sizeof(*order), compare_found, &listings);
	for (size_t i = 0; i < count; i++)
		list_one(&listings, &listings.found.items[order[i]], order[i], &list[i]);
	model->listings = list;
	model->listing_count = count;
	model->listings_left_out = found - count;
}
