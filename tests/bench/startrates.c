// SPDX-License-Identifier: Apache-2.0
// How often `bench` sees a difference, over many ways to draw starts from those of a command that
// was compared with itself. tests/bench/starts.py measures the starts and prints the table of
// docs/measured/bench.md.
//
//   startrates COMPARISONS CHANGE SECONDS RUNS < PAIRS
//
// PAIRS: a line "WALL PROCESSOR WALL PROCESSOR" for each pair of starts, in their order:
// nanoseconds. A comparison takes pairs that lie one behind the other, from a random one on. In
// each four starts chance decides which two are of the second command, as in `bench`; their times
// become longer by CHANGE (-0.03: shorter). It ends after RUNS pairs; where that is 0, as `bench`
// does: when the interval is narrow, or when SECONDS are over. Prints comparisons, those with a
// verdict and those of which the interval lacks CHANGE, by wall time and by processor time, and the
// median of the pairs they took.
#include "compare/bench.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MOST = 1000 };

struct pair {
	uint64_t wall_ns[2], processor_ns[2];
};

/** Verdicts of comparisons. */
struct rates {
	size_t verdicts, outside;
};

struct drawing {
	struct pair *pairs;
	size_t count;
	double change, limit_ns;
	size_t runs;
};

/** Chance that is the same in every call of the program. */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static uint64_t changed(const struct drawing *drawing, size_t command, uint64_t ns)
{
	return command == 0 ? ns : (uint64_t)((double)ns * (1 + drawing->change));
}

static void count(struct rates *rates, const struct drawing *drawing,
		  const struct bench_difference *found)
{
	rates->verdicts += found->verdict == BENCH_FASTER || found->verdict == BENCH_SLOWER;
	rates->outside += found->has_limits &&
			  (found->low > drawing->change || found->high < drawing->change);
}

/** Returns the pairs that it took. */
static size_t draw(const struct drawing *drawing, struct rates *wall, struct rates *processor)
{
	static struct bench_start starts[BENCH_COMMANDS][RUNS_MOST];
	const struct bench_start *const sides[] = { starts[0], starts[1] };
	size_t most = drawing->runs ? drawing->runs : RUNS_MOST, look = bench_next_look(0);
	size_t at = next_random() % drawing->count, pairs = 0;
	bool is_turned = false;
	double elapsed_ns = 0;

	do {
		const struct pair *pair = &drawing->pairs[(at + pairs) % drawing->count];

		is_turned = pairs % 2 == 0 ? next_random() >> 32 & 1 : !is_turned;
		for (size_t i = 0; i < BENCH_COMMANDS; i++) {
			const size_t start = is_turned ? 1 - i : i;

			starts[i][pairs].values[BENCH_OWN] =
				changed(drawing, i, pair->wall_ns[start]);
			starts[i][pairs].values[BENCH_PROCESSOR] =
				changed(drawing, i, pair->processor_ns[start]);
			elapsed_ns += (double)pair->wall_ns[start];
		}
		pairs++;
	} while (pairs < most &&
		 (drawing->runs > 0 || !bench_has_enough(sides, pairs, (uint64_t)elapsed_ns,
							 (uint64_t)drawing->limit_ns, &look)));
	const struct bench_difference by_own = bench_judge(sides, pairs, BENCH_OWN);
	const struct bench_difference by_processor = bench_judge(sides, pairs, BENCH_PROCESSOR);

	count(wall, drawing, &by_own);
	count(processor, drawing, &by_processor);
	return pairs;
}

int main(int argc, char **argv)
{
	CLEANUP(vec_release) VEC(struct pair) pairs = { 0 };
	CLEANUP(vec_release) VEC(uint64_t) taken = { 0 };
	struct rates wall = { 0 }, processor = { 0 };
	struct pair pair;

	if (argc != 5) {
		fputs("usage: startrates COMPARISONS CHANGE SECONDS RUNS < PAIRS\n", stderr);
		return 2;
	}
	while (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &pair.wall_ns[0],
		     &pair.processor_ns[0], &pair.wall_ns[1], &pair.processor_ns[1]) == 4)
		vec_push(&pairs, pair);
	const struct drawing drawing = {
		.pairs = pairs.items,
		.count = pairs.count,
		.change = atof(argv[2]),
		.limit_ns = atof(argv[3]) * 1e9,
		.runs = (size_t)atol(argv[4]),
	};
	size_t comparisons = (size_t)atol(argv[1]);

	if (pairs.count == 0 || drawing.runs > RUNS_MOST)
		return 1;
	for (size_t i = 0; i < comparisons; i++) {
		const size_t pairs_taken = draw(&drawing, &wall, &processor);

		vec_push(&taken, pairs_taken);
	}
	printf("%zu %zu %zu %zu %zu %.0f\n", comparisons, wall.verdicts, wall.outside,
	       processor.verdicts, processor.outside, median_of(taken.items, taken.count));
	return 0;
}
