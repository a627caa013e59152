// SPDX-License-Identifier: Apache-2.0
// What C makes of axes and rooms, as one JSON document: twins.js has the page's modules make
// the same of the same. What is right is said in tests/unit; here nothing is expected twice.
#include "base/cleanup.h"
#include "render/json/node.h"
#include "render/picture/scale.h"

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

static struct json_object *ticks_new(bool is_time, uint64_t first, uint64_t last, size_t limit)
{
	struct json_object *object = node_object(), *list = node_array();
	const struct scale scale = { .first = first, .last = last, .length = 1000 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;
	const struct scale_tick *ticks =
		is_time ? scale_time_ticks(&arena, &scale, "\xc2\xb5s", limit, &count)
			: scale_size_ticks(&arena, &scale, limit, &count);

	for (size_t i = 0; i < count; i++) {
		struct json_object *tick = node_object();

		node_add_number(tick, "value", ticks[i].value);
		node_add_text(tick, "label", ticks[i].label);
		node_append(list, tick);
	}
	node_add_bool(object, "is_time", is_time);
	node_add_number(object, "first", first);
	node_add_number(object, "last", last);
	node_add_number(object, "limit", limit);
	node_add(object, "ticks", list);
	return object;
}

static struct json_object *all_ticks(void)
{
	struct json_object *list = node_array();

	// From one of a unit on; never less than 1 ns apart; nothing but one value.
	node_append(list, ticks_new(true, 0, 1200000000, 9));
	node_append(list, ticks_new(true, 0, 999999999, 9));
	node_append(list, ticks_new(false, 0, 3 << 19, 9));
	node_append(list, ticks_new(true, 5, 7, 9));
	node_append(list, ticks_new(true, 7, 7, 9));
	for (unsigned i = 0; i < 300; i++) {
		uint64_t first = toss(2) ? 0 : (uint64_t)draw(1 << 20) << draw(20);
		uint64_t span = (uint64_t)draw(1 << 20) << draw(20);
		size_t limit = 3 + draw(12);

		node_append(list, ticks_new(true, first, first + span, limit));
		// Few decimals: libc and JavaScript round halves of the tenth differently.
		first = toss(2) ? 0 : (uint64_t)draw(64) << 12;
		span = (uint64_t)(1 + draw(1 << 8)) << (10 + draw(24));
		node_append(list, ticks_new(false, first, first + span, limit));
	}
	return list;
}

static struct json_object *shares_new(const double *weights, const unsigned *minima, size_t count,
				      unsigned total)
{
	struct json_object *object = node_object();
	struct json_object *lists[] = { node_array(), node_array(), node_array() };
	unsigned *shares = xcalloc(count, sizeof(*shares));

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
	free(shares);
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

int main(void)
{
	CLEANUP(node_putp) struct json_object *document = node_object();

	node_add(document, "ticks", all_ticks());
	node_add(document, "shares", all_shares());
	return puts(json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN)) < 0;
}
