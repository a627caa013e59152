// SPDX-License-Identifier: Apache-2.0
// The marks of the SVG picture, and the extents that fault-around mapped.
#include "base/order.h"
#include "base/vec.h"
#include "render/picture/marks.h"
#include "render/picture/svg.h"
#include "render/table/table.h"

#include <math.h>

/** A stretch of one column. */
struct extent {
	unsigned x, top, end;
};

ORDER_OF(compare_extents, extent, ORDER(x->x, y->x) ?: ORDER(x->top, y->top))

static void add_extent(struct svg *svg, const struct extent *extent, unsigned cell)
{
	strbuf_printf(&svg->buf, "M%u %uh%uv%uh-%uz", extent->x, extent->top, cell,
		      extent->end - extent->top, cell);
}

/** The y of file offset @offset in the plot. */
static double offset_y(const struct svg *svg, uint64_t offset)
{
	const struct bands *bands = &svg->picture.bands;
	const struct band *band = bands->items;

	if (bands->file_count == 0)
		return svg->plot.y;
	while (band + 1 < bands->items + bands->file_count && offset >= band->range.end)
		band++;
	const struct scale scale = { band->range.start, band->range.end, svg->plot.y + band->top,
				     band->height };

	return scale_place(&scale, offset);
}

/** Pale bars behind the marks: what was mapped with each fault. */
static void add_extents(struct svg *svg, unsigned cell)
{
	const struct picture *picture = &svg->picture;
	const struct model *model = picture->model;
	CLEANUP(vec_release) VEC(struct extent) extents = { 0 };

	for (size_t i = 0; i < model->fault_count && picture->has_pages; i++) {
		const struct model_fault *fault = &model->faults[i];
		double x = scale_place(&svg->time, fault->time_ns) - svg->time.start;
		uint64_t length = (uint64_t)model_around_pages(fault) * picture->pages.page_size,
			 end;

		if (fault->at.object != picture->object || !fault->has_around ||
		    __builtin_add_overflow(model_around_offset(fault), length, &end))
			continue;
		double top = offset_y(svg, model_around_offset(fault));
		double bottom = ceil(offset_y(svg, end));

		vec_push(&extents, (struct extent){
					   svg->plot.x + (unsigned)x / cell * cell,
					   (unsigned)top,
					   bottom > top ? (unsigned)bottom : (unsigned)top + 1,
				   });
	}
	if (extents.count > 0) {
		vec_sort(&extents, compare_extents);
		strbuf_puts(&svg->buf, "<path class=\"around\" d=\"");
		struct extent last = extents.items[0];

		for (size_t i = 1; i < extents.count; i++) {
			const struct extent *next = &extents.items[i];

			if (next->x == last.x && next->top <= last.end) {
				last.end = next->end > last.end ? next->end : last.end;
				continue;
			}
			add_extent(svg, &last, cell);
			last = *next;
		}
		add_extent(svg, &last, cell);
		strbuf_puts(&svg->buf, "\"><title>mapped around a fault</title></path>\n");
	}
}

/** "relocation 10, symbol-lookup 2", most first. */
static void add_groups(struct svg *svg, const struct mark *mark)
{
	const struct picture *picture = &svg->picture;

	strbuf_printf(&svg->buf, "%s", picture->groups[mark->group].name);
	if (mark->groups[mark->group] == mark->faults)
		return;
	strbuf_printf(&svg->buf, " %llu", (unsigned long long)mark->groups[mark->group]);
	for (unsigned i = 0; i < picture->group_count; i++)
		if (i != mark->group && mark->groups[i] > 0)
			strbuf_printf(&svg->buf, ", %s %llu", picture->groups[i].name,
				      (unsigned long long)mark->groups[i]);
}

/** Add the names of what @fault touched, and of what touched it. */
static void add_names(struct svg *svg, const struct model_fault *fault)
{
	const struct model *model = svg->picture.model;
	bool has_symbol = fault->at.name != MODEL_NONE && model->symbols[fault->at.name].name;
	const char *function = model_function_name(model, fault->by->name);

	if (has_symbol) {
		strbuf_putc(&svg->buf, ' ');
		svg_name(svg, model->symbols[fault->at.name].name, SVG_NAME_MAX);
	}
	if (function) {
		strbuf_puts(&svg->buf, "\nby ");
		svg_name(svg, function, SVG_NAME_MAX);
	}
}

/** Add the place of the faults of @mark: a section and its offsets, or the content of the lane. */
static void add_place(struct svg *svg, const struct mark *mark)
{
	const struct model *model = svg->picture.model;
	const struct model_fault *named = &model->faults[mark->named];
	const char *section = model_section_name(model, named);
	enum band_kind kind = svg->picture.bands.items[mark->band].kind;

	strbuf_putc(&svg->buf, '\n');
	if (kind == BAND_BESIDE && named->at.object != MODEL_NONE) {
		const char *path = model->objects[named->at.object].path;

		svg_name(svg, path, SVG_NAME_MAX);
		strbuf_putc(&svg->buf, ' ');
	}
	if (section) {
		svg_name(svg, section, SVG_NAME_MAX);
		strbuf_putc(&svg->buf, ' ');
	}
	if (kind == BAND_BESIDE)
		return; // addresses tell nobody anything
	strbuf_printf(&svg->buf, "0x%llx", (unsigned long long)mark->start);
	if (mark->end != mark->start)
		strbuf_printf(&svg->buf,
			      "\xe2\x80\x93"
			      "0x%llx",
			      (unsigned long long)mark->end);
}

static void add_title(struct svg *svg, struct arena *arena, const struct mark *mark, bool names)
{
	const struct model_fault *named = &svg->picture.model->faults[mark->named];

	strbuf_puts(&svg->buf, "<title>");
	if (mark->faults > 1)
		strbuf_printf(&svg->buf, "%u faults: ", mark->faults);
	add_groups(svg, mark);
	if (names && mark->faults == 1)
		strbuf_printf(&svg->buf, " (%s, %s)",
			      model_mechanism_name((enum model_mechanism)named->mechanism),
			      model_kind_name((enum model_kind)named->kind));
	else if (mark->major > 0)
		strbuf_printf(&svg->buf, "; %u major", mark->major);
	strbuf_printf(&svg->buf, "; at %s", table_time(arena, &svg_terminal, mark->first_ns));
	if (mark->own_ns > 0)
		strbuf_printf(&svg->buf, ", took %s",
			      table_time(arena, &svg_terminal, mark->own_ns));
	add_place(svg, mark);
	if (names)
		add_names(svg, named);
	strbuf_puts(&svg->buf, "</title>");
}

static void add_mark(struct svg *svg, struct arena *arena, const struct mark *mark, unsigned cell,
		     bool names)
{
	const struct band *band = &svg->picture.bands.items[mark->band];
	unsigned end = band->top + band->height;
	unsigned height = mark->y + cell > end && end > mark->y ? end - mark->y : cell;

	strbuf_printf(&svg->buf, "<path class=\"g%u%s\" d=\"M%u %uh%uv%uh-%uz\">", mark->group,
		      mark->major > 0 ? " major" : "", mark->x, svg->plot.y + mark->y, cell, height,
		      cell);
	add_title(svg, arena, mark, names);
	strbuf_puts(&svg->buf, "</path>\n");
}

/**
 * Add all marks, unless they take more than @room bytes: then *@ret_excess is set to how many times
 * as much it would be, about.
 */
static bool add_marks(struct svg *svg, unsigned cell, bool names, size_t room, double *ret_excess)
{
	struct arena arena = { 0 };
	size_t start = svg->buf.length;
	struct marks marks;
	struct mark mark;

	add_extents(svg, cell);
	marks_init(&marks, svg->picture.model, &svg->picture.bands, &svg->time, cell);
	while (svg->buf.length - start <= room && marks_next(&marks, &mark))
		add_mark(svg, &arena, &mark, cell, names);
	// At least as much as was written, at most all of it as dense as the first part.
	*ret_excess = marks.next > 0 ? (double)marks.bands->point_count / (double)marks.next : 4;
	marks_deinit(&marks);
	arena_deinit(&arena);
	if (svg->buf.length - start <= room)
		return true;
	svg->buf.length = start;
	return false;
}

/** Few faults get larger marks. */
static unsigned first_cell(const struct svg *svg)
{
	size_t count = svg->picture.bands.point_count;

	return count <= 300 ? 6 : count <= 1500 ? 5 : count <= 20000 ? 4 : 3;
}

void svg_marks(struct svg *svg, size_t room)
{
	unsigned cell = first_cell(svg);
	double excess;

	while (!add_marks(svg, cell, true, room, &excess)) {
		// Without names they take about half the room.
		if (excess < 2 && add_marks(svg, cell, false, room, &excess))
			return;
		// Marks become fewer by the square of the cell; a little less, so as not to go past
		// what fits.
		unsigned next = (unsigned)(cell * sqrt(excess) * 0.9);

		cell = next > cell ? next : cell + 1;
	}
}
