// SPDX-License-Identifier: Apache-2.0
// Command lines of the programs that processes executed.
#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/shownwords.h"
#include "correlate/time/lives.h"

#include <stdlib.h>

ORDER_OF_POINTERS(by_process, model_process_times,
		  ORDER(x->pid, y->pid) ?: ORDER(x->start_ns, y->start_ns))

static bool is_past(const struct model_process_times *row, uint32_t pid, uint64_t time_ns)
{
	return row->pid > pid || (row->pid == pid && row->start_ns > time_ns);
}

/** Return the words at @first and behind it that are of one command line; *@ret_count of them. */
static const char *const *take_words(struct arena *arena, const struct trace_argument *first,
				     const struct trace_argument *end, size_t *ret_count)
{
	const size_t count = trace_command_words(first, end);
	const bool is_cut = first[count - 1].flags & TRACE_ARGUMENT_CUT;
	const char **words = arena_array(arena, count + is_cut + 1, sizeof(*words));

	for (size_t i = 0; i < count; i++)
		words[i] = first[i].text;
	if (is_cut)
		words[count] = SHOWNWORDS_HIDDEN;
	*ret_count = count + is_cut;
	return words;
}

void commandlines_fill(struct arena *arena, const struct trace *trace, struct lives *lives)
{
	const size_t count = lives->processes.count;
	CLEANUP(freep) struct model_process_times **rows = xcalloc(count + 1, sizeof(*rows));
	const struct trace_argument *end;

	if (trace->arguments.count == 0)
		return;
	end = trace->arguments.items + trace->arguments.count;
	for (size_t i = 0; i < count; i++)
		rows[i] = &lives->processes.items[i];
	qsort(rows, count, sizeof(*rows), by_process);
	vec_foreach (word, &trace->arguments) {
		if (word->index != 0)
			continue;

		const size_t past =
			search_first(count, i, is_past(rows[i], word->pid, word->time_ns));

		if (past > 0 && rows[past - 1]->pid == word->pid)
			rows[past - 1]->command =
				take_words(arena, word, end, &rows[past - 1]->command_count);
	}
}
