// SPDX-License-Identifier: Apache-2.0
// cold-start: pages were waited for until the disk had delivered them.
//
// Speaks for the whole run from MIN_MAJOR major faults on, when they are MIN_PERCENT of the time
// spent in faults, or worth a finding where times are not known.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "base/strbuf.h"
#include "derive/pageset.h"

#include <stdlib.h>

enum { MIN_MAJOR = 8, MIN_PERCENT = 5, NAMED = 4 };

static int compare(const void *a, const void *b, void *context)
{
	const struct model_count *counts = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = (counts[x].major < counts[y].major) - (counts[x].major > counts[y].major);

	return order ? order : (x > y) - (x < y);
}

static void add_section(struct findings *findings, struct strbuf *buf, uint32_t index,
			uint64_t major)
{
	const struct model *model = findings->model;
	const struct model_section *section = &model->sections[index];

	strbuf_puts(buf, buf->length > 0 ? ", " : "");
	if (section->object != MODEL_NONE)
		strbuf_printf(buf, "%s ", rule_label(findings, section->object));
	strbuf_printf(buf, "%s %s", section->name ? section->name : "(unknown section)",
		      rule_number(findings, major));
	if (section->size > 0)
		strbuf_printf(buf, " (%s)", figure_size(findings->arena, section->size));
}

void rule_coldstart(struct findings *findings)
{
	if (findings->model->total.major < MIN_MAJOR)
		return;

	const struct model *model = findings->model;
	struct model_count *counts = xcalloc(model->section_count + 1, sizeof(*counts));
	struct model_count cost = { 0 };
	struct pageset pages = { 0 };
	VEC(uint32_t) sections = { 0 };
	struct strbuf buf = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (fault->kind != MODEL_MAJOR)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, fault, model->trace.page_size);
		if (fault->at_section == MODEL_NONE)
			continue;
		if (counts[fault->at_section].faults == 0)
			vec_push(&sections, fault->at_section);
		model_count_fault(&counts[fault->at_section], fault);
	}
	bool has_time = model->total.duration_ns > 0;
	if (cost.major >= MIN_MAJOR &&
	    (has_time ? rule_is_share(cost.duration_ns, model->total.duration_ns, MIN_PERCENT)
		      : rule_is_worth(findings, cost.faults))) {
		if (sections.count > 0)
			qsort_r(sections.items, sections.count, sizeof(uint32_t), compare, counts);
		for (size_t i = 0; i < sections.count && i < NAMED; i++)
			add_section(findings, &buf, sections.items[i],
				    counts[sections.items[i]].major);
		rule_add(
			findings,
			&(struct model_finding){
				.id = "cold-start",
				.where = "kind=major",
				.title = "Pages are waited for from disk",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&pages),
				.duration_ns = cost.duration_ns,
				// Each section has to be read once.
				.saves_faults = cost.faults > sections.count
							? cost.faults - sections.count
							: 0,
				.evidence = rule_text(findings, "%s in %s; most in %s.%s",
						      rule_plural(findings, cost.faults,
								  "major fault", "major faults"),
						      rule_plural(findings, sections.count,
								  "section", "sections"),
						      buf.length > 0 ? buf.text
								     : "memory outside files",
						      rule_read(findings, &cost)),
				.advice =
					"Ask for the ranges early and at once, with "
					"posix_fadvise(POSIX_FADV_WILLNEED) or readahead(2); order "
					"code and data by first use, so that read-ahead fits. A "
					"second run shows what remains with warm files.",
			});
	}
	free(counts);
	pageset_deinit(&pages);
	vec_deinit(&sections);
	strbuf_deinit(&buf);
}
