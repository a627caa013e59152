// SPDX-License-Identifier: Apache-2.0
#include "render/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool color_welcome(bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *forced = getenv("CLICOLOR_FORCE");
	const char *term = getenv("TERM");

	if (no_color && no_color[0])
		return false;
	if (forced && forced[0] && strcmp(forced, "0") != 0)
		return true;
	return is_terminal && !(term && strcmp(term, "dumb") == 0);
}

static size_t columns_of(int fd)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	long wanted = columns ? strtol(columns, NULL, 10) : 0;

	if (wanted > 0 && wanted < 100000)
		return (size_t)wanted;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

size_t terminal_columns(FILE *out)
{
	return columns_of(fileno(out));
}

struct terminal terminal_detect(FILE *out, enum terminal_color color)
{
	struct terminal terminal = { .is_terminal = isatty(fileno(out)) == 1 };

	setlocale(LC_CTYPE, "");
	if (terminal.is_terminal) {
		terminal.has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
		terminal.width = columns_of(fileno(out));
	}
	terminal.has_color = color == TERMINAL_COLOR_ALWAYS ||
			     (color == TERMINAL_COLOR_AUTO && color_welcome(terminal.is_terminal));
	return terminal;
}

const char *terminal_start(const struct terminal *terminal, enum terminal_style style)
{
	static const char *const sequences[] = {
		[TERMINAL_BOLD] = "\033[1m",
		[TERMINAL_DIM] = "\033[2m",
		[TERMINAL_ALERT] = "\033[1;33m",
	};

	return terminal->has_color ? sequences[style] : "";
}

const char *terminal_end(const struct terminal *terminal)
{
	return terminal->has_color ? "\033[0m" : "";
}

const char *terminal_ellipsis(const struct terminal *terminal)
{
	return terminal->has_utf8 ? "\xe2\x80\xa6" : "...";
}

const char *terminal_plus_minus(const struct terminal *terminal)
{
	return terminal->has_utf8 ? "\xc2\xb1" : "+-";
}

const char *terminal_micro(const struct terminal *terminal)
{
	return terminal->has_utf8 ? "\xc2\xb5" : "u";
}

void terminal_line(FILE *out, const struct terminal *terminal, enum terminal_style style,
		   const char *format, ...)
{
	size_t before = strspn(format, "\n ");
	va_list args;

	fprintf(out, "%.*s%s", (int)before, format, terminal_start(terminal, style));
	va_start(args, format);
	vfprintf(out, format + before, args);
	va_end(args);
	fprintf(out, "%s\n", terminal_end(terminal));
}
