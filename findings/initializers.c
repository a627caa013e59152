// SPDX-License-Identifier: Apache-2.0
// costly-initializers: functions that run before main, or when a library is loaded, fault.
//
// Speaks for an object when the faults inside its initializers are worth a finding.
#include "findings/rule.h"

#include "base/strbuf.h"
#include "findings/pageset.h"

#include <stdlib.h>

enum { NAMED = 3 };

static int compare(const void *a, const void *b)
{
	const struct model_initializer *x = *(const struct model_initializer *const *)a;
	const struct model_initializer *y = *(const struct model_initializer *const *)b;
	int order = (x->count.faults < y->count.faults) - (x->count.faults > y->count.faults);

	return order ? order : (x > y) - (x < y);
}

/** The initializers of @object, those with most faults first. */
static const struct model_initializer *const *sort_worst(const struct findings *findings,
							 const struct model_object *object)
{
	const struct model_initializer **sorted =
		xcalloc(object->initializer_count, sizeof(*sorted));

	for (size_t i = 0; i < object->initializer_count; i++)
		sorted[i] = &findings->model->initializers[object->first_initializer + i];
	qsort(sorted, object->initializer_count, sizeof(*sorted), compare);
	return sorted;
}

/** Distinct pages that faulted inside initializers of @object. */
static uint64_t count_pages(const struct findings *findings, uint32_t object)
{
	const struct model *model = findings->model;
	struct pageset pages = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (fault->initializer != MODEL_NONE &&
		    model->initializers[fault->initializer].object == object)
			pageset_add(&pages, fault, model->trace.page_size);
	}
	uint64_t count = pageset_count(&pages);
	pageset_deinit(&pages);
	return count;
}

static void add_name(struct findings *findings, struct strbuf *buf,
		     const struct model_initializer *initializer)
{
	if (initializer->function)
		strbuf_puts(buf, rule_name(findings, initializer->function));
	else
		strbuf_printf(buf, "%s[%u]", initializer->array, initializer->index);
	if (initializer->source)
		strbuf_printf(buf, " of %s", rule_name(findings, initializer->source));
}

static void look_at(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	struct model_count cost = { 0 };
	uint64_t faulted = 0;

	for (size_t i = 0; i < object->initializer_count; i++) {
		const struct model_count *count =
			&findings->model->initializers[object->first_initializer + i].count;

		rule_sum(&cost, count);
		faulted += count->faults > 0;
	}
	if (!rule_is_worth(findings, cost.faults))
		return;

	const struct model_initializer *const *worst = sort_worst(findings, object);
	struct strbuf buf = { 0 };

	strbuf_printf(
		&buf, "%s of %s faulted", rule_number(findings, faulted),
		rule_plural(findings, object->initializer_count, "initializer", "initializers"));
	if (cost.major > 0)
		strbuf_printf(&buf, ", %s with IO",
			      rule_plural(findings, cost.major, "fault", "faults"));
	strbuf_puts(&buf, "; most: ");
	for (size_t i = 0; i < NAMED && i < faulted; i++) {
		if (i > 0)
			strbuf_puts(&buf, ", ");
		add_name(findings, &buf, worst[i]);
		strbuf_printf(&buf, " %s", rule_number(findings, worst[i]->count.faults));
	}
	strbuf_putc(&buf, '.');
	rule_add(findings,
		 &(struct model_finding){
			 .id = "costly-initializers",
			 .title = "Static initializers fault",
			 .object = id,
			 .faults = cost.faults,
			 .pages = count_pages(findings, id),
			 .duration_ns = cost.duration_ns,
			 .saves_faults = cost.faults,
			 .evidence = arena_strdup(findings->arena, buf.text),
			 .advice =
				 "Make these objects constinit or constexpr, or build them at "
				 "their first use (a static variable inside a function); clang's "
				 "-Wglobal-constructors finds them. elfault analyze --initializers "
				 "lists all.",
		 });
	strbuf_deinit(&buf);
	free((void *)worst);
}

void rule_initializers(struct findings *findings)
{
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i]);
}
