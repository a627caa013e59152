// SPDX-License-Identifier: Apache-2.0
#include "base/strbuf.h"

#include "base/arena.h"
#include "base/readfull.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct strbuf *buf, size_t extra)
{
	size_t wanted;

	if (__builtin_add_overflow(buf->length, extra, &wanted) ||
	    __builtin_add_overflow(wanted, 1, &wanted))
		oom();
	if (wanted <= buf->capacity)
		return;
	size_t grown = buf->capacity ? buf->capacity * 2 : 64;
	if (grown < wanted)
		grown = wanted;
	buf->text = xreallocarray(buf->text, grown, 1);
	buf->capacity = grown;
}

void strbuf_add(struct strbuf *buf, const char *bytes, size_t length)
{
	reserve(buf, length);
	memcpy(buf->text + buf->length, bytes, length);
	buf->length += length;
	buf->text[buf->length] = '\0';
}

bool strbuf_read(struct strbuf *buf, int fd, size_t most)
{
	char bytes[1 << 14];
	size_t got;

	do {
		got = read_full(fd, bytes, sizeof(bytes));
		if (got < sizeof(bytes) && errno)
			return false;
		strbuf_add(buf, bytes, got);
		if (buf->length > most) {
			errno = EFBIG;
			return false;
		}
	} while (got == sizeof(bytes));
	return true;
}

void strbuf_puts(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, text, strlen(text));
}

void strbuf_putc(struct strbuf *buf, char byte)
{
	strbuf_add(buf, &byte, 1);
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vprintf(buf, format, args);
	va_end(args);
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		oom();
	reserve(buf, (size_t)length);
	vsnprintf(buf->text + buf->length, (size_t)length + 1, format, args);
	buf->length += (size_t)length;
}

/** How many bytes of @word mean themselves to a shell; an ellipsis stands for words not shown. */
static size_t count_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%^";
	static const char hidden[] = "\u2026";
	size_t length = 0;

	for (;;) {
		size_t step = strspn(word + length, plain);

		if (step == 0 && strncmp(word + length, hidden, strlen(hidden)) == 0)
			step = strlen(hidden);
		if (step == 0)
			return length;
		length += step;
	}
}

void strbuf_put_word(struct strbuf *buf, const char *word)
{
	size_t home = strncmp(word, "~/", 2) == 0 ? 2 : 0;

	strbuf_add(buf, word, home);
	word += home;
	if ((home || word[0]) && count_plain(word) == strlen(word)) {
		strbuf_puts(buf, word);
		return;
	}
	strbuf_putc(buf, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_puts(buf, "'\\''");
		else
			strbuf_putc(buf, *word);
	}
	strbuf_putc(buf, '\'');
}

void strbuf_put_words(struct strbuf *buf, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(buf, i > 0 ? " " : "");
		strbuf_put_word(buf, words[i]);
	}
}

void strbuf_clear(struct strbuf *buf)
{
	buf->length = 0;
	if (buf->text)
		buf->text[0] = '\0';
}

const char *strbuf_text(const struct strbuf *buf)
{
	return buf->text ? buf->text : "";
}

void strbuf_deinit(struct strbuf *buf)
{
	free(buf->text);
	*buf = (struct strbuf){ 0 };
}
