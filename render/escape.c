// SPDX-License-Identifier: Apache-2.0
#include "render/escape.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

size_t escape_decode(const char *text, uint32_t *ret_code)
{
	const unsigned char *bytes = (const unsigned char *)text;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code = bytes[0];
	size_t length;

	if (code < 0x80) {
		*ret_code = code;
		return 1;
	}
	if ((code & 0xe0) == 0xc0) {
		length = 2;
		code &= 0x1f;
	} else if ((code & 0xf0) == 0xe0) {
		length = 3;
		code &= 0x0f;
	} else if ((code & 0xf8) == 0xf0) {
		length = 4;
		code &= 0x07;
	} else {
		return 0;
	}
	// The NUL at the end is no continuation byte, so this never reads past it.
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret_code = code;
	return length;
}

/** Append the bytes [@start, @end) as they are: text is copied in runs, not letter by letter. */
static void add_run(struct strbuf *buf, const char *start, const char *end)
{
	if (end > start)
		strbuf_add(buf, start, (size_t)(end - start));
}

void escape_utf8(struct strbuf *buf, const char *text)
{
	const char *run = text;

	while (*text) {
		uint32_t code;
		size_t length = escape_decode(text, &code);

		if (length == 0) {
			add_run(buf, run, text);
			strbuf_puts(buf, REPLACEMENT);
			run = text + 1;
		}
		text += length > 0 ? length : 1;
	}
	add_run(buf, run, text);
}

/** Characters that move the cursor, start a sequence, break the line or reorder what stands there.
 */
static bool acts_on_terminal(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||	    // C0, DEL, C1
	       code == 0x61c || code == 0x200e || code == 0x200f || // direction marks
	       (code >= 0x2028 && code <= 0x202e) || // line ends, embeddings and overrides
	       (code >= 0x2066 && code <= 0x2069) || // isolates
	       code == 0xfeff;
}

/** Append @text with \x1b, \u202e ... ; @replacement for a byte that is not UTF-8, NULL: as \xff.
 */
static void add_visible(struct strbuf *buf, const char *text, const char *replacement)
{
	const char *run = text;

	while (*text) {
		uint32_t code = 0;
		size_t length = escape_decode(text, &code);
		bool plain = length > 0 && !acts_on_terminal(code);

		if (!plain) {
			add_run(buf, run, text);
			if (length == 0 && replacement)
				strbuf_puts(buf, replacement);
			else if (length == 0)
				strbuf_printf(buf, "\\x%02x", (unsigned char)*text);
			else
				strbuf_printf(buf, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
		}
		text += length > 0 ? length : 1;
		if (!plain)
			run = text;
	}
	add_run(buf, run, text);
}

void escape_terminal(struct strbuf *buf, const char *text)
{
	add_visible(buf, text, NULL);
}

static void add_json_escape(struct strbuf *buf, uint32_t code)
{
	switch (code) {
	case '"':
		strbuf_puts(buf, "\\\"");
		break;
	case '\\':
		strbuf_puts(buf, "\\\\");
		break;
	case '\n':
		strbuf_puts(buf, "\\n");
		break;
	case '\r':
		strbuf_puts(buf, "\\r");
		break;
	case '\t':
		strbuf_puts(buf, "\\t");
		break;
	default:
		strbuf_printf(buf, "\\u%04x", code);
	}
}

/**
 * Escaping what JSON would allow raw keeps it harmless when someone reads it on a terminal; the
 * value is the same. @is_document: quotes, backslashes and line breaks are JSON's own.
 */
static void add_json(struct strbuf *buf, const char *text, bool is_document)
{
	const char *run = text;

	while (*text) {
		uint32_t code = 0;
		size_t length = escape_decode(text, &code);
		bool is_syntax = is_document ? code < 0x20 : code == '"' || code == '\\';
		bool plain = length > 0 && (is_syntax ? is_document : !acts_on_terminal(code));

		if (!plain) {
			add_run(buf, run, text);
			if (length == 0)
				strbuf_puts(buf, REPLACEMENT);
			else
				add_json_escape(buf, code);
		}
		text += length > 0 ? length : 1;
		if (!plain)
			run = text;
	}
	add_run(buf, run, text);
}

void escape_json(struct strbuf *buf, const char *text)
{
	strbuf_putc(buf, '"');
	add_json(buf, text, false);
	strbuf_putc(buf, '"');
}

void escape_json_document(struct strbuf *buf, const char *json)
{
	add_json(buf, json, true);
}

/** Return the entity of a character in XML; NULL: it needs none. */
static const char *xml_entity(uint32_t code)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	// The two that XML has no place for, and what acts on readers rather than being read.
	if ((code & 0xfffe) == 0xfffe)
		return REPLACEMENT;
	return acts_on_terminal(code) ? "" : NULL;
}

void escape_xml(struct strbuf *buf, const char *text)
{
	const char *run = text;

	while (*text) {
		uint32_t code = 0;
		size_t length = escape_decode(text, &code);
		const char *instead = length > 0 ? xml_entity(code) : REPLACEMENT;

		if (instead) {
			add_run(buf, run, text);
			strbuf_puts(buf, instead);
		}
		text += length > 0 ? length : 1;
		if (instead)
			run = text;
	}
	add_run(buf, run, text);
}

void escape_csv(struct strbuf *buf, const char *text)
{
	// A space at an end is quoted too: some readers trim fields that are not.
	size_t length = strlen(text);
	bool quote =
		strpbrk(text, ",\"") || text[0] == ' ' || (length > 0 && text[length - 1] == ' ');
	const char first = text[strspn(text, " ")];
	size_t start = buf->length;

	if (quote)
		strbuf_putc(buf, '"');
	if (first && strchr("=+-@", first))
		strbuf_putc(buf, '\'');
	add_visible(buf, text, REPLACEMENT);
	if (!quote)
		return;
	// A quote is doubled; from the end, so that what was appended is moved in place.
	size_t quotes = 0;

	for (size_t i = start + 1; i < buf->length; i++)
		quotes += buf->text[i] == '"';
	size_t from = buf->length;

	for (size_t i = 0; i < quotes; i++)
		strbuf_putc(buf, '"');
	for (size_t to = buf->length; to > from;) {
		buf->text[--to] = buf->text[--from];
		if (buf->text[from] == '"')
			buf->text[--to] = '"';
	}
	strbuf_putc(buf, '"');
}
