// SPDX-License-Identifier: Apache-2.0
#include "export/protobuf.h"

#include "render/escape.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_LENGTH = 2, VARINT_MAX = 10 };

/** The bytes of @value in @bytes; returns how many. */
static size_t encode(uint64_t value, char bytes[VARINT_MAX])
{
	size_t length = 0;

	while (value >= 0x80) {
		bytes[length++] = (char)(value | 0x80);
		value >>= 7;
	}
	bytes[length++] = (char)value;
	return length;
}

void protobuf_varint(struct strbuf *buf, uint64_t value)
{
	char bytes[VARINT_MAX];

	strbuf_add(buf, bytes, encode(value, bytes));
}

static void add_key(struct strbuf *buf, uint32_t field, unsigned wire)
{
	protobuf_varint(buf, (uint64_t)field << 3 | wire);
}

void protobuf_number(struct strbuf *buf, uint32_t field, uint64_t value)
{
	add_key(buf, field, WIRE_VARINT);
	protobuf_varint(buf, value);
}

void protobuf_bytes(struct strbuf *buf, uint32_t field, const void *bytes, size_t size)
{
	add_key(buf, field, WIRE_LENGTH);
	protobuf_varint(buf, size);
	strbuf_add(buf, bytes, size);
}

void protobuf_text(struct strbuf *buf, uint32_t field, const char *text)
{
	size_t begun = protobuf_begin(buf, field);

	escape_utf8(buf, text);
	protobuf_end(buf, begun);
}

// One byte is kept for the length. Few messages are longer than 127 bytes: those are moved.
size_t protobuf_begin(struct strbuf *buf, uint32_t field)
{
	add_key(buf, field, WIRE_LENGTH);
	strbuf_putc(buf, 0);
	return buf->length;
}

void protobuf_end(struct strbuf *buf, size_t begun)
{
	char bytes[VARINT_MAX];
	size_t size = buf->length - begun;
	size_t length = encode(size, bytes);

	if (length > 1) {
		strbuf_add(buf, bytes, length - 1); // room
		memmove(buf->text + begun - 1 + length, buf->text + begun, size);
	}
	memcpy(buf->text + begun - 1, bytes, length);
}
