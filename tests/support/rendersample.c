// SPDX-License-Identifier: Apache-2.0
// Prints the sample model in one format, for checks made with tools that are not ours.
#include "base/cleanup.h"
#include "correlate/pivot.h"
#include "render/pivot.h"
#include "render/render.h"
#include "tests/support/models.h"

#include <stdio.h>
#include <string.h>

/** The page, with one name more: what a browser would run. */
static bool render_page(struct model *model)
{
	struct model_symbol *symbols =
		arena_array(&model->arena, model->symbol_count, sizeof(*symbols));

	memcpy(symbols, model->symbols, model->symbol_count * sizeof(*symbols));
	symbols[0].name = "</script><img src=x onerror=alert(1)><b>bold</b>";
	model->symbols = symbols;
	return render_html(model, &(struct render_html_options){ 0 }, stdout);
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
		ok = render_ndjson(model, stdout);
	else if (strcmp(format, "csv") == 0)
		ok = render_csv(model, &(struct terminal){ 0 }, stdout);
	else if (strcmp(format, "html") == 0)
		ok = render_page(model);
	else if (strcmp(format, "initializers") == 0)
		ok = render_initializers_json(
			model, &(struct render_initializers_options){ .all = true }, stdout);
	else if (strcmp(format, "pivot") == 0)
		ok = render_pivot(model);
	else
		fputs("usage: rendersample json|ndjson|csv|html|initializers|pivot\n", stderr);
	return ok ? 0 : 1;
}
