// SPDX-License-Identifier: Apache-2.0
#include "render/picture/picture.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "derive/lifetime.h"
#include "derive/weigh.h"
#include "model/missing.h"
#include "render/table/table.h"

#include <stdlib.h>
#include <string.h>

/** How many notes a picture has room for; `elfault analyze` shows all. */
enum { NOTES_MAX = 3 };

static const char *command_line(struct picture *picture)
{
	const struct model_trace *trace = &picture->model->trace;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (size_t i = 0; i < trace->command_count; i++) {
		if (i > 0)
			strbuf_putc(&buf, ' ');
		strbuf_puts(&buf, trace->command[i]);
	}
	return trace->command_count > 0 ? arena_strdup(&picture->arena, strbuf_text(&buf))
	       : trace->process		? arena_strdup(&picture->arena, trace->process)
					: "an unknown command";
}

static int compare_groups(const void *a, const void *b, void *context)
{
	const uint64_t *weights = context;
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return ORDER(weights[y], weights[x]) ?: ORDER(x, y);
}

static void weigh_groups(struct picture *picture)
{
	const struct model *model = picture->model;
	bool has_any[PALETTE_GROUPS] = { false };

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object != picture->object)
			continue;
		unsigned group = palette_group_of(picture->by, fault);

		has_any[group] = true;
		picture->weights[group] += picture->is_by_time ? model_fault_own(fault) : 1;
	}
	for (unsigned i = 0; i < picture->group_count; i++) {
		if (has_any[i])
			picture->order[picture->used++] = i;
		picture->weight += picture->weights[i];
	}
	qsort_r(picture->order, picture->used, sizeof(*picture->order), compare_groups,
		picture->weights);
}

/** The faults that the picture is of. */
static const struct model_count *count_of(const struct picture *picture)
{
	const struct model *model = picture->model;

	return picture->object == MODEL_NONE ? &model->total
					     : &model->objects[picture->object].count;
}

/** @cuts as gaps of a scale. */
static const struct scale_gap *gaps_of(struct arena *arena, const struct cuts *cuts)
{
	struct scale_gap *gaps = arena_array(arena, cuts->count, sizeof(*gaps));

	for (size_t i = 0; i < cuts->count; i++)
		gaps[i] = (struct scale_gap){ cuts->items[i].time.start, cuts->items[i].time.end };
	return gaps;
}

void picture_init(struct picture *picture, const struct model *model,
		  const struct render_picture_options *options, size_t limit)
{
	*picture = (struct picture){
		.model = model,
		.by = options->by,
		.object = options->object,
	};
	picture->groups = palette_groups(options->by, &picture->group_count);
	picture->command = command_line(picture);
	picture->is_by_time = weigh_by_time(model) && count_of(picture)->own_ns > 0;
	weigh_groups(picture);
	bands_init(&picture->bands, model, picture->object, options->by, limit);
	picture->time = lifetime_axis(model);
	picture->cuts = picture_cuts(&picture->arena, model);
	picture->gaps = gaps_of(&picture->arena, &picture->cuts);
	phases_find(model, picture->object, &picture->phases);
	if (picture->object == MODEL_NONE) {
		picture->name = "no file";
		return;
	}
	const struct model_object *object = &model->objects[picture->object];

	picture->name = options->full_paths ? object->path : model_object_name(object);
	if (object->is_file)
		pages_init(&picture->pages, model, picture->object);
	picture->has_pages = picture->pages.size > 0;
}

void picture_deinit(struct picture *picture)
{
	bands_deinit(&picture->bands);
	pages_deinit(&picture->pages);
	arena_deinit(&picture->arena);
}

const char *picture_counts(struct picture *picture, const struct terminal *terminal)
{
	const struct model *model = picture->model;
	struct arena *arena = &picture->arena;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const struct model_count *count = count_of(picture);

	strbuf_puts(&buf, figure_number(arena, count->faults));
	if (count->faults != model->counts.recorded)
		strbuf_printf(&buf, " of %s", figure_number(arena, model->counts.recorded));
	strbuf_puts(&buf, " faults");
	if (count->faults != model->counts.recorded)
		strbuf_printf(&buf, " (%s)",
			      figure_percent(arena, count->faults, model->counts.recorded));
	strbuf_printf(&buf, ": %s minor, %s major",
		      figure_number(arena, count->faults - count->major),
		      figure_number(arena, count->major));
	if (count->own_ns > 0)
		strbuf_printf(&buf, "; %s in them", table_time(arena, terminal, count->own_ns));
	return arena_strdup(arena, buf.text);
}

const char *picture_weight(struct picture *picture, const struct terminal *terminal,
			   uint64_t weight)
{
	return picture->is_by_time ? table_time(&picture->arena, terminal, weight)
				   : figure_number(&picture->arena, weight);
}

static uint64_t weight_of(const struct picture *picture, const struct band *band)
{
	return picture->is_by_time ? band->own_ns : band->faults;
}

const struct band *picture_hottest(const struct picture *picture)
{
	const struct band *hottest = NULL;
	uint64_t most = 0;

	array_foreach (band, picture->bands.items, picture->bands.own_count) {
		uint64_t weight = weight_of(picture, band);

		if (weight <= most)
			continue;
		most = weight;
		hottest = band;
	}
	return hottest;
}

/** "relocation caused 75.8% of them". */
static const char *name_cause(struct picture *picture)
{
	struct arena *arena = &picture->arena;
	unsigned most = picture->order[0];
	const char *share = figure_percent(arena, picture->weights[most], picture->weight);
	const char *name = picture->groups[most].name;
	const char *of = picture->is_by_time ? "of their time" : "of them";

	if (picture->by != PALETTE_INITIATOR)
		return arena_printf(arena, "%s %s: %s", share, of, name);
	return arena_printf(arena, "%s %s %s %s", name, picture->is_by_time ? "took" : "caused",
			    share, of);
}

const char *picture_headline(struct picture *picture)
{
	const struct band *band = picture_hottest(picture);
	struct arena *arena = &picture->arena;

	if (picture->used == 0)
		return NULL;
	const char *cause = name_cause(picture);

	if (!band)
		return cause;
	return arena_printf(arena, "%s; %s %s %s", cause,
			    figure_percent(arena, weight_of(picture, band), picture->weight),
			    picture->is_by_time ? "in" : "lie in", band->label);
}

/** Stretches in which no fault is under way, as cuts of @axis. */
static struct cuts cuts_of_faults(struct arena *arena, const struct model *model, struct range axis)
{
	const size_t span_count = model->fault_count + 2;
	CLEANUP(freep) struct range *spans = xcalloc(span_count, sizeof(*spans));
	size_t count;

	// Both ends of the axis: nothing may be under way there either.
	spans[0] = (struct range){ axis.start, axis.start };
	for (size_t i = 0; i < model->fault_count; i++)
		spans[i + 1] = (struct range){ model->faults[i].time_ns,
					       model_fault_end(&model->faults[i]) };
	spans[span_count - 1] = (struct range){ axis.end, axis.end };
	const struct scale_gap *gaps = scale_find_gaps(arena, spans, span_count, CUTS_MAX, &count);
	struct cut *cuts = arena_array(arena, count, sizeof(*cuts));

	for (size_t i = 0; i < count; i++)
		cuts[i] = (struct cut){ { gaps[i].first, gaps[i].last }, "no faults" };
	return (struct cuts){ cuts, count };
}

struct cuts picture_cuts(struct arena *arena, const struct model *model)
{
	const struct range axis = lifetime_axis(model);

	return model->moments ? cuts_find(arena, model, axis) : cuts_of_faults(arena, model, axis);
}

const char *picture_cut_text(struct arena *arena, const struct terminal *terminal,
			     const struct cut *cut)
{
	return arena_printf(arena, "%s left out: %s",
			    table_time(arena, terminal, range_size(cut->time)), cut->label);
}

const char *const *picture_notes(struct picture *picture, size_t *ret_count, size_t *ret_alerts)
{
	const struct model *model = picture->model;
	struct arena *arena = &picture->arena;
	const char **lines = arena_array(arena, NOTES_MAX + 6, sizeof(*lines));
	size_t count = 0, kind_count, more = 0;
	const struct note_kind *kinds = notes_kinds(&model->notes, arena, &kind_count);
	const struct missing missing = model_missing(&model->counts);

	if (missing.total > 0)
		lines[count++] =
			arena_printf(arena, "INCOMPLETE: %s", model_missing_text(&missing, arena));
	if (!model->trace.complete)
		lines[count++] = "INCOMPLETE: the trace ends early";
	if (model->counts.lost_other > 0)
		lines[count++] = arena_printf(arena,
					      "%s mapping or task records were lost: some faults "
					      "may be given to the wrong file",
					      figure_number(arena, model->counts.lost_other));
	if (picture->object != MODEL_NONE && model->objects[picture->object].is_forced)
		lines[count++] = "The file is not the one that was recorded (--force)";
	*ret_alerts = count;
	if (model->filter)
		lines[count++] = arena_printf(arena, "Only faults with %s", model->filter);
	for (size_t i = 0; i < kind_count; i++) {
		if (i < NOTES_MAX)
			lines[count++] = arena_printf(arena, "Note: %s", kinds[i].text);
		else
			more += kinds[i].notes;
	}
	if (more > 0)
		lines[count++] =
			arena_printf(arena, "%zu more notes: elfault analyze --full", more);
	*ret_count = count;
	return lines;
}
