// SPDX-License-Identifier: Apache-2.0
#include "compare/pairhint.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <string.h>

enum { MOST_PAIRS = 4 };

typedef VEC(const struct compare_object *) object_list;

/** The ELF files that only @side has, as the table of objects has them: what differs most first. */
static void list_alone(const struct comparison *comparison, enum compare_side side,
		       object_list *list)
{
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_OBJECT]; i++) {
		uint32_t id = comparison->rows[COMPARE_BY_OBJECT][i].object;

		if (id == MODEL_NONE)
			continue;
		const struct compare_object *object = &comparison->objects[id];
		if (object->is_file && object->layout[side].is_known && !object->path[!side])
			vec_push(list, object);
	}
}

/** Letters of a name before ".so", which is no sign of kinship. */
static size_t stem(const char *name)
{
	const char *end = strstr(name, ".so");

	return end && end > name ? (size_t)(end - name) : strlen(name);
}

/** How many letters @a and @b share at both ends; 0 if that is less than half of either. */
static size_t likeness(const char *a, const char *b)
{
	size_t a_length = stem(a), b_length = stem(b);
	size_t least = a_length < b_length ? a_length : b_length;
	size_t most = a_length < b_length ? b_length : a_length;
	size_t start = 0, end = 0;

	while (start < least && a[start] == b[start])
		start++;
	while (end < least - start && a[a_length - 1 - end] == b[b_length - 1 - end])
		end++;
	return (start + end) * 2 >= most ? start + end : 0;
}

/** The one of @list that is most like @object, as an index; list->count: none. */
static size_t find_like(const object_list *list, const struct compare_object *object)
{
	size_t found = list->count, most = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct compare_object *other = list->items[i];

		if (!other)
			continue;
		bool are_programs = !object->layout[COMPARE_BEFORE].is_library &&
				    !other->layout[COMPARE_AFTER].is_library;
		size_t like = likeness(object->label, other->label) + are_programs;

		if (like > most) {
			most = like;
			found = i;
		}
	}
	return found;
}

const char *pairhint(struct arena *arena, const struct comparison *comparison)
{
	object_list before = { 0 }, after = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf pairs = { 0 };
	size_t count = 0;

	list_alone(comparison, COMPARE_BEFORE, &before);
	list_alone(comparison, COMPARE_AFTER, &after);
	vec_foreach (object, &before) {
		size_t like = find_like(&after, *object);

		if (like == after.count || count == MOST_PAIRS)
			continue;
		strbuf_printf(&pairs, " --pair %s=%s", (*object)->label, after.items[like]->label);
		after.items[like] = NULL;
		count++;
	}
	vec_deinit(&before);
	vec_deinit(&after);
	if (count == 0)
		return NULL;
	return arena_printf(arena,
			    "Files on one side only are not compared. If these are builds of the "
			    "same file, add%s.",
			    strbuf_text(&pairs));
}
