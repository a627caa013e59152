// SPDX-License-Identifier: Apache-2.0
#include "compare/gather.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/hash.h"
#include "model/layout.h"
#include "model/naming.h"

#include <string.h>

/** The names by which objects are looked for. */
enum name_kind { NAME_PATH, NAME_SONAME, NAME_FILE, NAME_KINDS };

/** The result of a look-up by name if several objects have it. */
enum { AMBIGUOUS = UINT32_MAX };

static const char *paired_name(const struct paired *object, enum compare_side side,
			       enum name_kind kind)
{
	const char *path = object->row.path[side];

	if (!path)
		return NULL;
	switch (kind) {
	case NAME_PATH:
		return path;
	case NAME_SONAME:
		return object->soname[side];
	case NAME_FILE:
		return object->row.is_file ? path_file_name(path) : NULL;
	case NAME_KINDS:
		break;
	}
	return NULL;
}

static const char *model_name(const struct model_object *object, enum name_kind kind)
{
	return kind == NAME_PATH     ? object->path
	       : kind == NAME_SONAME ? object->soname
	       : object->is_file     ? path_file_name(object->path)
				     : NULL;
}

/** Index every name of one kind: to the object's id + 1. */
static void index_names(const struct pairing *pairing, enum name_kind kind, struct u64map *index)
{
	for (uint32_t id = 0; id < pairing->objects.count; id++) {
		const char *last = NULL;

		for (int side = 0; side < COMPARE_SIDES; side++) {
			const char *name = paired_name(&pairing->objects.items[id],
						       (enum compare_side)side, kind);
			bool is_new;

			if (!name || (last && strcmp(name, last) == 0))
				continue;
			uint32_t *value = u64map_put(index, hash_text(0, name), &is_new);
			*value = is_new || *value == id + 1 ? id + 1 : AMBIGUOUS;
			last = name;
		}
	}
}

static bool has_name(const struct paired *object, enum name_kind kind, const char *name)
{
	for (int side = 0; side < COMPARE_SIDES; side++) {
		const char *mine = paired_name(object, (enum compare_side)side, kind);

		if (mine && strcmp(mine, name) == 0)
			return true;
	}
	return false;
}

/** Objects being found: a model's, and what is known of each. */
struct finding {
	struct pairing *pairing;
	enum compare_side side;
	const struct model *model;
	uint64_t *identities;
	uint32_t *ids;
};

/** Object @at of the model is object @id. */
static void take(struct finding *finding, uint32_t at, uint32_t id, enum compare_pairing how)
{
	struct pairing *pairing = finding->pairing;
	const struct model_object *object = &finding->model->objects[at];
	enum compare_side side = finding->side;
	struct paired *paired = &pairing->objects.items[id];

	finding->ids[at] = id;
	paired->seen_in = pairing->runs;
	if (paired->row.path[side])
		return;
	paired->row.path[side] = arena_strdup(pairing->arena, object->path);
	paired->identity[side] = finding->identities[at];
	paired->soname[side] = arena_strdup(pairing->arena, object->soname);
	paired->root[side] = arena_strdup(pairing->arena, object->root);
	if (paired->row.path[!side])
		paired->row.pairing = how;
}

static void take_as_asked(struct finding *finding)
{
	struct pairing *pairing = finding->pairing;
	const struct model *model = finding->model;

	for (size_t pair = 0; pair < pairing->pair_count; pair++) {
		const struct compare_pair *names = &pairing->pairs[pair];
		const char *wanted = finding->side == COMPARE_BEFORE ? names->before : names->after;
		uint32_t at = 0;
		size_t count = 0;

		for (uint32_t i = 0; i < model->object_count; i++)
			if (naming_is_object(&model->objects[i], wanted) && count++ == 0)
				at = i;
		if (count == 0)
			continue;
		const char *several =
			naming_several(pairing->arena, wanted, count, model->objects[at].path);
		if (several)
			notes_add(pairing->notes, "--pair: %s", several);
		pairing->is_found[finding->side][pair] = true;
		for (uint32_t id = 0; finding->side == COMPARE_AFTER &&
				      finding->ids[at] == MODEL_NONE && id < pairing->objects.count;
		     id++) {
			const struct paired *paired = &pairing->objects.items[id];
			const char *path = paired->row.path[COMPARE_BEFORE];

			if (path && paired->seen_in != pairing->runs &&
			    naming_is_file(path, paired->soname[COMPARE_BEFORE], names->before))
				take(finding, at, id, COMPARE_AS_ASKED);
		}
	}
}

static void find_identities(struct finding *finding)
{
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };

	for (uint32_t i = 0; i < finding->model->object_count; i++) {
		const struct model_object *object = &finding->model->objects[i];
		uint64_t hash = hash_text(hash_text(0, object->path),
					  object->build_id ? object->build_id : "");

		finding->identities[i] = hash_number(hash, (*u64map_put(&seen, hash, NULL))++);
	}
}

static void take_by_identity(struct finding *finding)
{
	struct pairing *pairing = finding->pairing;
	CLEANUP(u64map_deinit) struct u64map index = { 0 };

	for (uint32_t id = 0; id < pairing->objects.count; id++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			if (pairing->objects.items[id].row.path[side])
				*u64map_put(&index, pairing->objects.items[id].identity[side],
					    NULL) = id + 1;
	for (uint32_t i = 0; i < finding->model->object_count; i++) {
		const struct model_object *object = &finding->model->objects[i];
		const uint32_t *found = u64map_get(&index, finding->identities[i]);

		if (found && finding->ids[i] == MODEL_NONE &&
		    pairing->objects.items[*found - 1].seen_in != pairing->runs &&
		    has_name(&pairing->objects.items[*found - 1], NAME_PATH, object->path))
			take(finding, i, *found - 1, COMPARE_BY_PATH);
	}
}

static void take_by_name(struct finding *finding, enum name_kind kind)
{
	static const enum compare_pairing how[] = {
		[NAME_PATH] = COMPARE_BY_PATH,
		[NAME_SONAME] = COMPARE_BY_SONAME,
		[NAME_FILE] = COMPARE_BY_FILE_NAME,
	};
	const struct pairing *pairing = finding->pairing;
	CLEANUP(u64map_deinit) struct u64map index = { 0 };

	index_names(pairing, kind, &index);
	for (uint32_t i = 0; i < finding->model->object_count; i++) {
		const struct model_object *object = &finding->model->objects[i];
		const char *name = model_name(object, kind);
		const uint32_t *found = name && finding->ids[i] == MODEL_NONE
						? u64map_get(&index, hash_text(0, name))
						: NULL;

		if (!found || *found == AMBIGUOUS)
			continue;
		const struct paired *paired = &pairing->objects.items[*found - 1];
		if (paired->seen_in != pairing->runs && has_name(paired, kind, name) &&
		    paired->row.is_file == object->is_file)
			take(finding, i, *found - 1, how[kind]);
	}
}

/** True if nothing of the side after is object @id. */
static bool is_left(const struct finding *finding, uint32_t id)
{
	const struct paired *paired = &finding->pairing->objects.items[id];

	return paired->row.path[COMPARE_BEFORE] && !paired->row.path[COMPARE_AFTER];
}

/** True if object @at of the run is a library that no object is yet. */
static bool is_new_library(const struct finding *finding, uint32_t at)
{
	const struct model_layout *layout = finding->model->objects[at].layout;

	return finding->ids[at] == MODEL_NONE && layout && layout->is_library;
}

static void take_program(struct finding *finding)
{
	struct pairing *pairing = finding->pairing;
	uint32_t at = guess_program(finding->model);

	if (at != MODEL_NONE && pairing->program != MODEL_NONE && finding->ids[at] == MODEL_NONE &&
	    is_left(finding, pairing->program))
		take(finding, at, pairing->program, COMPARE_AS_PROGRAM);
}

/** Pair each library before with the one left that is most alike. */
static void take_by_likeness(struct finding *finding)
{
	struct pairing *pairing = finding->pairing;

	for (uint32_t id = 0; id < pairing->objects.count; id++) {
		const struct compare_object *row = &pairing->objects.items[id].row;
		uint32_t best = MODEL_NONE;
		unsigned most = 0;

		if (!is_left(finding, id) || !row->layout[COMPARE_BEFORE].is_library)
			continue;
		for (uint32_t at = 0; at < finding->model->object_count; at++) {
			const struct model_object *object = &finding->model->objects[at];

			if (!is_new_library(finding, at))
				continue;
			unsigned like = guess_likeness(row->path[COMPARE_BEFORE], object->path);
			if (like > most) {
				most = like;
				best = at;
			}
		}
		if (best != MODEL_NONE)
			take(finding, best, id, COMPARE_BY_GUESS);
	}
}

void pairing_add(struct pairing *pairing, enum compare_side side, const struct model *model,
		 uint32_t **ret_ids)
{
	size_t count = model->object_count;
	struct finding finding = {
		.pairing = pairing,
		.side = side,
		.model = model,
		.identities = xcalloc(count + 1, sizeof(*finding.identities)),
		.ids = xcalloc(count + 1, sizeof(*finding.ids)),
	};

	pairing->runs++;
	for (size_t i = 0; i < count; i++)
		finding.ids[i] = MODEL_NONE;
	find_identities(&finding);
	take_as_asked(&finding);
	take_by_identity(&finding);
	for (int kind = 0; kind < NAME_KINDS; kind++)
		take_by_name(&finding, (enum name_kind)kind);
	if (pairing->guesses && side == COMPARE_AFTER) {
		take_program(&finding);
		take_by_likeness(&finding);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (finding.ids[i] != MODEL_NONE)
			continue;
		vec_push(&pairing->objects,
			 (struct paired){ .row.is_file = model->objects[i].is_file });
		take(&finding, i, (uint32_t)pairing->objects.count - 1, COMPARE_UNPAIRED);
	}
	if (pairing->runs == 1) {
		uint32_t at = guess_program(model);

		pairing->program = at == MODEL_NONE ? MODEL_NONE : finding.ids[at];
	}
	free(finding.identities);
	*ret_ids = finding.ids;
}

void pairing_label(struct pairing *pairing)
{
	CLEANUP(u64map_deinit) struct u64map names = { 0 };

	// The newer name, since that is what a reader can go and look at.
	for (int round = 0; round < 2; round++)
		vec_foreach (object, &pairing->objects) {
			const enum compare_side side =
				object->row.path[COMPARE_AFTER] ? COMPARE_AFTER : COMPARE_BEFORE;
			const char *path = object->row.path[side], *root = object->root[side];
			uint64_t hash = hash_text(0, path_file_name(path));

			if (round == 0)
				++*u64map_put(&names, hash, NULL);
			else {
				object->row.label =
					!object->row.is_file || *u64map_get(&names, hash) > 1
						? path
						: path_file_name(path);
				if (root)
					object->row.label = arena_printf(pairing->arena, "%s of %s",
									 object->row.label, root);
			}
		}
}

void pairing_note_guesses(const struct pairing *pairing)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	vec_foreach (object, &pairing->objects)
		if (object->row.pairing >= COMPARE_AS_PROGRAM)
			strbuf_printf(&text, "%s%s with %s", text.length > 0 ? ", " : "",
				      path_file_name(object->row.path[COMPARE_BEFORE]),
				      path_file_name(object->row.path[COMPARE_AFTER]));
	if (text.length > 0)
		notes_add(pairing->notes, "compared by guess: %s; --no-guess leaves them apart",
			  strbuf_text(&text));
}
