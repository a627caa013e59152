// SPDX-License-Identifier: Apache-2.0
#include "trace/textvalue.h"

#include "base/cleanup.h"

#include <string.h>
#include <sys/sysmacros.h>

static bool equals(struct text_span span, const char *word)
{
	return span.length == strlen(word) && memcmp(span.start, word, span.length) == 0;
}

/** Split at the first @separator; *@rest is what follows. Returns false if nothing is left. */
static bool next_item(struct text_span *rest, char separator, struct text_span *ret_item)
{
	if (!rest->start)
		return false;

	const char *at = memchr(rest->start, separator, rest->length);
	size_t length = at ? (size_t)(at - rest->start) : rest->length;

	*ret_item = (struct text_span){ rest->start, length };
	*rest = at ? (struct text_span){ at + 1, rest->length - length - 1 }
		   : (struct text_span){ 0 };
	return true;
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return 99;
}

static bool parse_number(struct text_span span, uint64_t max, uint64_t *ret_number)
{
	uint64_t base = 10, number = 0;

	if (span.length > 2 && span.start[0] == '0' && span.start[1] == 'x') {
		base = 16;
		span.start += 2;
		span.length -= 2;
	}
	if (span.length == 0)
		return false;
	for (size_t i = 0; i < span.length; i++) {
		uint64_t digit = (uint64_t)digit_value(span.start[i]);

		if (digit >= base || __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*ret_number = number;
	return number <= max;
}

static bool parse_signed(struct text_span span, int32_t *ret_number)
{
	bool is_negative = span.length > 0 && span.start[0] == '-';
	uint64_t number;

	if (is_negative) {
		span.start++;
		span.length--;
	}
	if (!parse_number(span, (uint64_t)INT32_MAX + is_negative, &number))
		return false;
	*ret_number = (int32_t)(is_negative ? -(int64_t)number : (int64_t)number); // fits
	return true;
}

static bool parse_bits(const struct text_bit *bits, size_t count, struct text_span span,
		       uint32_t *ret_code)
{
	struct text_span item;
	uint32_t code = 0;

	while (next_item(&span, ',', &item)) {
		uint64_t number;
		size_t i = 0;

		while (i < count && !equals(item, bits[i].name))
			i++;
		if (i < count)
			code |= bits[i].bit;
		else if (parse_number(item, UINT32_MAX, &number))
			code |= (uint32_t)number; // at most UINT32_MAX
		else
			return false;
	}
	*ret_code = code;
	return true;
}

static bool parse_protection(struct text_span span, struct trace_mapping *mapping)
{
	static const char letters[] = "rwx";
	uint32_t protection = 0;

	if (span.length != 3 && span.length != 4)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (span.start[i] == letters[i])
			protection |= 1u << i;
		else if (span.start[i] != '-')
			return false;
	}
	if (span.length == 4 && span.start[3] != 'p' && span.start[3] != 's')
		return false;
	mapping->protection = protection;
	mapping->is_shared = span.length == 4 && span.start[3] == 's';
	return true;
}

static bool parse_device(struct text_span span, uint64_t *ret_device)
{
	struct text_span major_span, minor_span, more;
	uint64_t major_number, minor_number;

	if (!memchr(span.start, ':', span.length))
		return parse_number(span, UINT64_MAX, ret_device);
	if (!next_item(&span, ':', &major_span) || !next_item(&span, ':', &minor_span) ||
	    next_item(&span, ':', &more) || !parse_number(major_span, UINT32_MAX, &major_number) ||
	    !parse_number(minor_span, UINT32_MAX, &minor_number))
		return false;
	*ret_device = makedev((unsigned)major_number, (unsigned)minor_number);
	return true;
}

/** Half as many bytes as @span has digits. */
static bool parse_hex(struct text_span span, uint8_t *ret_bytes)
{
	if (span.length % 2 != 0)
		return false;
	for (size_t i = 0; i < span.length; i += 2) {
		int high = digit_value(span.start[i]), low = digit_value(span.start[i + 1]);

		if (high > 15 || low > 15)
			return false;
		ret_bytes[i / 2] = (uint8_t)(high * 16 + low);
	}
	return true;
}

static bool parse_build_id(struct text_span span, struct trace_mapping *mapping)
{
	if (span.length / 2 > TRACE_BUILD_ID_MAX || !parse_hex(span, mapping->build_id))
		return false;
	mapping->build_id_size = (uint8_t)(span.length / 2); // at most TRACE_BUILD_ID_MAX
	return true;
}

static bool parse_bytes(struct text_span span, struct trace_content *content, struct arena *arena)
{
	uint8_t *bytes = arena_alloc(arena, span.length / 2);

	content->bytes = bytes;
	content->size = (uint32_t)(span.length / 2); // a text trace is at most 1 GiB
	return parse_hex(span, bytes);
}

static bool parse_frames(struct text_span span, struct trace_stack *stack, struct arena *arena)
{
	VEC(uint64_t) frames = { 0 };
	struct text_span item;
	uint64_t frame;

	if (span.length == 0)
		span.start = NULL; // no frame, rather than one without digits
	while (next_item(&span, ',', &item)) {
		if (!parse_number(item, UINT64_MAX, &frame)) {
			vec_deinit(&frames);
			return false;
		}
		vec_push(&frames, frame);
	}
	stack->frame_count = (uint32_t)frames.count; // a text trace is at most 1 GiB
	stack->frames = vec_keep(&frames, arena);
	return true;
}

static bool parse_string(struct text_span span, const char **ret_text, struct arena *arena)
{
	if (memchr(span.start, '\0', span.length))
		return false;
	*ret_text = arena_strndup(arena, span.start, span.length);
	return true;
}

static bool parse_comm(struct text_span span, char comm[static 16])
{
	if (span.length > 15 || memchr(span.start, '\0', span.length))
		return false;
	memcpy(comm, span.start, span.length);
	return true;
}

/** Parse a number of at most @max into *@ret_number, or say what was expected. */
static bool number_or_why(struct text_span value, uint64_t max, uint64_t *ret_number,
			  const char **ret_why)
{
	if (parse_number(value, max, ret_number))
		return true;
	*ret_why = max == UINT32_MAX ? "must be a number below 2^32, decimal or 0x..."
				     : "must be a number below 2^64, decimal or 0x...";
	return false;
}

static bool or_why(bool is_good, const char *why, const char **ret_why)
{
	*ret_why = why;
	return is_good;
}

bool text_parse_value(const struct text_field *field, struct text_span value, void *event,
		      struct arena *arena, const char **ret_why)
{
	void *member = text_member(event, field->offset);
	uint64_t number;

	switch (field->type) {
	case TEXT_U64:
	case TEXT_HEX64:
		return number_or_why(value, UINT64_MAX, member, ret_why);
	case TEXT_U32:
	case TEXT_HEX32:
		if (!number_or_why(value, UINT32_MAX, &number, ret_why))
			return false;
		*(uint32_t *)member = (uint32_t)number; // at most UINT32_MAX
		return true;
	case TEXT_I32:
		return or_why(parse_signed(value, member),
			      "must be a number from -2^31 to 2^31 - 1", ret_why);
	case TEXT_BOOL:
		*(bool *)member = equals(value, "yes");
		return or_why(equals(value, "yes") || equals(value, "no"), "must be yes or no",
			      ret_why);
	case TEXT_STRING:
	case TEXT_WORDS: // textread.c gathers them
		return or_why(parse_string(value, member, arena), "must not contain a NUL byte",
			      ret_why);
	case TEXT_COMM:
		return or_why(parse_comm(value, member), "must have at most 15 bytes and no NUL",
			      ret_why);
	case TEXT_CHOICE:
		if (equals(value, field->choices[1]))
			*(uint32_t *)member |= field->has_mask;
		return or_why(equals(value, field->choices[0]) || equals(value, field->choices[1]),
			      arena_printf(arena, "must be %s or %s", field->choices[0],
					   field->choices[1]),
			      ret_why);
	case TEXT_ERROR_CODE:
		return or_why(parse_bits(text_error_bits, TEXT_ERROR_BITS, value, member),
			      "must be present, write, user, fetch or numbers, separated by commas",
			      ret_why);
	case TEXT_READ_FLAGS:
		return or_why(parse_bits(text_read_bits, TEXT_READ_BITS, value, member),
			      "must be fault, call, exec, async, file, metadata, rahead, continues"
			      " or numbers, separated by commas",
			      ret_why);
	case TEXT_PROTECTION:
		return or_why(parse_protection(value, event), "must look like r-xp or rw-s",
			      ret_why);
	case TEXT_DEVICE:
		return or_why(parse_device(value, member), "must look like 8:1", ret_why);
	case TEXT_BUILD_ID:
		return or_why(parse_build_id(value, event), "must be at most 20 bytes in hex",
			      ret_why);
	case TEXT_BYTES:
		return or_why(parse_bytes(value, event, arena), "must be whole bytes in hex",
			      ret_why);
	case TEXT_FRAMES:
		return or_why(parse_frames(value, event, arena),
			      "must be addresses separated by commas", ret_why);
	}
	return false;
}

/** The byte of one escape, whose backslash was read; 0 length: not an escape. */
static size_t unescape(struct text_span text, char *ret_byte)
{
	static const char letters[] = "abfnrtv\\\"'";
	static const char bytes[] = "\a\b\f\n\r\t\v\\\"'";
	unsigned value = 0;
	size_t length = 0;

	if (text.length == 0)
		return 0;
	const char *letter = memchr(letters, text.start[0], sizeof(letters) - 1);
	if (letter) {
		*ret_byte = bytes[letter - letters];
		return 1;
	}
	if (text.start[0] == 'x') {
		for (length = 1;
		     length < text.length && length < 3 && digit_value(text.start[length]) < 16;
		     length++)
			value = value * 16 + (unsigned)digit_value(text.start[length]);
		if (length == 1)
			return 0;
	} else {
		for (; length < text.length && length < 3 && digit_value(text.start[length]) < 8;
		     length++)
			value = value * 8 + (unsigned)digit_value(text.start[length]);
	}
	*ret_byte = (char)value;
	return value <= 0xff ? length : 0;
}

size_t text_unquote(struct text_span text, struct strbuf *ret_value, const char **ret_why)
{
	size_t at = 0;

	strbuf_clear(ret_value);
	while (at < text.length && text.start[at] != '"') {
		char byte = text.start[at++];

		if (byte == '\\') {
			struct text_span rest = { text.start + at, text.length - at };
			size_t length = unescape(rest, &byte);

			if (length == 0) {
				*ret_why = "has a malformed escape";
				return 0;
			}
			at += length;
		}
		strbuf_putc(ret_value, byte);
	}
	if (at == text.length) {
		*ret_why = "has no closing quote";
		return 0;
	}
	return at + 1;
}
