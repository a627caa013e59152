// SPDX-License-Identifier: Apache-2.0
// Names from files and processes, made safe for where they are shown.
#pragma once

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

/**
 * Decode the character at @text, which is NUL-terminated.
 *
 * *@ret_code: its code point; untouched where the bytes are not UTF-8 (overlong forms, surrogates
 * and numbers above U+10FFFF are not). Returns: the number of bytes it takes, 0 if they are not
 * UTF-8. A NUL is one byte.
 */
size_t escape_decode(const char *text, uint32_t *ret_code);

/** Append @text as valid UTF-8: each byte that is not becomes U+FFFD. All else stays as it is. */
void escape_utf8(struct strbuf *buf, const char *text);

/**
 * Append @text for a terminal or a line of text: control characters, those that turn the direction
 * of writing and bytes that are not UTF-8 become visible (`\x1b`, `\u202e`, `\xff`). One line stays
 * one line.
 */
void escape_terminal(struct strbuf *buf, const char *text);

/** As escape_utf8(), as a JSON string with its quotes. Pure ASCII stays as readable as JSON allows.
 */
void escape_json(struct strbuf *buf, const char *text);

/**
 * Append @json, a document on one line, as escape_json() would write its strings: the same value,
 * of valid UTF-8, without what a terminal acts on but for C0, which JSON has in no string.
 */
void escape_json_document(struct strbuf *buf, const char *json);

/**
 * As a field of CSV: what escape_terminal() makes visible is visible, a byte that is not UTF-8
 * becomes U+FFFD, and what a spreadsheet would take for a formula (= + - @) gets a ' before it.
 * Quoted where RFC 4180 asks for it.
 */
void escape_csv(struct strbuf *buf, const char *text);

/**
 * As escape_utf8(), for XML, in text or between quotation marks: markup is escaped; control
 * characters and those that turn the direction of writing are left out.
 */
void escape_xml(struct strbuf *buf, const char *text);
