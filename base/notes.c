// SPDX-License-Identifier: Apache-2.0
#include "base/notes.h"

#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct notes *notes, const char *text, uint64_t count)
{
	vec_foreach(note, &notes->list) {
		if (strcmp(note->text, text) == 0) {
			note->count += count;
			return;
		}
	}
	vec_push(&notes->list, (struct note){ .text = xstrdup(text), .count = count });
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_text(notes, text, 1);
}

void notes_merge(struct notes *notes, const struct notes *from)
{
	vec_foreach(note, &from->list)
		add_text(notes, note->text, note->count);
}

void notes_deinit(struct notes *notes)
{
	vec_foreach(note, &notes->list)
		free(note->text);
	vec_deinit(&notes->list);
}
