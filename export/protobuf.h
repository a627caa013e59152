// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers, appended to a buffer. Source: the encoding guide of Protocol
// Buffers; the numbers of fields are those of the schema that is written.
#pragma once

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

/** Append @value in groups of seven bits, the lowest first: an item of a packed field. */
void protobuf_varint(struct strbuf *buf, uint64_t value);

/** Append a field of any integer type but sint and fixed; a negative number as its 64 bits. */
void protobuf_number(struct strbuf *buf, uint32_t field, uint64_t value);

/** Append a field of bytes. */
void protobuf_bytes(struct strbuf *buf, uint32_t field, const void *bytes, size_t size);

/** Append a field of text, made valid UTF-8. */
void protobuf_text(struct strbuf *buf, uint32_t field, const char *text);

/**
 * Begin a message, or a packed field, within what is written. What is appended is its content until
 * protobuf_end() gets the value returned. They nest.
 */
size_t protobuf_begin(struct strbuf *buf, uint32_t field);
void protobuf_end(struct strbuf *buf, size_t begun);
