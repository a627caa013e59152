// SPDX-License-Identifier: Apache-2.0
// Places where the dynamic linker looked for libraries, for a person: a row for each folder and
// reason.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "model/search.h"

#include <stdlib.h>

/** The calls in one folder for one reason. */
struct group {
	const struct model_search *first;
	uint64_t missed, opened, ns;
};

static const char *const origins[] = {
	[MODEL_ORIGIN_RPATH] = "RPATH of",
	[MODEL_ORIGIN_RUNPATH] = "RUNPATH of",
	[MODEL_ORIGIN_LIBRARY_PATH] = "LD_LIBRARY_PATH",
	[MODEL_ORIGIN_CACHE] = "ld.so.cache",
	[MODEL_ORIGIN_DEFAULT] = "default folder",
	[MODEL_ORIGIN_NAMED] = "as named",
	[MODEL_ORIGIN_UNKNOWN] = "unknown",
};

ORDER_OF_POINTERS(compare_searches, model_search, order_text(x->folder, y->folder) ?:
		  ORDER(x->origin, y->origin) ?: ORDER(x->owner, y->owner) ?:
		  ORDER(x->time_ns, y->time_ns))

static bool are_of_one_group(const struct model_search *a, const struct model_search *b)
{
	return order_text(a->folder, b->folder) == 0 && a->origin == b->origin &&
	       a->owner == b->owner;
}

ORDER_OF(compare_groups, group,
	 ORDER(y->missed, x->missed) ?: ORDER(y->opened, x->opened)
		 ?: ORDER(x->first->time_ns, y->first->time_ns))

static void print_group(struct text *text, struct table *table, const struct group *group,
			bool has_times)
{
	const struct model_search *first = group->first;
	const char *origin = origins[first->origin];

	if (first->owner != MODEL_NONE)
		origin = arena_printf(&text->arena, "%s %s", origin,
				      text_safe(text, text->labels[first->owner]));
	table_begin_row(table);
	table_figure(table, "missed", TABLE_NUMBER, group->missed);
	table_figure(table, "opened", TABLE_NUMBER, group->opened);
	if (has_times)
		table_cell(table, "time", TABLE_RIGHT,
			   table_time(&text->arena, text->terminal, group->ns));
	table_cell(table, "whose path", TABLE_LEFT, origin);
	table_cell(table, "folder", TABLE_NAME,
		   first->folder ? text_safe(text, first->folder) : "-");
}

void text_searches(struct text *text)
{
	const struct model_searches *searches = text->model->searches;
	CLEANUP(table_destroyp) struct table *table = NULL;
	size_t count = 0;

	if (!searches)
		return;
	if (searches->untold > 0)
		fprintf(text->out,
			"\n%s of a dynamic linker that is the C library as well (musl): which of "
			"them look for libraries is not known\n",
			text_plural(text, searches->untold, "call", "calls"));
	if (searches->count == 0)
		return;
	const struct model_search **sorted =
		arena_array(&text->arena, searches->count, sizeof(*sorted));
	struct group *groups = arena_array(&text->arena, searches->count, sizeof(*groups));

	for (size_t i = 0; i < searches->count; i++)
		sorted[i] = &searches->list[i];
	qsort((void *)sorted, searches->count, sizeof(*sorted), compare_searches);
	for (size_t i = 0; i < searches->count; i++) {
		if (i == 0 || !are_of_one_group(sorted[i - 1], sorted[i]))
			groups[count++] = (struct group){ .first = sorted[i] };
		groups[count - 1].missed += model_search_missed(sorted[i]);
		groups[count - 1].opened += sorted[i]->library && !sorted[i]->error;
		groups[count - 1].ns += sorted[i]->duration_ns;
	}
	qsort(groups, count, sizeof(*groups), compare_groups);
	fprintf(text->out, "\n%sSearch for libraries%s: %s opened, %s in vain; %s",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		figure_number(&text->arena, searches->opened),
		figure_number(&text->arena, searches->missed),
		text_plural(text, searches->count, "call", "calls"));
	if (searches->has_times)
		fprintf(text->out, ", %s", table_time(&text->arena, text->terminal, searches->ns));
	fputc('\n', text->out);
	table = table_create(text->terminal);
	for (size_t i = 0; i < count && i < text->top; i++)
		print_group(text, table, &groups[i], searches->has_times);
	table_print(table, text->out);
	text_more(text, count);
}
