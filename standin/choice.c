// SPDX-License-Identifier: Apache-2.0
#include "standin/choice.h"

#include "standin/judge.h"

#include <string.h>

struct choosing {
	const struct standin_loaded *loaded;
	struct arena *arena;
	struct standin_choice *choices;
	bool *without, *stays; // room for one look
};

/** Find what stays with the stand-ins chosen so far, but for @left_out; the count: for none. */
static void look(struct choosing *choosing, size_t left_out)
{
	for (size_t i = 0; i < choosing->loaded->count; i++)
		choosing->without[i] = choosing->choices[i].stands && i != left_out;
	standinloaded_without(choosing->loaded, choosing->without, choosing->stays);
}

/** Take back those that stay away without a stand-in of their own. */
static void drop_needless(struct choosing *choosing)
{
	for (size_t i = 0; i < choosing->loaded->count; i++) {
		if (!choosing->choices[i].stands)
			continue;
		look(choosing, i);
		if (!choosing->stays[i])
			choosing->choices[i].stands = false;
	}
}

/** Take back the stand-ins without which @at is loaded. Returns: whether there is one. */
static bool take_back(struct choosing *choosing, size_t at, const char *why)
{
	const struct standin_loaded *loaded = choosing->loaded;

	for (size_t i = 0; i < loaded->count; i++) {
		if (!choosing->choices[i].stands)
			continue;
		look(choosing, i);
		if (!choosing->stays[at])
			continue;
		choosing->choices[i].stands = false;
		choosing->choices[i].why =
			arena_printf(choosing->arena, "of %s, which it brings: %s",
				     loaded->items[at]->soname, why);
		return true;
	}
	return false;
}

/**
 * Judge what several together keep away, and none alone does. Where it must not be, one that brings
 * it is taken back. Returns: whether any was.
 */
static bool drop_refused_together(struct choosing *choosing)
{
	const struct standin_loaded *loaded = choosing->loaded;
	CLEANUP(freep) bool *together = xcalloc(loaded->count, sizeof(*together));
	CLEANUP(freep) bool *stands = xcalloc(loaded->count, sizeof(*stands));

	look(choosing, loaded->count);
	for (size_t i = 0; i < loaded->count; i++) {
		together[i] = choosing->stays[i];
		stands[i] = choosing->choices[i].stands;
	}
	for (size_t i = 0; i < loaded->count; i++) {
		if (together[i] || stands[i])
			continue;
		const char *why = standin_refusal_of_initializers(loaded, loaded->items[i],
								  together, choosing->arena);

		if (why && take_back(choosing, i, why))
			return true;
	}
	const char *why = standin_refusal_of_absence(loaded, together, stands, choosing->arena);

	// Which of them brings what is needed does not matter: the last one is taken back.
	for (size_t i = loaded->count; why && i-- > 0;)
		if (stands[i]) {
			choosing->choices[i].stands = false;
			choosing->choices[i].why = why;
			return true;
		}
	return false;
}

/** Take back those that leave out too little: with each what is gained by the others changes. */
static void drop_worthless(struct choosing *choosing, const uint64_t *weights)
{
	const size_t count = choosing->loaded->count;
	CLEANUP(freep) bool *stays = xcalloc(count, sizeof(*stays));

	for (size_t i = 0; i < count; i++) {
		uint64_t gain = 0;

		if (!choosing->choices[i].stands)
			continue;
		look(choosing, count);
		memcpy(stays, choosing->stays, count * sizeof(*stays));
		look(choosing, i);
		for (size_t k = 0; k < count; k++)
			gain += choosing->stays[k] && !stays[k] ? weights[k] : 0;
		if (gain >= STANDIN_FAULTS)
			continue;
		choosing->choices[i].stands = false;
		choosing->choices[i].why = "too little to save";
	}
}

void standin_choose(const struct standin_loaded *loaded, const bool *is_used,
		    const uint64_t *weights, struct arena *arena,
		    struct standin_choice *ret_choices)
{
	CLEANUP(freep) bool *without = xcalloc(loaded->count, sizeof(*without));
	CLEANUP(freep) bool *stays = xcalloc(loaded->count, sizeof(*stays));
	struct choosing choosing = { loaded, arena, ret_choices, without, stays };

	for (size_t i = 0; i < loaded->count; i++)
		ret_choices[i] = (struct standin_choice){ 0 };
	for (size_t i = 1; i < loaded->count; i++) {
		if (is_used[i])
			continue;
		ret_choices[i].why = standin_refusal(loaded, loaded->items[i], arena);
		ret_choices[i].stands = !ret_choices[i].why;
	}
	drop_needless(&choosing);
	while (drop_refused_together(&choosing))
		continue;
	drop_worthless(&choosing, weights);
	look(&choosing, loaded->count);
	for (size_t i = 0; i < loaded->count; i++)
		ret_choices[i].is_away = !stays[i];
}
