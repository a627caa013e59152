// SPDX-License-Identifier: Apache-2.0
#include "correlate/answer/narrow.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "correlate/replay/identity.h"
#include "depot/depot.h"
#include "model/naming.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_IN_MESSAGE = 8 };

static bool no_such_object(const char *name, const struct objects *objects, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t count, named = 0, left_out = 0;
	const struct object *list = objects_all(objects, &count);

	for (size_t i = 0; i < count; i++) {
		if (!list[i].build_id_size)
			continue;
		if (named++ >= NAMES_IN_MESSAGE) {
			left_out++;
			continue;
		}
		strbuf_printf(&names, "%s%s", names.length ? ", " : "",
			      path_file_name(list[i].path));
	}
	if (left_out)
		strbuf_printf(&names, " and %zu more", left_out);
	return err_set(err, ERR_INPUT, "%s: no object of that name in the trace; it has %s", name,
		       names.length ? strbuf_text(&names) : "none");
}

static bool is_named(const struct object *object, const struct elfmap *map, const char *name)
{
	return naming_is_file(object->path, map ? elfmap_info(map)->soname : NULL, name);
}

/** Mark the objects that @name means; those whose file no fault needed only if no other is. */
static bool by_name(const char *name, struct objects *objects, bool *is_shown)
{
	size_t count;
	const struct object *list = objects_all(objects, &count);
	bool found = false;

	for (size_t i = 0; i < count; i++)
		if (is_named(&list[i], objects_opened(objects, (uint32_t)i), name))
			found = is_shown[i] = true;
	for (size_t i = 0; !found && i < count; i++)
		if (is_named(&list[i], objects_map(objects, (uint32_t)i), name))
			found = is_shown[i] = true;
	return found;
}

static bool has_build_id(const struct object *object, const struct elfmap_info *info)
{
	return object->build_id_size && object->build_id_size == info->build_id_size &&
	       memcmp(object->build_id, info->build_id, object->build_id_size) == 0;
}

/** The recorded object that the file at @path stands for: by build-id, path, then file name. */
static const struct object *counterpart(const char *path, const struct elfmap_info *info,
					const struct objects *objects, uint32_t *ret_id)
{
	size_t count;
	const struct object *list = objects_all(objects, &count);
	const struct object *best = NULL;
	int best_fit = 0;

	for (size_t i = 0; i < count; i++) {
		if (!list[i].is_file)
			continue;
		int fit = has_build_id(&list[i], info)					    ? 3
			  : strcmp(list[i].path, path) == 0				    ? 2
			  : strcmp(path_file_name(list[i].path), path_file_name(path)) == 0 ? 1
											    : 0;
		if (fit > best_fit) {
			best = &list[i];
			best_fit = fit;
			*ret_id = (uint32_t)i;
		}
	}
	return best;
}

static bool mismatch(const char *path, const struct object *object,
		     const struct identity_difference *difference, struct err *err)
{
	return err_set(err, ERR_MISMATCH,
		       "%s: %s is %s, but the trace has %s for %s; pass the recorded file, or "
		       "--force to continue anyway",
		       path, difference->what, difference->found[0] ? difference->found : "missing",
		       difference->recorded, object->path);
}

/** With other places to look in: the object with this path, if its file was found in one. */
static bool by_recorded_path(struct narrowing *narrowing, const char *path,
			     const struct correlate_options *options, struct objects *objects)
{
	size_t count, before = narrowing->files.count;
	const struct object *list = objects_all(objects, &count);

	for (size_t i = 0; depot_has_others(options->depot) && i < count; i++)
		if (strcmp(list[i].path, path) == 0 && objects_map(objects, (uint32_t)i))
			vec_push(&narrowing->files, (uint32_t)i);
	return narrowing->files.count > before;
}

static bool by_path(struct narrowing *narrowing, const char *path,
		    const struct correlate_options *options, struct objects *objects,
		    struct err *err)
{
	const struct elfmap_options how = { .debug_dir = options->debug_dir,
					    .depot = options->depot };
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct identity_difference difference;
	bool is_moved; // of no interest: the file was named
	uint32_t id;

	if (by_recorded_path(narrowing, path, options, objects))
		return true;
	if (!elfmap_open(path, &how, &map, err))
		return false;
	const struct elfmap_info *info = elfmap_info(map);
	const struct object *object = counterpart(path, info, objects, &id);
	if (!object)
		return no_such_object(path, objects, err);
	bool is_other = identity_differs(object, map, &difference, &is_moved);
	if (is_other && !options->force)
		return mismatch(path, object, &difference, err);
	objects_set_map(objects, id, TAKE(map), is_other ? &difference : NULL);
	vec_push(&narrowing->files, id);
	return true;
}

bool narrow_open(struct narrowing *narrowing, const struct correlate_options *options,
		 const struct trace *trace, struct objects *objects, struct err *err)
{
	if (!options->object_count)
		return true;
	// Names can only be looked up among objects that are known: learn all of them first.
	vec_foreach (mapping, &trace->mappings)
		objects_of_mapping(objects, mapping);
	for (size_t i = 0; i < options->object_count; i++)
		if (strchr(options->objects[i], '/') &&
		    !by_path(narrowing, options->objects[i], options, objects, err))
			return false;
	return true;
}

bool narrow_choose(struct narrowing *narrowing, const struct correlate_options *options,
		   struct objects *objects, struct err *err)
{
	if (!options->object_count)
		return true;
	objects_all(objects, &narrowing->count);
	narrowing->is_shown = xcalloc(narrowing->count + 1, sizeof(*narrowing->is_shown));
	vec_foreach (id, &narrowing->files)
		narrowing->is_shown[*id] = true;
	for (size_t i = 0; i < options->object_count; i++)
		if (!strchr(options->objects[i], '/') &&
		    !by_name(options->objects[i], objects, narrowing->is_shown))
			return no_such_object(options->objects[i], objects, err);
	return true;
}

void narrow_faults(const struct narrowing *narrowing, struct shown_faults *faults)
{
	size_t kept = 0;

	for (size_t i = 0; i < faults->count; i++)
		if (faults->items[i].at.object < narrowing->count &&
		    narrowing->is_shown[faults->items[i].at.object])
			faults->items[kept++] = faults->items[i];
	faults->count = kept;
}

void narrowing_deinit(struct narrowing *narrowing)
{
	vec_deinit(&narrowing->files);
	free(narrowing->is_shown);
}

void narrow_describe(const struct correlate_options *options, struct strbuf *ret_text)
{
	for (size_t i = 0; i < options->object_count; i++) {
		strbuf_puts(ret_text, i > 0 ? "|" : "object=");
		for (const char *c = options->objects[i]; *c; c++) {
			if (strchr(" ,|\"\\*?", *c))
				strbuf_putc(ret_text, '\\');
			strbuf_putc(ret_text, *c);
		}
	}
}
