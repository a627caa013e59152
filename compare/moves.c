// SPDX-License-Identifier: Apache-2.0
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/symbolname.h"

#include <math.h>
#include <string.h>

/** A function, and the length of its name that is compared. */
struct named {
	const struct placed *function;
	size_t length;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	size_t length = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->function->name, y->function->name, length);

	return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/** How many from @at on have the same name. */
static size_t run_of(const struct named *names, size_t count, size_t at)
{
	size_t end = at;

	while (end < count && compare_named(&names[at], &names[end]) == 0)
		end++;
	return end - at;
}

static void add_move(struct compare_move *moves, size_t *count, const struct named *before,
		     const struct named *after, uint64_t page_size, struct arena *arena)
{
	const struct placed *sides[] = { before->function, after->function };
	struct compare_move *move = &moves[(*count)++];

	*move = (struct compare_move){
		.name = arena_strndup(arena, before->function->name, before->length),
	};
	for (int side = 0; side < COMPARE_SIDES; side++) {
		move->section[side] = sides[side]->section;
		move->vaddr[side] = sides[side]->vaddr;
		move->size[side] = sides[side]->size;
		move->page[side] = sides[side]->vaddr / page_size;
		move->first_use[side] = sides[side]->first_use;
		move->faults[side] = sides[side]->faults;
	}
}

/** A set of one side's functions that are still to be matched. */
struct open_side {
	struct named *names;
	size_t count;
};

/** Match what has a name that is the only one of its side, and keep the rest. */
static void match(struct open_side sides[COMPARE_SIDES], struct compare_move *moves, size_t *count,
		  uint64_t page_size, struct arena *arena)
{
	struct open_side *before = &sides[COMPARE_BEFORE], *after = &sides[COMPARE_AFTER];
	size_t i = 0, k = 0, kept_before = 0, kept_after = 0;

	qsort(before->names, before->count, sizeof(*before->names), compare_named);
	qsort(after->names, after->count, sizeof(*after->names), compare_named);
	while (i < before->count || k < after->count) {
		int order = i == before->count ? 1
			    : k == after->count
				    ? -1
				    : compare_named(&before->names[i], &after->names[k]);
		size_t here = order <= 0 ? run_of(before->names, before->count, i) : 0;
		size_t there = order >= 0 ? run_of(after->names, after->count, k) : 0;

		if (here == 1 && there == 1) {
			add_move(moves, count, &before->names[i], &after->names[k], page_size,
				 arena);
		} else {
			memmove(before->names + kept_before, before->names + i,
				here * sizeof(*before->names));
			memmove(after->names + kept_after, after->names + k,
				there * sizeof(*after->names));
			kept_before += here;
			kept_after += there;
		}
		i += here;
		k += there;
	}
	before->count = kept_before;
	after->count = kept_after;
}

/** Those left over have no partner: the other side has none of this name, or a side has several. */
static void count_rest(struct compare_locality *locality, struct open_side sides[COMPARE_SIDES])
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		for (size_t i = 0; i < sides[side].count;) {
			const struct open_side *other = &sides[!side];
			size_t here = run_of(sides[side].names, sides[side].count, i);
			const struct named *found = NULL;

			if (other->count > 0)
				found = bsearch(&sides[side].names[i], other->names, other->count,
						sizeof(*other->names), compare_named);
			*(found || here > 1 ? &locality->unclear[side] : &locality->only[side]) +=
				here;
			i += here;
		}
}

/** By address on one side. */
static int compare_places(const void *a, const void *b, void *context)
{
	const struct compare_move *x = *(struct compare_move *const *)a;
	const struct compare_move *y = *(struct compare_move *const *)b;
	const int side = *(const int *)context;

	// Functions folded into one lie in no order.
	return ORDER(x->vaddr[side], y->vaddr[side]) ?: ORDER(x->vaddr[!side], y->vaddr[!side]);
}

/**
 * Mark all but a longest rising subsequence of the places after, in the order of those before
 * (patience sorting: ends[n] is where the rising sequence of length n + 1 ends lowest).
 */
static void mark_moved(struct compare_move *const *by_before, size_t count)
{
	CLEANUP(freep) size_t *ends = xcalloc(count + 1, sizeof(*ends));
	CLEANUP(freep) size_t *before_it = xcalloc(count + 1, sizeof(*before_it));
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t place = by_before[i]->place[COMPARE_AFTER];
		size_t at =
			search_first(length, n, by_before[ends[n]]->place[COMPARE_AFTER] >= place);

		before_it[i] = at > 0 ? ends[at - 1] : 0;
		ends[at] = i;
		if (at == length)
			length++;
		by_before[i]->is_moved = true;
	}
	for (size_t n = length, at = length > 0 ? ends[length - 1] : 0; n > 0; n--) {
		by_before[at]->is_moved = false;
		at = before_it[at];
	}
}

static void find_order(struct compare_move *moves, size_t count)
{
	CLEANUP(freep) struct compare_move **order = xcalloc(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = &moves[i];
	for (int side = COMPARE_SIDES - 1; side >= 0; side--) {
		qsort_r(order, count, sizeof(*order), compare_places, &side);
		for (size_t i = 0; i < count; i++)
			order[i]->place[side] = i + 1;
	}
	mark_moved(order, count);
	for (size_t i = 0; i < count; i++) {
		const char *const *section = moves[i].section;

		if (section[COMPARE_BEFORE] && section[COMPARE_AFTER] &&
		    strcmp(section[COMPARE_BEFORE], section[COMPARE_AFTER]) != 0)
			moves[i].is_moved = true;
	}
}

/** By first use on one side. */
static int compare_uses(const void *a, const void *b, void *context)
{
	const struct compare_move *x = *(struct compare_move *const *)a;
	const struct compare_move *y = *(struct compare_move *const *)b;
	const int side = *(const int *)context;

	return ORDER(x->first_use[side], y->first_use[side])
		       ?: ORDER(x->place[side], y->place[side]);
}

static void measure(struct compare_locality *locality, struct compare_move *moves, size_t count,
		    uint64_t page_size)
{
	CLEANUP(freep) struct compare_move **order = xcalloc(count + 1, sizeof(*order));
	CLEANUP(freep) struct range *ranges = xcalloc(count + 1, sizeof(*ranges));

	for (size_t i = 0; i < count; i++)
		order[i] = &moves[i];
	for (int side = 0; side < COMPARE_SIDES; side++) {
		qsort_r(order, count, sizeof(*order), compare_uses, &side);
		for (size_t i = 0; i < count; i++)
			ranges[i] = (struct range){ order[i]->vaddr[side],
						    order[i]->vaddr[side] + order[i]->size[side] };
		locality->common[side] = locality_area_of(ranges, count, page_size, NULL);
	}
}

static double distance(const struct compare_move *move)
{
	return fabs((double)move->place[COMPARE_AFTER] - (double)move->place[COMPARE_BEFORE]);
}

int compare_moves(const void *a, const void *b)
{
	const struct compare_move *x = a, *y = b;

	return ORDER(y->is_moved, x->is_moved)
		?: ORDER(fabs(y->faults[COMPARE_AFTER] - y->faults[COMPARE_BEFORE]),
			 fabs(x->faults[COMPARE_AFTER] - x->faults[COMPARE_BEFORE]))
		?: ORDER(distance(y), distance(x)) ?: strcmp(x->name, y->name)
		?: ORDER(x->vaddr[COMPARE_BEFORE], y->vaddr[COMPARE_BEFORE]);
}

void moves_find(struct compare_locality *locality, struct placed_side sides[COMPARE_SIDES],
		bool is_one_build, uint64_t page_size, struct arena *arena)
{
	struct open_side open[COMPARE_SIDES] = { 0 };
	size_t least = sides[COMPARE_BEFORE].count < sides[COMPARE_AFTER].count
			       ? sides[COMPARE_BEFORE].count
			       : sides[COMPARE_AFTER].count;
	struct compare_move *moves = arena_array(arena, least + 1, sizeof(*moves));
	size_t count = 0;

	for (int side = 0; side < COMPARE_SIDES; side++) {
		open[side].names = xcalloc(sides[side].count + 1, sizeof(*open[side].names));
		array_foreach (function, sides[side].functions, sides[side].count) {
			if (!is_one_build && symbolname_is_address(function->name))
				locality->unclear[side]++;
			else
				open[side].names[open[side].count++] =
					(struct named){ function, strlen(function->name) };
		}
	}
	match(open, moves, &count, page_size, arena);
	for (int side = 0; side < COMPARE_SIDES; side++)
		for (size_t i = 0; i < open[side].count; i++)
			open[side].names[i].length =
				symbolname_length(open[side].names[i].function->name);
	match(open, moves, &count, page_size, arena);
	count_rest(locality, open);
	for (int side = 0; side < COMPARE_SIDES; side++)
		free(open[side].names);
	find_order(moves, count);
	measure(locality, moves, count, page_size);
	qsort(moves, count, sizeof(*moves), compare_moves);
	locality->moves = moves;
	locality->move_count = count;
	for (size_t i = 0; i < count; i++)
		locality->moved_count += moves[i].is_moved;
}
