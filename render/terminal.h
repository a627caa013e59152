// SPDX-License-Identifier: Apache-2.0
// Abilities of the place that text goes to: width, colour, letters.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The words of --color, in their order. */
enum terminal_color { TERMINAL_COLOR_AUTO, TERMINAL_COLOR_ALWAYS, TERMINAL_COLOR_NEVER };

struct terminal {
	bool is_terminal;
	bool has_color;
	bool has_utf8;	     // letters outside ASCII are welcome: a terminal in a UTF-8 locale
	size_t width;	     // columns; 0: no limit
	size_t name_columns; // where width is 0: of a name in a table; 0: no limit
};

/**
 * Look at @out. Colour under auto needs a terminal, no NO_COLOR in the environment (no-color.org:
 * set and not empty) and a TERM other than dumb; or CLICOLOR_FORCE and no NO_COLOR. Sets the
 * locale's character type from the environment.
 */
struct terminal terminal_detect(FILE *out, enum terminal_color color);

/** Columns for what is laid out though @out may be no terminal: COLUMNS, the window's, else 80. */
size_t terminal_columns(FILE *out);

enum terminal_style { TERMINAL_BOLD, TERMINAL_DIM, TERMINAL_ALERT };

/** The sequence that starts @style or ends any; "" without colour. */
const char *terminal_start(const struct terminal *terminal, enum terminal_style style);
const char *terminal_end(const struct terminal *terminal);

/** "…", "±" and "µ", or what is like them in ASCII where @terminal does not show them. */
const char *terminal_ellipsis(const struct terminal *terminal);
const char *terminal_plus_minus(const struct terminal *terminal);
const char *terminal_micro(const struct terminal *terminal);

/** Print a line in @style; spaces and line ends before it stay without. */
void terminal_line(FILE *out, const struct terminal *terminal, enum terminal_style style,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));
