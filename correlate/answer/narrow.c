// SPDX-License-Identifier: Apache-2.0
#include "correlate/answer/narrow.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "correlate/replay/identity.h"
#include "depot/depot.h"

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

/** Objects with this file name, else with this soname. */
static bool by_name(const char *name, struct objects *objects, bool *is_shown)
{
	size_t count;
	bool found = false;

	objects_all(objects, &count);
	for (size_t i = 0; i < count; i++) {
		const struct object *object = &objects_all(objects, &count)[i];

		if (strcmp(path_file_name(object->path), name) == 0)
			found = is_shown[i] = true;
	}
	for (size_t i = 0; !found && i < count; i++) {
		struct elfmap *map = objects_map(objects, (uint32_t)i);

		if (map && elfmap_info(map)->soname && strcmp(elfmap_info(map)->soname, name) == 0)
			found = is_shown[i] = true;
	}
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

/** Find the object with this path, if its file was found in another place. */
static bool by_recorded_path(const char *path, const struct correlate_options *options,
			     struct objects *objects, bool *is_shown)
{
	size_t count;
	bool found = false;

	objects_all(objects, &count);
	for (size_t i = 0; depot_has_others(options->depot) && i < count; i++)
		if (strcmp(objects_all(objects, &count)[i].path, path) == 0 &&
		    objects_map(objects, (uint32_t)i))
			found = is_shown[i] = true;
	return found;
}

static bool by_path(const char *path, const struct correlate_options *options,
		    struct objects *objects, bool *is_shown, struct err *err)
{
	const struct elfmap_options how = { .debug_dir = options->debug_dir,
					    .depot = options->depot };
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct identity_difference difference;
	bool is_moved; // of no interest: the file was named
	uint32_t id;

	if (by_recorded_path(path, options, objects, is_shown))
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
	is_shown[id] = true;
	return true;
}

bool narrow(const struct correlate_options *options, struct objects *objects, bool *is_shown,
	    struct err *err)
{
	for (size_t i = 0; i < options->object_count; i++) {
		const char *name = options->objects[i];

		if (strchr(name, '/')) {
			if (!by_path(name, options, objects, is_shown, err))
				return false;
		} else if (!by_name(name, objects, is_shown)) {
			return no_such_object(name, objects, err);
		}
	}
	return true;
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
