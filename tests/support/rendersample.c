// SPDX-License-Identifier: Apache-2.0
// Prints the sample model in one format, for checks made with tools that are not ours.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "model/pivot.h"
#include "render/diff/diff.h"
#include "render/pivot.h"
#include "render/render.h"
#include "tests/support/models.h"

#include <stdio.h>
#include <string.h>

/** One name more: what a browser would run. */
static void add_markup(struct model *model)
{
	struct model_symbol *symbols =
		arena_array(&model->arena, model->symbol_count, sizeof(*symbols));

	memcpy(symbols, model->symbols, model->symbol_count * sizeof(*symbols));
	symbols[0].name = "</script><img src=x onerror=alert(1)><b>bold</b>";
	model->symbols = symbols;
}

static bool render_page(struct model *model)
{
	add_markup(model);
	return render_html(model, stdout);
}

/** The page of a comparison, with that name on one side only. */
static bool render_comparison(struct model *after)
{
	const size_t run_count[COMPARE_SIDES] = { 1, 1 };
	CLEANUP(model_closep) struct model *before = models_sample();
	const struct model *const sides[COMPARE_SIDES] = { before, after };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(run_count, NULL, 0);

	add_markup(after);
	compare_add(compare, COMPARE_BEFORE, before);
	compare_add(compare, COMPARE_AFTER, after);
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	bool ok = render_diff_page_start(comparison, stdout);
	for (int side = 0; ok && side < COMPARE_SIDES; side++) {
		struct compare_links links;

		ok = compare_link(compare, comparison, (size_t)side, sides[side], &links);
		if (!ok)
			break;
		ok = render_diff_page_side((enum compare_side)side, sides[side], &links, stdout);
		compare_links_deinit(&links);
	}
	return ok && render_diff_page_end(stdout);
}

static bool render_pivot(const struct model *model)
{
	struct pivot_fields fields;

	if (!pivot_fields_parse("symbol", &fields, NULL))
		return false;
	CLEANUP(pivot_destroyp) struct pivot *pivot = pivot_create(model, &fields);
	return render_pivot_json(model, pivot, stdout);
}

int main(int argc, char **argv)
{
	CLEANUP(model_closep) struct model *model = models_sample();
	const char *format = argc == 2 ? argv[1] : "";
	bool ok = false;

	if (strcmp(format, "json") == 0)
		ok = render_json(model, true, stdout);
	else if (strcmp(format, "ndjson") == 0)
		ok = render_ndjson(model, false, stdout);
	else if (strcmp(format, "ndjson-ids") == 0)
		ok = render_ndjson(model, true, stdout);
	else if (strcmp(format, "csv") == 0)
		ok = render_csv(model, stdout);
	else if (strcmp(format, "html") == 0)
		ok = render_page(model);
	else if (strcmp(format, "diff") == 0)
		ok = render_comparison(model);
	else if (strcmp(format, "initializers") == 0)
		ok = render_initializers_json(
			model, &(struct render_initializers_options){ .all = true }, stdout);
	else if (strcmp(format, "pivot") == 0)
		ok = render_pivot(model);
	else
		fputs("usage: rendersample "
		      "json|ndjson|ndjson-ids|csv|html|diff|initializers|pivot\n",
		      stderr);
	return ok ? 0 : 1;
}
