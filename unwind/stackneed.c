// SPDX-License-Identifier: Apache-2.0
#include "unwind/stackneed.h"

#include "base/order.h"
#include "base/search.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	REACH = 16 << 20, // as STACK_REACH of framewalk.c
	MIN_PERCENT = 5,
	ENOUGH_PERCENT = 95,
	KIB = 1024,
};

void stackneed_add(struct stackneed *need, const struct raw_stack *stack, uint64_t uses,
		   bool is_cut)
{
	struct raw_stack outer = *stack;

	// A handler's own is not deep; it may be the one that it interrupted.
	if (stack->interrupted_size)
		raw_stack_move(&outer, stack->interrupted_sp);
	struct stackneed_place place = {
		.pid = outer.pid,
		.addr = outer.registers[MACHINE_SP],
		.uses = uses,
	};

	need->uses += uses;
	if (outer.reaches_bottom) {
		place.addr += outer.size;
		// An address and a process in one key: two that collide lose one end.
		if (u64map_add(&need->known, place.addr ^ (uint64_t)outer.pid << 48))
			vec_push(&need->ends, place);
	}
	if (!is_cut)
		return;
	vec_push(&need->cut, place);
	need->cut_uses += uses;
	if (outer.size > need->copied)
		need->copied = outer.size;
}

ORDER_OF(compare_places, stackneed_place, ORDER(x->pid, y->pid) ?: ORDER(x->addr, y->addr))

ORDER_OF(compare_addresses, stackneed_place, ORDER(x->addr, y->addr))

/** From @cut to the end of its stack; false if none is near. */
static bool depth_of(const struct stackneed *need, const struct stackneed_place *cut,
		     uint64_t *ret_depth)
{
	const struct stackneed_place *ends = need->ends.items;
	size_t at = search_first(need->ends.count, i, compare_places(&ends[i], cut) > 0);

	if (at == need->ends.count || ends[at].pid != cut->pid ||
	    ends[at].addr - cut->addr >= REACH)
		return false;
	*ret_depth = ends[at].addr - cut->addr;
	return true;
}

bool stackneed_find(struct stackneed *need, uint64_t *ret_bytes)
{
	CLEANUP(vec_release) VEC(struct stackneed_place) depths = { 0 }; // addr: the depth
	uint64_t uses = 0, seen = 0;

	*ret_bytes = 0;
	if (need->cut_uses * 100 <= need->uses * MIN_PERCENT)
		return false;
	vec_sort(&need->ends, compare_places);
	vec_foreach (cut, &need->cut) {
		uint64_t depth;

		if (!depth_of(need, cut, &depth))
			continue;
		vec_push(&depths, (struct stackneed_place){ .addr = depth, .uses = cut->uses });
		uses += cut->uses;
	}
	vec_sort(&depths, compare_addresses);
	vec_foreach (depth, &depths) {
		seen += depth->uses;
		if (seen * 100 < uses * ENOUGH_PERCENT)
			continue;
		*ret_bytes = (depth->addr + KIB - 1) / KIB * KIB;
		break;
	}
	return true;
}

void stackneed_note(struct stackneed *need, const struct stackneed_limits *limits,
		    struct notes *notes)
{
	const uint32_t most = limits->most;
	uint64_t bytes;
	char what[96];

	if (!stackneed_find(need, &bytes))
		return;
	snprintf(what, sizeof(what),
		 "the call stacks of %" PRIu64 " faults are deeper than the %" PRIu64 " KiB copied",
		 need->cut_uses, (need->copied + KIB - 1) / KIB);
	if (bytes > most)
		notes_add(notes,
			  "%s; most need up to %" PRIu64
			  " KiB, more than --stack-size can copy (%uK)",
			  what, bytes / KIB, most / KIB);
	else if (bytes && bytes <= limits->bytes)
		notes_add(notes, "%s, for lack of room; record with a larger --ring-size", what);
	else if (need->copied + KIB <= limits->bytes)
		// Such as perf, at the first page that was never touched.
		notes_add(notes, "%s, less than --stack-size allows: the kernel could copy no more",
			  what);
	else if (limits->bytes >= most)
		notes_add(notes, "%s, the most that --stack-size can copy", what);
	else if (limits->lost_stacks)
		notes_add(notes, "%s; as others were lost, a larger --stack-size would lose more",
			  what);
	else if (bytes)
		notes_add(notes, "%s; record with --stack-size=%" PRIu64 "K", what, bytes / KIB);
	else
		notes_add(notes, "%s; record with a larger --stack-size (at most %uK)", what,
			  most / KIB);
}

void stackneed_deinit(struct stackneed *need)
{
	vec_deinit(&need->ends);
	vec_deinit(&need->cut);
	u64map_deinit(&need->known);
}
