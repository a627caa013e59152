// SPDX-License-Identifier: Apache-2.0
// A growable string, NUL-terminated after the first addition.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/** Zero-initialise to use; text is NULL until the first addition. */
struct strbuf {
	char *text;
	size_t length; // without the NUL
	size_t capacity;
};

/** Append @length bytes. */
void strbuf_add(struct strbuf *buf, const char *bytes, size_t length);
/** Append a C string. */
void strbuf_puts(struct strbuf *buf, const char *text);
/** Append one byte. */
void strbuf_putc(struct strbuf *buf, char byte);
/**
 * Append @word as one word for the shell, so that the line can be typed. A "~/" that it begins with
 * stands for a home (base/homepath.h), and is left to the shell.
 */
void strbuf_put_word(struct strbuf *buf, const char *word);
/** The same of @count words, with blanks in between. */
void strbuf_put_words(struct strbuf *buf, const char *const *words, size_t count);
/** Append formatted text. */
void strbuf_printf(struct strbuf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/**
 * Append all that @fd has until its end. False with errno if it cannot be read, and with EFBIG if
 * @buf has more than @most bytes by then.
 */
bool strbuf_read(struct strbuf *buf, int fd, size_t most);
/** Forget the content, keep the storage. */
void strbuf_clear(struct strbuf *buf);
/** The text, "" when empty; owned by @buf until its next change. */
const char *strbuf_text(const struct strbuf *buf);
/** Release the storage. */
void strbuf_deinit(struct strbuf *buf);
