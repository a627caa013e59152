// SPDX-License-Identifier: Apache-2.0
#include "derive/locality.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/vec.h"

/** Every start and end once, in order. Between two of them lies a piece, whole in each range. */
static size_t list_cuts(const struct range *ranges, size_t count, uint64_t *cuts)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		cuts[2 * i] = ranges[i].start;
		cuts[2 * i + 1] = ranges[i].end;
	}
	qsort(cuts, 2 * count, sizeof(*cuts), order_u64);
	for (size_t i = 0; i < 2 * count; i++)
		if (kept == 0 || cuts[kept - 1] != cuts[i])
			cuts[kept++] = cuts[i];
	return kept;
}

static size_t find_cut(const uint64_t *cuts, size_t count, uint64_t value)
{
	return search_first(count, i, cuts[i] >= value);
}

/** The first piece from @piece on that is not taken; the way there is made shorter for the next. */
static size_t find_free(size_t *nexts, size_t piece)
{
	while (nexts[piece] != piece) {
		nexts[piece] = nexts[nexts[piece]];
		piece = nexts[piece];
	}
	return piece;
}

void cover_gains(const struct range *ranges, size_t count, uint64_t *ret_gains)
{
	CLEANUP(freep) uint64_t *cuts = xcalloc(count + 1, 2 * sizeof(*cuts));
	size_t cut_count = list_cuts(ranges, count, cuts);
	CLEANUP(freep) size_t *nexts = xcalloc(cut_count + 1, sizeof(*nexts));

	for (size_t piece = 0; piece < cut_count; piece++)
		nexts[piece] = piece;
	for (size_t i = 0; i < count; i++) {
		size_t piece = find_free(nexts, find_cut(cuts, cut_count, ranges[i].start));

		ret_gains[i] = 0;
		while (cuts[piece] < ranges[i].end) {
			ret_gains[i] += cuts[piece + 1] - cuts[piece];
			nexts[piece] = piece + 1;
			piece = find_free(nexts, piece);
		}
	}
}
