// SPDX-License-Identifier: Apache-2.0
// How often `bench` sees a difference, over many ways to draw starts from those of a command that
// was compared with itself. tests/bench/starts.py measures the starts and prints the table of
// docs/measured/bench.md.
//
//   startrates COMPARISONS CHANGE SECONDS RUNS < PAIRS
//
// PAIRS: a line "FIRST SECOND" for each pair of starts, in their order: wall times in nanoseconds.
// A comparison takes pairs that lie one behind the other, from a random one on. In each four starts
// chance decides which two are of the second command, as in `bench`; their times become longer by
// CHANGE (-0.03: shorter). It ends after RUNS pairs; where that is 0, as `bench` does: when the
// interval is narrow, or when SECONDS are over. Prints comparisons, those with a verdict, those of
// which the interval lacks CHANGE, and the median of the pairs they took.
#include "compare/bench.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MOST = 1000 };

struct pair {
	uint64_t wall_ns[2];
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

static struct bench_difference draw(const struct drawing *drawing)
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
			uint64_t wall_ns = pair->wall_ns[is_turned ? 1 - i : i];

			starts[i][pairs].values[BENCH_WALL] =
				i == 0 ? wall_ns
				       : (uint64_t)((double)wall_ns * (1 + drawing->change));
			elapsed_ns += (double)wall_ns;
		}
		pairs++;
	} while (pairs < most &&
		 (drawing->runs > 0 || !bench_has_enough(sides, pairs, (uint64_t)elapsed_ns,
							 (uint64_t)drawing->limit_ns, &look)));
	return bench_judge(sides, pairs);
}

int main(int argc, char **argv)
{
	VEC(struct pair) pairs = { 0 };
	VEC(uint64_t) taken = { 0 };
	size_t verdicts = 0, outside = 0;
	unsigned long long first, second;

	if (argc != 5) {
		fputs("usage: startrates COMPARISONS CHANGE SECONDS RUNS < PAIRS\n", stderr);
		return 2;
	}
	while (scanf("%llu %llu", &first, &second) == 2)
		vec_push(&pairs, (struct pair){ { first, second } });
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
		const struct bench_difference found = draw(&drawing);

		verdicts += found.verdict == BENCH_FASTER || found.verdict == BENCH_SLOWER;
		outside += found.has_limits &&
			   (found.low > drawing.change || found.high < drawing.change);
		vec_push(&taken, found.pairs);
	}
	printf("%zu %zu %zu %.0f\n", comparisons, verdicts, outside,
	       median_of(taken.items, taken.count));
	vec_deinit(&taken);
	vec_deinit(&pairs);
	return 0;
}
