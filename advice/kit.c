// SPDX-License-Identifier: Apache-2.0
#include "advice/kit.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

const struct kit_value *kit_prepend(struct arena *arena, struct kit_value first,
				    const struct kit_value *values)
{
	size_t count = 0;

	while (values[count].name)
		count++;
	struct kit_value *all = arena_array(arena, count + 2, sizeof(*all));
	all[0] = first;
	memcpy(all + 1, values, (count + 1) * sizeof(*all));
	return all;
}

/** The value whose name begins at @name and ends with a brace; NULL: there is none. */
static const struct kit_value *find_value(const struct kit_value *values, const char *name)
{
	size_t length = strcspn(name, "}");

	for (; values->name; values++)
		if (strlen(values->name) == length && strncmp(values->name, name, length) == 0)
			return values;
	return NULL;
}

const char *kit_fill(struct arena *arena, const char *text, const struct kit_value *values)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	if (!text)
		return NULL;
	for (const char *c = text; *c; c++) {
		const struct kit_value *value = *c == '{' ? find_value(values, c + 1) : NULL;

		if (value) {
			strbuf_puts(&buf, value->text);
			c += strlen(value->name) + 1;
		} else if (*c != '`') {
			strbuf_putc(&buf, *c);
		}
	}
	return arena_strdup(arena, strbuf_text(&buf));
}

const char *kit_plural(struct arena *arena, uint64_t count, const char *noun)
{
	bool ends_in_s = noun[strlen(noun) - 1] == 's';

	return arena_printf(arena, "%s %s%s", figure_number(arena, count), noun,
			    count == 1	? ""
			    : ends_in_s ? "es"
					: "s");
}

const char *kit_append(struct arena *arena, const char *list, const char *separator,
		       const char *item)
{
	return list ? arena_printf(arena, "%s%s%s", list, separator, item) : item;
}

const char *kit_escape(struct arena *arena, const char *path)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (const char *c = path; *c; c++) {
		if (strchr(",|*?\"\\", *c))
			strbuf_putc(&text, '\\');
		strbuf_putc(&text, *c);
	}
	return arena_strdup(arena, strbuf_text(&text));
}

bool kit_is_per_mille(double part, double whole, unsigned per_mille)
{
	return part > 0 && part * 1000 >= whole * per_mille;
}

bool kit_is_share(double part, double whole, unsigned percent)
{
	return kit_is_per_mille(part, whole, percent * 10);
}

size_t kit_largest(const uint64_t *counts, size_t count)
{
	size_t largest = 0;

	for (size_t i = 1; i < count; i++)
		if (counts[i] > counts[largest])
			largest = i;
	return largest;
}

void *kit_sorted(struct arena *arena, const void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b))
{
	void *sorted = arena_array(arena, count + 1, size);

	if (count > 0) {
		memcpy(sorted, items, count * size);
		qsort(sorted, count, size, compare);
	}
	return sorted;
}
