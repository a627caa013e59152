// SPDX-License-Identifier: Apache-2.0
#include "budget/parts.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "model/layout.h"

#include <string.h>

// Comparing one name with all symbols of a large program would take longer than reading the trace.
enum { NAMES_MAX = 20000 };

struct names {
	VEC(const char *) list;
};

static void add_sections(struct names *names, const struct model *model)
{
	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_layout *layout = model->objects[i].layout;

		for (size_t s = 0; layout && s < layout->section_count; s++)
			vec_push(&names->list, layout->sections[s].name);
	}
}

/** All names that a value of the word could have. */
static struct names names_of(const struct field *field, const struct model *model)
{
	struct names names = { 0 };
	struct naming naming;
	size_t count = field->row_count(model);

	for (size_t i = 0; i < count && names.list.count < NAMES_MAX; i++) {
		const char *name = field->row_name(model, (uint32_t)i);

		if (!name)
			continue;
		vec_push(&names.list, name);
		if (!field->row_naming)
			continue;
		field->row_naming(&naming, model, (uint32_t)i);
		for (size_t n = 0; n < naming.count; n++)
			if (naming.names[n] != naming.place)
				vec_push(&names.list, naming.names[n]);
	}
	if (strcmp(field->name, "section") == 0)
		add_sections(&names, model);
	return names;
}

static bool is_among(const struct names *names, const char *text)
{
	for (size_t i = 0; i < names->list.count; i++)
		if (strcmp(names->list.items[i], text) == 0)
			return true;
	return false;
}

static bool was_found(const struct filter_strangers *found, const struct filter_stranger *name)
{
	for (size_t i = 0; i < found->list.count; i++)
		if (found->list.items[i].field == name->field &&
		    strcmp(found->list.items[i].text, name->text) == 0)
			return true;
	return false;
}

void strangers_add(struct strangers *strangers, struct filter_strangers *found,
		   const struct model *model, struct arena *arena)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->list.count && !strangers->is_started; i++) {
		const struct filter_stranger *name = &found->list.items[i];
		struct names names = names_of(name->field, model);
		struct stranger stranger = { .name = *name };
		// A section that no fault touched is there all the same.
		bool is_there = is_among(&names, name->text);
		const char *near = nearest_word(name->text, names.list.items, names.list.count);

		stranger.near = arena_strdup(arena, near);
		vec_deinit(&names.list);
		if (!is_there)
			vec_push(&strangers->list, stranger);
	}
	strangers->is_started = true;
	for (size_t i = 0; i < strangers->list.count; i++)
		if (was_found(found, &strangers->list.items[i].name))
			strangers->list.items[kept++] = strangers->list.items[i];
	strangers->list.count = kept;
	vec_deinit(&found->list);
}
