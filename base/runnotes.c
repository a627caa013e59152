// SPDX-License-Identifier: Apache-2.0
#include "base/runnotes.h"

#include "base/cleanup.h"
#include "base/figure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct runnote *find(const struct runnotes *notes, const char *text)
{
	vec_foreach (note, &notes->list)
		if (strcmp(note->text, text) == 0)
			return note;
	return NULL;
}

const struct runnote *runnotes_find(const struct runnotes *notes, const char *text)
{
	return find(notes, text);
}

void runnotes_add(struct runnotes *notes, const struct notes *run)
{
	notes->run_count++;
	vec_foreach (note, &run->list) {
		struct runnote *same = find(notes, note->text);

		if (!same) {
			vec_push(&notes->list, (struct runnote){ .text = xstrdup(note->text),
								 .least = note->count,
								 .most = note->count,
								 .runs = 1 });
			continue;
		}
		same->runs++;
		if (same->least > note->count)
			same->least = note->count;
		if (same->most < note->count)
			same->most = note->count;
	}
}

void runnote_print(const struct runnotes *notes, const struct runnote *note, struct strbuf *buf)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	bool is_counted = note->most > 1, is_in_all = note->runs == notes->run_count;

	strbuf_puts(buf, note->text);
	if (!is_counted && is_in_all)
		return;
	strbuf_puts(buf, " (");
	if (note->least < note->most)
		strbuf_printf(buf, "%s to ", figure_number(&arena, note->least));
	if (is_counted)
		strbuf_printf(buf, "%s times", figure_number(&arena, note->most));
	if (!is_in_all)
		strbuf_printf(buf, "%sin %zu of %zu runs", is_counted ? ", " : "", note->runs,
			      notes->run_count);
	else if (notes->run_count > 1)
		strbuf_printf(buf, " in each of %zu runs", notes->run_count);
	strbuf_putc(buf, ')');
}

void runnotes_deinit(struct runnotes *notes)
{
	vec_foreach (note, &notes->list)
		free(note->text);
	vec_deinit(&notes->list);
}
