// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/outputs.h"

#include "base/cleanup.h"

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH = 1000 };

void output_begin(struct output *output)
{
	*output = (struct output){ 0 };
	output->file = open_memstream(&output->text, &output->size);
	if (!output->file)
		abort();
}

/** The length of the character at @text; 0: it is no UTF-8, or a control character. */
static size_t character(const uint8_t *text, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const size_t length = text[0] < 0x80   ? 1
			      : text[0] < 0xc0 ? 0
			      : text[0] < 0xe0 ? 2
			      : text[0] < 0xf0 ? 3
			      : text[0] < 0xf8 ? 4
					       : 0;
	uint32_t code = length > 1 ? text[0] & (0x7f >> length) : text[0];

	if (length == 0 || length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	bool is_control =
		(code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
	return is_control ? 0 : length;
}

static void check_text(const char *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length) {
		length = character((const uint8_t *)text + at, size - at);
		if (length == 0)
			abort();
	}
}

static void check_json(const char *text, size_t size)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	struct json_object *value = json_tokener_parse_ex(tokener, text, (int)size);

	if (json_tokener_get_error(tokener) != json_tokener_success)
		abort();
	json_object_put(value);
	json_tokener_free(tokener);
}

static void check_lines(const char *text, size_t size)
{
	while (size > 0) {
		const char *end = memchr(text, '\n', size);

		if (!end)
			abort();
		size_t length = (size_t)(end - text) + 1;

		check_json(text, length);
		text += length;
		size -= length;
	}
}

void output_end(struct output *output, enum output_form form)
{
	if (fclose(output->file) != 0)
		abort();
	switch (form) {
	case OUTPUT_TEXT:
		check_text(output->text, output->size);
		break;
	case OUTPUT_JSON:
		check_json(output->text, output->size);
		break;
	case OUTPUT_NDJSON:
		check_lines(output->text, output->size);
		break;
	case OUTPUT_BINARY:
		break;
	}
	free(output->text);
}
