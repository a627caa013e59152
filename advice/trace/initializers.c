// SPDX-License-Identifier: Apache-2.0
// costly-initializers: functions that run before main, or when a library is loaded, fault.
//
// Speaks for an object when the faults inside its initializers are worth a finding.
#include "advice/trace/rule.h"

#include "base/strbuf.h"
#include "derive/pageset.h"

#include <stdlib.h>

enum { NAMED = 3 };

/** An initializer and the faults inside it, of those shown. */
struct row {
	const struct model_initializer *initializer;
	struct model_count count;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = (x->count.faults < y->count.faults) - (x->count.faults > y->count.faults);

	return order ? order
		     : (x->initializer > y->initializer) - (x->initializer < y->initializer);
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

static const char *describe(struct findings *findings, const struct row *rows, size_t count,
			    uint64_t faulted, uint64_t major)
{
	struct strbuf buf = { 0 };

	strbuf_printf(&buf, "%s of %s faulted", rule_number(findings, faulted),
		      rule_plural(findings, count, "initializer", "initializers"));
	if (major > 0)
		strbuf_printf(&buf, ", %s with IO",
			      rule_plural(findings, major, "fault", "faults"));
	strbuf_puts(&buf, "; most: ");
	for (size_t i = 0; i < NAMED && i < faulted; i++) {
		if (i > 0)
			strbuf_puts(&buf, ", ");
		add_name(findings, &buf, rows[i].initializer);
		strbuf_printf(&buf, " %s", rule_number(findings, rows[i].count.faults));
	}
	strbuf_putc(&buf, '.');
	const char *text = arena_strdup(findings->arena, buf.text);
	strbuf_deinit(&buf);
	return text;
}

/** @rows: those of the object's initializers; they are sorted here. */
static void look_at(struct findings *findings, uint32_t id, struct row *rows, uint64_t pages)
{
	const struct model_object *object = &findings->model->objects[id];
	struct model_count cost = { 0 };
	uint64_t faulted = 0;

	for (size_t i = 0; i < object->initializer_count; i++) {
		rule_sum(&cost, &rows[i].count);
		faulted += rows[i].count.faults > 0;
	}
	if (!rule_is_worth(findings, cost.faults))
		return;
	qsort(rows, object->initializer_count, sizeof(*rows), compare);
	rule_add(findings,
		 &(struct model_finding){
			 .id = "costly-initializers",
			 .where = rule_where(findings, "init_object", id, ""),
			 .title = "Static initializers fault",
			 .object = id,
			 .faults = cost.faults,
			 .pages = pages,
			 .duration_ns = cost.duration_ns,
			 .saves_faults = cost.faults,
			 .evidence = describe(findings, rows, object->initializer_count, faulted,
					      cost.major),
			 .advice =
				 "Make these objects constinit or constexpr, or build them at "
				 "their first use (a static variable inside a function); clang's "
				 "-Wglobal-constructors finds them. elfault analyze --initializers "
				 "lists all.",
		 });
}

void rule_initializers(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.in_initializers))
		return;

	const struct model *model = findings->model;
	struct row *rows = xcalloc(model->initializer_count + 1, sizeof(*rows));
	uint64_t *pages = xcalloc(model->object_count + 1, sizeof(*pages)); // by object
	struct pageset seen = { 0 };

	for (size_t i = 0; i < model->initializer_count; i++)
		rows[i].initializer = &model->initializers[i];
	// The model's own counts are of all faults, also of those that are not shown.
	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (fault->initializer == MODEL_NONE)
			continue;
		uint32_t object = model->initializers[fault->initializer].object;
		model_count_fault(&rows[fault->initializer].count, fault);
		pages[object] += pageset_add_for(&seen, object, fault, model->trace.page_size);
	}
	for (uint32_t i = 0; i < model->object_count; i++)
		look_at(findings, i, rows + model->objects[i].first_initializer, pages[i]);
	pageset_deinit(&seen);
	free(pages);
	free(rows);
}
