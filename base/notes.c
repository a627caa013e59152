// SPDX-License-Identifier: Apache-2.0
#include "base/notes.h"

#include "base/cleanup.h"
#include "base/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void notes_add_text(struct notes *notes, const char *text, uint64_t count)
{
	vec_foreach (note, &notes->list) {
		if (strcmp(note->text, text) == 0) {
			note->count += count;
			return;
		}
	}
	vec_reserve(&notes->list, notes->list.count + 1); // where it fails nothing is half made
	char *copy = xstrdup(text);
	vec_push(&notes->list, (struct note){ .text = copy, .count = count });
}

static void add_format(struct notes *notes, uint64_t count, const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	notes_add_text(notes, text, count);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_format(notes, 1, format, args);
	va_end(args);
}

void notes_add_counted(struct notes *notes, uint64_t count, const char *format, ...)
{
	va_list args;

	if (count == 0)
		return;
	va_start(args, format);
	add_format(notes, count, format, args);
	va_end(args);
}

void notes_merge(struct notes *notes, const struct notes *from)
{
	vec_foreach (note, &from->list)
		notes_add_text(notes, note->text, note->count);
}

void note_print(const struct note *note, struct strbuf *buf)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	strbuf_puts(buf, note->text);
	if (note->count > 1)
		strbuf_printf(buf, " (%s times)", figure_number(&arena, note->count));
}

void notes_deinit(struct notes *notes)
{
	vec_foreach (note, &notes->list)
		free(note->text);
	vec_deinit(&notes->list);
}
