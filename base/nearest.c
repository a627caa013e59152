// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <string.h>

enum { LENGTH_MAX = 48 }; // longer words are not compared

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/** Edit distance with swaps of neighbours; both words are at most LENGTH_MAX long. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned rows[3][LENGTH_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	for (unsigned j = 0; j <= b_length; j++)
		last[j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned changed = last[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = least(changed, least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		unsigned *free_row = before;

		before = last;
		last = row;
		row = free_row;
	}
	return last[b_length];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
	size_t length = strlen(word);
	const char *best = NULL;
	unsigned best_distance = 0;

	if (length > LENGTH_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(words[i]);

		if (other > LENGTH_MAX)
			continue;
		unsigned found = distance(word, length, words[i], other);
		// A third of the letters may be wrong, and two of a short word.
		size_t limit = other / 3 > 2 ? other / 3 : 2;

		if (found <= limit && found < other && (!best || found < best_distance)) {
			best = words[i];
			best_distance = found;
		}
	}
	return best;
}
