// SPDX-License-Identifier: Apache-2.0
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

#include <string.h>

/** A name of C++ may be kilobytes long; a sentence with it says no more. */
enum { NAME_BYTES = 72 };

bool rule_is_share(uint64_t part, uint64_t whole, unsigned percent)
{
	// In this order neither side overflows.
	return part > 0 && (double)part * 100 >= (double)whole * percent;
}

bool rule_is_worth(const struct findings *findings, uint64_t faults)
{
	return faults >= RULE_MIN_FAULTS &&
	       rule_is_share(faults, findings->model->total.faults, RULE_MIN_PERCENT);
}

void rule_add(struct findings *findings, const struct model_finding *finding)
{
	vec_push(&findings->list, *finding);
}

const char *rule_read(struct findings *findings, const struct model_count *count)
{
	if (count->read_pages == 0)
		return "";
	return rule_text(findings, " They read %s.",
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
	return rule_text(findings, "%.*s...%s", (int)head, name, name + tail);
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

const char *rule_where(struct findings *findings, const char *word, uint32_t object,
		       const char *rest)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	strbuf_printf(&text, "%s=", word);
	for (const char *c = findings->model->objects[object].path; *c; c++) {
		if (strchr(",|*?\"\\", *c))
			strbuf_putc(&text, '\\'); // stands for itself
		strbuf_putc(&text, *c);
	}
	strbuf_printf(&text, "%s%s", rest[0] ? "," : "", rest);
	return arena_strdup(findings->arena, strbuf_text(&text));
}

const char *rule_number(struct findings *findings, uint64_t number)
{
	return figure_number(findings->arena, number);
}

const char *rule_plural(struct findings *findings, uint64_t count, const char *one,
			const char *many)
{
	return rule_text(findings, "%s %s", rule_number(findings, count), count == 1 ? one : many);
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
		text = rule_text(findings, "%s%s%s %s", text ? text : "", text ? ", " : "",
				 rule_label(findings, (uint32_t)best),
				 rule_number(findings, counts[best]));
	}
	return text ? text : "nothing";
}
