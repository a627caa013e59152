// SPDX-License-Identifier: Apache-2.0
// How often compare/judge.c calls a difference real, over many ways to draw two sides from recorded
// runs. tests/bench/noise.py prepares the numbers and prints the table of docs/measured/noise.md.
//
//   verdicts SPLITS COUNT POOL < NUMBERS
//
// NUMBERS: a line "GROUP NAME N N …" for each row, with a number for each run; rows of one GROUP
// are judged together. COUNT runs for each side are drawn, all different: from all runs where POOL
// is 0, else those of before from the first POOL runs and those of after from the rest. Prints "any
// S", "group GROUP S", "row GROUP NAME S": the splits of which something was real.
#include "compare/judge.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	size_t group;
	char *name;
	uint64_t *values; // [run]
	uint64_t *drawn;
	struct compare_figure figure;
	size_t real;
};

struct group {
	char *name;
	size_t first, count; // of rows
	double unit;
	size_t real;
};

struct numbers {
	VEC(struct row) rows;
	VEC(struct group) groups;
	size_t runs;
};

static void read_row(struct numbers *numbers, char *line)
{
	VEC(uint64_t) values = { 0 };
	char *rest = NULL;
	char *group = strtok_r(line, " \n", &rest), *name = strtok_r(NULL, " \n", &rest);

	if (!group || !name)
		return;
	for (char *word; (word = strtok_r(NULL, " \n", &rest));)
		vec_push(&values, strtoull(word, NULL, 10));
	if (numbers->groups.count == 0 ||
	    strcmp(numbers->groups.items[numbers->groups.count - 1].name, group) != 0)
		vec_push(&numbers->groups,
			 (struct group){ .name = xstrdup(group),
					 .first = numbers->rows.count,
					 .unit = strstr(group, ".duration_ns")	? 0
						 : strstr(group, ".read_bytes") ? 4096
										: 1 });
	numbers->groups.items[numbers->groups.count - 1].count++;
	numbers->runs = values.count;
	vec_push(&numbers->rows, (struct row){ .group = numbers->groups.count - 1,
					       .name = xstrdup(name),
					       .values = values.items,
					       .drawn = xcalloc(values.count, sizeof(uint64_t)) });
}

/** Numbers that look random and are the same each time: Knuth's MMIX generator. */
static size_t draw(uint64_t *state, size_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)((*state >> 33) % limit);
}

/** Move @count of runs[first … end) to their front, by chance. */
static void shuffle(size_t *runs, size_t first, size_t end, size_t count, uint64_t *state)
{
	for (size_t i = first; i < first + count; i++) {
		size_t with = i + draw(state, end - i), run = runs[i];

		runs[i] = runs[with];
		runs[with] = run;
	}
}

/** Judge every group of rows with these runs; whether anything was real. */
static bool judge_split(struct numbers *numbers, const size_t *runs, size_t count,
			struct judged *items)
{
	const size_t run_count[COMPARE_SIDES] = { count, count };
	bool any = false;

	vec_foreach (group, &numbers->groups) {
		bool is_real = false;

		for (size_t i = 0; i < group->count; i++) {
			struct row *row = &numbers->rows.items[group->first + i];

			for (size_t k = 0; k < 2 * count; k++)
				row->drawn[k] = row->values[runs[k]];
			items[i] = (struct judged){ &row->figure, row->drawn, 1, group->unit };
		}
		judge(items, group->count, run_count);
		for (size_t i = 0; i < group->count; i++) {
			struct row *row = &numbers->rows.items[group->first + i];

			row->real += row->figure.verdict == COMPARE_REAL;
			is_real |= row->figure.verdict == COMPARE_REAL;
		}
		group->real += is_real;
		any |= is_real;
	}
	return any;
}

int main(int argc, char **argv)
{
	struct numbers numbers = { 0 };
	char *line = NULL;
	size_t capacity = 0, any = 0;
	uint64_t state = 1;

	if (argc != 4)
		return 2;
	size_t splits = strtoul(argv[1], NULL, 10), count = strtoul(argv[2], NULL, 10);
	size_t pool = strtoul(argv[3], NULL, 10);
	while (getline(&line, &capacity, stdin) > 0)
		read_row(&numbers, line);
	size_t end = pool ? pool : numbers.runs;
	if (count == 0 ||
	    (pool ? pool < count || numbers.runs < pool + count : numbers.runs < 2 * count)) {
		fprintf(stderr, "verdicts: %zu runs are too few\n", numbers.runs);
		return 1;
	}
	struct judged *items = xcalloc(numbers.rows.count + 1, sizeof(*items));
	size_t *runs = xcalloc(numbers.runs, sizeof(*runs));
	size_t *chosen = xcalloc(2 * count, sizeof(*chosen));
	for (size_t i = 0; i < numbers.runs; i++)
		runs[i] = i;
	for (size_t split = 0; split < splits; split++) {
		shuffle(runs, 0, end, pool ? count : 2 * count, &state);
		memcpy(chosen, runs, (pool ? 1 : 2) * count * sizeof(*runs));
		if (pool) {
			shuffle(runs, pool, numbers.runs, count, &state);
			memcpy(chosen + count, runs + pool, count * sizeof(*runs));
		}
		any += judge_split(&numbers, chosen, count, items);
	}
	printf("any %zu\n", any);
	vec_foreach (group, &numbers.groups)
		printf("group %s %zu\n", group->name, group->real);
	vec_foreach (row, &numbers.rows)
		if (row->real)
			printf("row %s %s %zu\n", numbers.groups.items[row->group].name, row->name,
			       row->real);
	return 0;
}
