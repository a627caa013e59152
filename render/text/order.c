// SPDX-License-Identifier: Apache-2.0
// `elfault order --verify` for people.
#include "render/order.h"

#include "base/figure.h"
#include "base/strbuf.h"
#include "render/escape.h"

static void print_path(const char *path, const char *after, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	escape_terminal(&text, path);
	fprintf(out, "%s%s\n", strbuf_text(&text), after);
}

static uint64_t mean(uint64_t area, size_t functions)
{
	return functions ? (area + functions / 2) / functions : 0;
}

/** Few functions may lie in some order by chance, or be those of crt files that cannot be moved. */
static bool is_out_of_order(const struct order_check *check)
{
	enum { FUNCTIONS_MIN = 20 };

	return check->functions >= FUNCTIONS_MIN && check->in_order * 3 < check->functions * 2;
}

static void print_object(const struct render_order *order, const struct render_order_object *object,
			 struct arena *arena, FILE *out)
{
	const struct order_check *check = &object->check;
	const struct locality_area *area = &check->area;
	uint64_t least = (area->code_bytes + order->page_size - 1) / order->page_size;

	print_path(object->path, "", out);
	fprintf(out, "  names found    %s of %s\n", figure_number(arena, check->found),
		figure_number(arena, order->name_count));
	if (check->duplicates)
		fprintf(out, "  same names     %s more functions, local ones: they are moved too\n",
			figure_number(arena, check->duplicates));
	fprintf(out, "  in its order   %s of %s functions (%s)\n",
		figure_number(arena, check->in_order), figure_number(arena, check->functions),
		figure_percent(arena, check->in_order, check->functions));
	fprintf(out, "  code pages     %s; side by side %s\n",
		figure_number(arena, area->code_pages), figure_number(arena, least));
	fprintf(out, "  on average     %s while they are entered one by one; side by side %s\n",
		figure_number(arena, mean(area->area, check->functions)),
		figure_number(arena, mean(area->least_area, check->functions)));
	if (is_out_of_order(check))
		fputs("  Not linked in this order. That takes -ffunction-sections and ld.lld or "
		      "ld.gold with\n  the order file, or llvm-bolt afterwards; ld.bfd has no "
		      "order "
		      "file.\n",
		      out);
}

bool render_order_text(const struct render_order *order, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	print_path(order->path, ":", out);
	array_foreach (object, order->objects, order->object_count)
		print_object(order, object, &arena, out);
	if (order->object_count == 2) {
		uint64_t before = order->objects[0].check.area.area;
		uint64_t after = order->objects[1].check.area.area;

		fprintf(out, "Area under the curve of pages over functions: %s, before %s (%s)\n",
			figure_number(&arena, after), figure_number(&arena, before),
			figure_percent(&arena, after, before));
	}
	return fflush(out) == 0 && !ferror(out);
}
