// SPDX-License-Identifier: Apache-2.0
// One queue: both rings of a CPU have their records in the same order, so that what was passed over
// will not be asked for again.
#include "record/perf/private.h"

#include <string.h>

struct stackjoin_waiting {
	struct stackjoin_key key;
	struct trace_fault fault;
};

void stackjoin_add(struct stackjoin *join, struct stackjoin_key key,
		   const struct trace_fault *fault)
{
	// Give up the room of those that have gone, when it is most of it.
	if (join->first > join->waiting.count / 2) {
		join->waiting.count -= join->first;
		memmove(join->waiting.items, join->waiting.items + join->first,
			join->waiting.count * sizeof(*join->waiting.items));
		join->first = 0;
	}
	vec_push(&join->waiting, (struct stackjoin_waiting){ .key = key, .fault = *fault });
}

/** Deliver without a stack all before number @end. */
static void pass_over(struct stackjoin *join, size_t end, struct sink *sink)
{
	for (; join->first < end; join->first++) {
		sink_fault(sink, &join->waiting.items[join->first].fault, NULL);
		join->without++;
	}
}

const struct trace_fault *stackjoin_take(struct stackjoin *join, struct stackjoin_key key,
					 struct sink *sink)
{
	for (size_t i = join->first; i < join->waiting.count; i++) {
		const struct stackjoin_waiting *waiting = &join->waiting.items[i];

		if (waiting->key.order > key.order && waiting->key.order - key.order > join->slack)
			return NULL;
		if (waiting->key.identity != key.identity)
			continue;
		pass_over(join, i, sink);
		join->first = i + 1;
		return &waiting->fault;
	}
	return NULL;
}

void stackjoin_settle(struct stackjoin *join, uint64_t order, struct sink *sink)
{
	size_t end = join->first;

	while (end < join->waiting.count && join->waiting.items[end].key.order < order)
		end++;
	pass_over(join, end, sink);
}

void stackjoin_deinit(struct stackjoin *join)
{
	vec_deinit(&join->waiting);
	join->first = 0;
}
