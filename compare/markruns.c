// SPDX-License-Identifier: Apache-2.0
// Marks of the runs of both sides: how long each took to hold.
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "compare/judge.h"
#include "model/marks.h"

static struct markruns_row *find_row(struct markruns *marks, const char *name)
{
	vec_foreach (row, &marks->rows)
		if (is_same_text(row->mark.name, name))
			return row;
	vec_push(&marks->rows,
		 (struct markruns_row){
			 .mark.name = arena_strdup(marks->arena, name),
			 .runs = arena_array(marks->arena, marks->run_count, sizeof(uint64_t)),
			 .seen_in = arena_array(marks->arena, marks->run_count, sizeof(bool)),
		 });
	return &marks->rows.items[marks->rows.count - 1];
}

void markruns_add(struct markruns *marks, enum compare_side side, size_t run,
		  const struct model *model)
{
	array_foreach (mark, model->marks, model->mark_count) {
		struct markruns_row *row = find_row(marks, mark->name);

		// Those that held come first, so that the first of a name decides.
		if (row->seen_in[run])
			continue;
		row->seen_in[run] = true;
		row->mark.watched[side]++;
		row->mark.held[side] += mark->held;
		row->runs[run] = mark->held ? mark->since_ns : 0;
	}
}

void markruns_finish(struct markruns *marks, struct comparison *comparison)
{
	const size_t *run_count = comparison->run_count;
	struct compare_mark *rows = arena_array(marks->arena, marks->rows.count + 1, sizeof(*rows));
	CLEANUP(freep) struct judged *items = xcalloc(marks->rows.count + 1, sizeof(*items));
	size_t count = 0, judged = 0;

	vec_foreach (row, &marks->rows) {
		struct compare_mark *mark = &rows[count++];

		*mark = row->mark;
		mark->is_compared = mark->held[COMPARE_BEFORE] == run_count[COMPARE_BEFORE] &&
				    mark->held[COMPARE_AFTER] == run_count[COMPARE_AFTER];
		if (mark->is_compared)
			items[judged++] = judge_of_time(&mark->figure, row->runs);
	}
	judge(items, judged, run_count);
	comparison->marks = rows;
	comparison->mark_count = count;
}
