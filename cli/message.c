// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/strbuf.h"
#include "render/escape.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Append @text without what could change a terminal; what is kept has no home directories. */
static void add_safe(struct strbuf *safe, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf shown = { 0 };

	if (isatty(STDERR_FILENO))
		strbuf_puts(&shown, text);
	else
		homepath_shorten(&shown, text);
	escape_terminal(safe, strbuf_text(&shown));
}

void message_print(const char *format, ...)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 }, safe = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	add_safe(&safe, strbuf_text(&text));
	fprintf(stderr, "elfault: %s\n", strbuf_text(&safe));
}

bool message_fail(const struct err *err)
{
	message_print("%s", err->message);
	return false;
}

void message_print_lines(const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 }, safe = { 0 };

	for (;;) {
		size_t length = strcspn(text, "\n");

		strbuf_clear(&line);
		strbuf_add(&line, text, length);
		add_safe(&safe, strbuf_text(&line));
		text += length;
		if (!*text)
			break;
		strbuf_putc(&safe, *text++);
	}
	fprintf(stderr, "elfault: %s\n", strbuf_text(&safe));
}

static bool is_output_told;

bool message_output(bool is_written)
{
	is_output_told = is_output_told || !is_written;
	if (is_written || errno == EPIPE)
		return true;
	message_print("standard output: %s", errno ? strerror(errno) : "cannot be written");
	return false;
}

bool message_rest_of_output(void)
{
	if (is_output_told)
		return true;
	errno = 0;
	return message_output(fflush(stdout) == 0 && !ferror(stdout));
}

void message_ignore_sigpipe(void)
{
	signal(SIGPIPE, SIG_IGN);
}
