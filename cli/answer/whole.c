// SPDX-License-Identifier: Apache-2.0
#include "cli/answer/whole.h"

#include "advice/findings.h"
#include "derive/locality.h"

#include <string.h>

static struct model_order *order_of(struct arena *arena, const struct locality *from)
{
	struct model_order *order = arena_array(arena, 1, sizeof(*order));

	*order = (struct model_order){
		.function_count = from->function_count,
		.code_pages = from->area.code_pages,
		.area = from->area.area,
		.least_area = from->area.least_area,
		.random_steps = from->steps[MODEL_STEP_FORWARD] + from->steps[MODEL_STEP_BACKWARD],
	};
	return order;
}

void whole_deinit(struct whole *whole)
{
	vec_deinit(&whole->findings);
	vec_deinit(&whole->objects);
	arena_deinit(&whole->arena);
}

static const char *kept(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

/** @finding, of at most one file, with its texts in @arena; the id is the rule's own. */
static struct model_finding copy_of(struct arena *arena, const struct model_finding *finding)
{
	struct model_finding copy = *finding;

	copy.title = kept(arena, finding->title);
	copy.where = kept(arena, finding->where);
	copy.evidence = kept(arena, finding->evidence);
	copy.advice = kept(arena, finding->advice);

	struct model_cure *cures = arena_array(arena, finding->cure_count, sizeof(*cures));
	for (size_t i = 0; i < finding->cure_count; i++)
		cures[i] = (struct model_cure){ finding->cures[i].who,
						kept(arena, finding->cures[i].text) };
	copy.cures = cures;

	struct model_finding_file *files =
		arena_array(arena, finding->file_count + 1, sizeof(*files));
	for (size_t i = 0; i < finding->file_count; i++) {
		files[i] = finding->files[i];
		files[i].evidence = copy.evidence;
	}
	copy.files = files;
	return copy;
}

bool whole_find(struct whole *whole, struct trace *trace, struct correlate_options options,
		struct err *err)
{
	struct arena *arena = &whole->arena;
	struct model *model;

	options.object_count = 0;
	options.keep_trace = true;
	if (!correlate(trace, &options, &model, err))
		return false;
	findings_find_apart(model);

	struct localities *localities = localities_find(model);

	for (size_t i = 0; i < model->object_count; i++)
		vec_push(
			&whole->objects,
			(struct model_object){ .path = arena_strdup(arena, model->objects[i].path),
					       .order = order_of(arena, &localities->objects[i]) });
	for (size_t i = 0; i < model->finding_count; i++)
		vec_push(&whole->findings, copy_of(arena, &model->findings[i]));
	localities_close(localities);
	model_close(model);
	return true;
}

/** The index in @model of the object shown with this path; MODEL_NONE: it is not shown. */
static uint32_t shown_object(const struct model *model, const char *path)
{
	for (size_t i = 0; i < model->shown_count; i++)
		if (strcmp(model->objects[model->shown[i]].path, path) == 0)
			return model->shown[i];
	return MODEL_NONE;
}

void whole_give(const struct whole *whole, struct model *model)
{
	struct arena *arena = &model->arena;
	struct model_finding *findings =
		arena_array(arena, whole->findings.count, sizeof(*findings));
	size_t count = 0;

	vec_foreach (from, &whole->objects) {
		uint32_t object = shown_object(model, from->path);

		if (object == MODEL_NONE)
			continue;
		((struct model_object *)model->objects)[object].order =
			arena_copy(arena, from->order, sizeof(*from->order));
	}
	vec_foreach (from, &whole->findings) {
		if (from->object == MODEL_NONE)
			continue;
		uint32_t object = shown_object(model, whole->objects.items[from->object].path);

		if (object == MODEL_NONE)
			continue;
		findings[count] = copy_of(arena, from);
		((struct model_finding_file *)findings[count].files)[0].object = object;
		findings[count++].object = object;
	}
	model->findings = findings;
	model->finding_count = count;
	model->findings_are_whole = true;
	findings_join(model);
}
