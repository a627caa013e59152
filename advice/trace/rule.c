// SPDX-License-Identifier: Apache-2.0
#include "advice/trace/rule.h"

#include "base/figure.h"

#include <string.h>

/** A name of C++ may be kilobytes long; a sentence with it says no more. */
enum { NAME_BYTES = 72 };

bool rule_is_worth(const struct findings *findings, uint64_t faults)
{
	return faults >= RULE_MIN_FAULTS &&
	       kit_is_share((double)faults, (double)findings->model->total.faults,
			    RULE_MIN_PERCENT);
}

void rule_add(struct findings *findings, uint32_t object, const struct model_count *cost,
	      uint64_t pages, uint64_t saves, const struct kit_value *values)
{
	const struct rule *rule = findings->rule;
	struct arena *arena = findings->arena;

	if (object != MODEL_NONE) {
		const char *path = findings->model->objects[object].path;

		values = kit_prepend(arena, (struct kit_value){ "object", kit_escape(arena, path) },
				     values);
	}
	const struct model_finding finding = {
		.id = rule->prose.id,
		.title = kit_fill(arena, rule->prose.title, values),
		.object = object,
		.where = kit_fill(arena, rule->where, values),
		.faults = cost->faults,
		.pages = pages,
		.duration_ns = cost->duration_ns,
		.saves_faults = saves,
		.evidence = kit_fill(arena, rule->prose.evidence, values),
		.advice = kit_fill(arena, rule->prose.fix, values),
	};
	vec_push(&findings->list, finding);
}

const char *rule_read(struct findings *findings, const struct model_count *count)
{
	if (count->read_pages == 0)
		return "";
	return arena_printf(findings->arena, " They read %s.",
			    figure_size(findings->arena, model_read_bytes(findings->model, count)));
}

void rule_sum(struct model_count *count, const struct model_count *from)
{
	count->faults += from->faults;
	count->major += from->major;
	count->duration_ns += from->duration_ns;
	count->read_pages += from->read_pages;
}

struct model_count rule_on_section(const struct findings *findings,
				   const struct model_object *object, const char *section,
				   enum model_initiator initiator)
{
	struct model_count count = { 0 };

	for (size_t i = 0; i < object->section_count; i++) {
		const char *name = findings->model->sections[object->sections[i]].name;

		if (name && strcmp(name, section) == 0)
			rule_sum(&count, &findings->by_section[object->sections[i]].by[initiator]);
	}
	return count;
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80; // of a character of UTF-8
}

const char *rule_name(struct findings *findings, const char *name)
{
	if (!name)
		return "(no name)";
	size_t length = strlen(name), head = NAME_BYTES / 2, tail = length - NAME_BYTES / 2;

	if (length <= NAME_BYTES)
		return arena_strdup(findings->arena, name);
	while (head > 0 && is_continuation(name[head]))
		head--;
	while (tail < length && is_continuation(name[tail]))
		tail++;
	return arena_printf(findings->arena, "%.*s...%s", (int)head, name, name + tail);
}

const char *rule_label(struct findings *findings, uint32_t object)
{
	const struct model *model = findings->model;
	const char *name = model_object_name(&model->objects[object]);

	for (uint32_t i = 0; i < model->object_count; i++)
		if (i != object && strcmp(model_object_name(&model->objects[i]), name) == 0)
			name = model->objects[object].path;
	return rule_name(findings, name);
}

const char *rule_command(struct findings *findings, const uint64_t *counts)
{
	const struct model *model = findings->model;

	if (model->comm_count == 0)
		return "(no name)";
	return rule_name(findings, model->comms[kit_largest(counts, model->comm_count)]);
}

const char *rule_most(struct findings *findings, const uint64_t *counts, size_t most)
{
	const struct model *model = findings->model;
	const char *text = NULL;
	size_t last = SIZE_MAX;

	for (size_t n = 0; n < most; n++) {
		size_t best = SIZE_MAX;

		// The next after the last one, by count and then by index.
		for (size_t i = 0; i < model->object_count; i++) {
			bool is_left = last == SIZE_MAX || counts[i] < counts[last] ||
				       (counts[i] == counts[last] && i > last);

			if (is_left && counts[i] > 0 &&
			    (best == SIZE_MAX || counts[i] > counts[best]))
				best = i;
		}
		if (best == SIZE_MAX)
			break;
		last = best;
		text = kit_append(findings->arena, text, ", ",
				  arena_printf(findings->arena, "%s %s",
					       rule_label(findings, (uint32_t)best),
					       figure_number(findings->arena, counts[best])));
	}
	return text ? text : "nothing";
}
