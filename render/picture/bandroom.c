// SPDX-License-Identifier: Apache-2.0
// How much room each band takes.
#include "render/picture/bands.h"
#include "base/cleanup.h"
#include "render/picture/scale.h"

/** Bytes count for a quarter: enough to see that a file is large, not so much that it hides. */
static double weight(const struct bands *bands, const struct band *band)
{
	static const double of_bytes = 0.25;
	double bytes = 0, pages = 0;

	for (size_t i = 0; i < bands->count; i++) {
		if ((bands->items[i].kind == BAND_BESIDE) != (band->kind == BAND_BESIDE))
			continue;
		bytes += (double)range_size(bands->items[i].range);
		pages += (double)bands->items[i].pages;
	}
	return (bytes > 0 ? of_bytes * (double)range_size(band->range) / bytes : 0) +
	       (pages > 0 ? (1 - of_bytes) * (double)band->pages / pages : 0);
}

void bands_place(struct bands *bands, const struct band_room *room)
{
	CLEANUP(freep) double *weights = xcalloc(bands->count, sizeof(*weights));
	CLEANUP(freep) unsigned *minima = xcalloc(bands->count, sizeof(*minima));
	CLEANUP(freep) unsigned *shares = xcalloc(bands->count, sizeof(*shares));
	// Without a file, its lanes share the room.
	size_t sharing = bands->own_count > 0 ? bands->own_count : bands->count;
	unsigned fixed = 0, top = 0;

	for (size_t i = 0; i < bands->count; i++) {
		const struct band *band = &bands->items[i];

		if (i > 0 && band->kind != band[-1].kind)
			fixed += room->gap;
		if (band->kind == BAND_BESIDE && sharing < bands->count) {
			fixed += room->beside;
			shares[i] = room->beside;
			continue;
		}
		minima[i] = band->faults > 0 ? room->touched : room->cold;
		weights[i] = weight(bands, band);
	}
	scale_share(weights, minima, sharing, room->total > fixed ? room->total - fixed : 0,
		    shares);
	for (size_t i = 0; i < bands->count; i++) {
		if (i > 0 && bands->items[i].kind != bands->items[i - 1].kind)
			top += room->gap;
		bands->items[i].top = top;
		bands->items[i].height = shares[i];
		top += shares[i];
	}
}
