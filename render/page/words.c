// SPDX-License-Identifier: Apache-2.0
// Words, their meanings and their colours in the header of a report page.
#include "render/page/parts.h"

#include "derive/phases.h"
#include "model/storage.h"
#include "model/waits.h"
#include "model/words.def"
#include "render/columns/node.h"

#define WORDS(count, name_of)                                       \
	({                                                          \
		struct json_object *list_ = node_array();           \
		for (int i_ = 0; i_ < (int)(count); i_++)           \
			node_append(list_, node_text(name_of(i_))); \
		list_;                                              \
	})

struct json_object *pageheader_words(void)
{
	struct json_object *object = node_object();
	struct json_object *dlopens = node_array();

	node_add(object, "kind", WORDS(MODEL_KINDS, model_kind_name));
	node_add(object, "access", WORDS(MODEL_ACCESSES, model_access_name));
	node_add(object, "mode", WORDS(MODEL_MODES, model_mode_name));
	node_add(object, "mechanism", WORDS(MODEL_MECHANISMS, model_mechanism_name));
	node_add(object, "initiator", WORDS(MODEL_INITIATORS, model_initiator_name));
	node_add(object, "certainty", WORDS(MODEL_CERTAINTIES, model_certainty_name));
	node_append(dlopens, NULL);
	node_append(dlopens, json_object_new_boolean(0));
	node_append(dlopens, json_object_new_boolean(1));
	node_add(object, "dlopen", dlopens);
	node_add(object, "step", WORDS(MODEL_STEPS, model_step_name));
	node_add(object, "symbol_kind", WORDS(MODEL_SYMBOL_KINDS, model_symbol_kind_name));
	node_add(object, "phase", WORDS(PHASES, phase_name));
	node_add(object, "state", WORDS(MODEL_STATES, model_state_name));
	node_add(object, "wait", WORDS(MODEL_WAITS, model_wait_name));
	return object;
}

/** Texts by value, of any list of model/words.def. */
#define MEANINGS(rows)                                                                 \
	({                                                                             \
		static const char *const meanings_[] = { rows(WORD_MEANING) };         \
		struct json_object *list_ = node_array();                              \
		for (size_t i_ = 0; i_ < sizeof(meanings_) / sizeof(*meanings_); i_++) \
			node_append(list_, node_text(meanings_[i_]));                  \
		list_;                                                                 \
	})

struct json_object *pageheader_meanings(void)
{
	struct json_object *object = node_object();

	node_add(object, "kind", MEANINGS(KIND_WORDS));
	node_add(object, "access", MEANINGS(ACCESS_WORDS));
	node_add(object, "mode", MEANINGS(MODE_WORDS));
	node_add(object, "mechanism", MEANINGS(MECHANISM_WORDS));
	node_add(object, "initiator", MEANINGS(INITIATOR_WORDS));
	node_add(object, "certainty", MEANINGS(CERTAINTY_WORDS));
	node_add(object, "symbol_kind", MEANINGS(SYMBOL_KIND_WORDS));
	return object;
}

/** [["#rrggbb" on light, "#rrggbb" on dark], ..]. */
static struct json_object *colors(const struct palette_group *groups, unsigned count)
{
	struct json_object *list = node_array();

	for (unsigned i = 0; i < count; i++) {
		struct json_object *pair = node_array();

		node_append(pair, node_text(groups[i].light));
		node_append(pair, node_text(groups[i].dark));
		node_append(list, pair);
	}
	return list;
}

struct json_object *pageheader_palette(void)
{
	struct json_object *object = node_object();
	unsigned count;
	const struct palette_group *groups = palette_groups(PALETTE_INITIATOR, &count);

	node_add(object, "initiator", colors(groups, count));
	return object;
}
