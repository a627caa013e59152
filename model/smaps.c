// SPDX-License-Identifier: Apache-2.0
#include "model/smaps.h"

#include "base/checked.h"
#include "base/order.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const key_words[SMAPS_KEYS] = {
	[SMAPS_SIZE] = "size",
	[SMAPS_RSS] = "rss",
	[SMAPS_PSS] = "pss",
	[SMAPS_PRIVATE_CLEAN] = "private_clean",
	[SMAPS_PRIVATE_DIRTY] = "private_dirty",
	[SMAPS_SHARED_CLEAN] = "shared_clean",
	[SMAPS_SHARED_DIRTY] = "shared_dirty",
	[SMAPS_ANONYMOUS] = "anonymous",
	[SMAPS_SWAP] = "swap",
	[SMAPS_SWAP_PSS] = "swap_pss",
	[SMAPS_HUGE] = "huge",
	[SMAPS_PRIVATE] = "private",
	[SMAPS_SHARED] = "shared",
	[SMAPS_CLEAN] = "clean",
	[SMAPS_DIRTY] = "dirty",
};

const char *smaps_key_word(enum smaps_key key)
{
	return key_words[key];
}

bool smaps_key_parse(const char *word, enum smaps_key *ret_key)
{
	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++)
		if (strcasecmp(word, key_words[key]) == 0) {
			*ret_key = key;
			return true;
		}
	// The kernel writes SwapPss; and what only this process has is often called so.
	*ret_key = strcasecmp(word, "swappss") == 0 ? SMAPS_SWAP_PSS : SMAPS_PRIVATE;
	return strcasecmp(word, "swappss") == 0 || strcasecmp(word, "uss") == 0;
}

const char *smaps_grain_word(enum smaps_grain grain)
{
	static const char *const words[] = { "page", "mapping", "segment" };

	return words[grain];
}

bool smaps_amount(const struct smaps_amounts *amounts, enum smaps_key key, uint64_t *ret_bytes)
{
	*ret_bytes = amounts->bytes[key];
	return !(amounts->unknown & 1U << key);
}

void smaps_amounts_derive(struct smaps_amounts *amounts)
{
	uint64_t *bytes = amounts->bytes;

	bytes[SMAPS_PRIVATE] = bytes[SMAPS_PRIVATE_CLEAN] + bytes[SMAPS_PRIVATE_DIRTY];
	bytes[SMAPS_SHARED] = bytes[SMAPS_SHARED_CLEAN] + bytes[SMAPS_SHARED_DIRTY];
	bytes[SMAPS_CLEAN] = bytes[SMAPS_PRIVATE_CLEAN] + bytes[SMAPS_SHARED_CLEAN];
	bytes[SMAPS_DIRTY] = bytes[SMAPS_PRIVATE_DIRTY] + bytes[SMAPS_SHARED_DIRTY];
}

bool smaps_amounts_add(struct smaps_amounts *to, const struct smaps_amounts *from)
{
	for (size_t key = 0; key < SMAPS_KEYS; key++)
		// Differences have room.
		if (!checked_add(to->bytes[key], from->bytes[key], &to->bytes[key]) ||
		    to->bytes[key] > INT64_MAX / 2)
			return false;
	to->unknown |= from->unknown;
	return true;
}

// ---- Order ------------------------------------------------------------------------------------

static uint64_t weight(const struct smaps_amounts *amounts, enum smaps_key key)
{
	uint64_t bytes;

	smaps_amount(amounts, key, &bytes);
	return bytes;
}

static int compare_weights(const struct smaps_amounts *a, const struct smaps_amounts *b,
			   enum smaps_key key)
{
	uint64_t left = weight(a, key), right = weight(b, key);

	if (left == right) {
		left = a->bytes[SMAPS_RSS];
		right = b->bytes[SMAPS_RSS];
	}
	if (left == right) {
		left = a->bytes[SMAPS_SIZE];
		right = b->bytes[SMAPS_SIZE];
	}
	return (left < right) - (left > right);
}

static int compare_objects(const void *a, const void *b, void *key)
{
	const struct smaps_object *left = a, *right = b;

	return compare_weights(&left->amounts, &right->amounts, *(enum smaps_key *)key)
		       ?: strcmp(left->path, right->path);
}

static int compare_sections(const void *a, const void *b, void *key)
{
	const struct smaps_section *left = a, *right = b;

	return compare_weights(&left->amounts, &right->amounts, *(enum smaps_key *)key)
		       ?: strcmp(left->name, right->name);
}

static int compare_processes(const void *a, const void *b, void *key)
{
	const struct smaps_process *left = a, *right = b;

	return compare_weights(&left->amounts, &right->amounts, *(enum smaps_key *)key)
		       ?: ORDER(left->pid, right->pid);
}

void smaps_model_sort(struct smaps_model *model, enum smaps_key key)
{
	if (model->process_count > 0)
		qsort_r(model->processes, model->process_count, sizeof(*model->processes),
			compare_processes, &key);
	if (model->object_count > 0)
		qsort_r(model->objects, model->object_count, sizeof(*model->objects),
			compare_objects, &key);
	array_foreach (object, model->objects, model->object_count) {
		if (object->section_count > 0)
			qsort_r(object->sections, object->section_count, sizeof(*object->sections),
				compare_sections, &key);
	}
}

void smaps_model_destroy(struct smaps_model *model)
{
	if (!model)
		return;
	notes_deinit(&model->notes);
	arena_deinit(&model->arena);
	free(model);
}

// ---- Comparison -------------------------------------------------------------------------------

struct pair_list {
	VEC(struct smaps_pair) list;
};

bool smaps_pair_change(const struct smaps_pair *pair, enum smaps_key key, int64_t *ret_change)
{
	uint64_t before = 0, after = 0;
	bool is_known = !pair->before || smaps_amount(pair->before, key, &before);

	is_known = (!pair->after || smaps_amount(pair->after, key, &after)) && is_known;
	*ret_change = (int64_t)after - (int64_t)before; // both at most INT64_MAX
	return is_known;
}

/** By object, then section: the whole object first. */
ORDER_OF(compare_names, smaps_pair,
	 strcmp(x->object, y->object) ?: order_text(x->section, y->section))

static int compare_changes(const void *a, const void *b, void *key)
{
	int64_t left, right;

	smaps_pair_change(a, *(enum smaps_key *)key, &left);
	smaps_pair_change(b, *(enum smaps_key *)key, &right);
	if (llabs(left) != llabs(right))
		return llabs(left) > llabs(right) ? -1 : 1;
	return compare_names(a, b);
}

static void add_side(struct pair_list *pairs, const struct smaps_model *model, bool is_after,
		     bool is_sections)
{
	array_foreach (object, model->objects, model->object_count) {
		for (size_t j = 0; j < (is_sections ? object->section_count : 1); j++) {
			const struct smaps_section *section = &object->sections[j];
			const struct smaps_amounts *amounts =
				is_sections ? &section->amounts : &object->amounts;

			vec_push(&pairs->list,
				 (struct smaps_pair){
					 .object = object->path,
					 .section = is_sections ? section->name : NULL,
					 .before = is_after ? NULL : amounts,
					 .after = is_after ? amounts : NULL,
				 });
		}
	}
}

/** Make one of two neighbours with the same name, one of each side. */
static void merge(struct pair_list *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < pairs->list.count; i++) {
		struct smaps_pair *last = count > 0 ? &pairs->list.items[count - 1] : NULL;
		const struct smaps_pair *pair = &pairs->list.items[i];

		if (!last || compare_names(last, pair) != 0) {
			pairs->list.items[count++] = *pair;
			continue;
		}
		last->before = pair->before ? pair->before : last->before;
		last->after = pair->after ? pair->after : last->after;
	}
	pairs->list.count = count;
}

static struct smaps_pair *pair_all(const struct smaps_model *before,
				   const struct smaps_model *after, enum smaps_key key,
				   bool is_sections, size_t *ret_count)
{
	struct pair_list pairs = { 0 };

	add_side(&pairs, before, false, is_sections);
	add_side(&pairs, after, true, is_sections);
	vec_sort(&pairs.list, compare_names);
	merge(&pairs);
	if (pairs.list.count > 0)
		qsort_r(pairs.list.items, pairs.list.count, sizeof(*pairs.list.items),
			compare_changes, &key);
	*ret_count = pairs.list.count;
	return pairs.list.items;
}

void smaps_compare(const struct smaps_model *before, const struct smaps_model *after,
		   enum smaps_key key, struct smaps_comparison *ret_comparison)
{
	*ret_comparison = (struct smaps_comparison){ .before = before, .after = after };
	ret_comparison->objects =
		pair_all(before, after, key, false, &ret_comparison->object_count);
	ret_comparison->sections =
		pair_all(before, after, key, true, &ret_comparison->section_count);
}

void smaps_compare_deinit(struct smaps_comparison *comparison)
{
	free(comparison->objects);
	free(comparison->sections);
}
