// SPDX-License-Identifier: Apache-2.0
#include "render/columns/node.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/escape.h"

#include <inttypes.h>
#include <math.h>

static struct json_object *needed(struct json_object *node)
{
	if (!node)
		oom();
	return node;
}

struct json_object *node_object(void)
{
	return needed(json_object_new_object());
}

struct json_object *node_array(void)
{
	return needed(json_object_new_array());
}

/** Writes a string by our rules instead of json-c's, so that names read the same everywhere. */
static int serialize_text(struct json_object *node, struct printbuf *out, int level, int flags)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	escape_json(&buf, json_object_get_string(node));
	return printbuf_memappend(out, strbuf_text(&buf), (int)buf.length);
}

struct json_object *node_text(const char *text)
{
	if (!text)
		return NULL;
	struct json_object *node = needed(json_object_new_string(text));

	json_object_set_serializer(node, serialize_text, NULL, NULL);
	return node;
}

void node_append(struct json_object *array, struct json_object *item)
{
	if (json_object_array_add(array, item) != 0)
		oom();
}

void node_add(struct json_object *object, const char *key, struct json_object *value)
{
	if (json_object_object_add_ex(object, key, value,
				      JSON_C_OBJECT_ADD_KEY_IS_NEW |
					      JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0)
		oom();
}

void node_add_text(struct json_object *object, const char *key, const char *text)
{
	node_add(object, key, node_text(text));
}

void node_add_number(struct json_object *object, const char *key, uint64_t number)
{
	node_add(object, key, needed(json_object_new_uint64(number)));
}

void node_add_bool(struct json_object *object, const char *key, bool value)
{
	node_add(object, key, needed(json_object_new_boolean(value)));
}

void node_add_known(struct json_object *object, const char *key, bool is_known, uint64_t number)
{
	node_add(object, key, is_known ? needed(json_object_new_uint64(number)) : NULL);
}

struct json_object *node_texts(const char *const *texts, size_t count)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < count; i++)
		node_append(list, node_text(texts[i]));
	return list;
}

struct json_object *node_real(double number)
{
	bool is_whole = fabs(number) < 0x1p63 && number == (double)(int64_t)number;

	return needed(is_whole ? json_object_new_int64((int64_t)number)
			       : json_object_new_double(number));
}

struct json_object *node_address(uint64_t address)
{
	char text[sizeof("0x") + 16];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return needed(json_object_new_string(text));
}

void node_print(struct json_object *node, FILE *out)
{
	const char *text = json_object_to_json_string_ext(node, JSON_C_TO_STRING_PLAIN);

	if (!text)
		oom();
	fputs(text, out);
	json_object_put(node);
}

void node_putp(struct json_object **node)
{
	json_object_put(*node);
}
