// SPDX-License-Identifier: Apache-2.0
#include "cli/option.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/number.h"

#include <string.h>

size_t option_format(const struct argp_state *state, const char *arg, const char *const *words,
		     size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (strcmp(arg, words[i]) == 0)
			return i;
		strbuf_printf(&list, "%s%s",
			      i == 0	       ? ""
			      : i + 1 == count ? " or "
					       : ", ",
			      words[i]);
	}
	argp_error(state, "--format is %s, not '%s'", strbuf_text(&list), arg);
	return 0; // not reached: misuse ends the process
}

size_t option_top(const struct argp_state *state, const char *arg)
{
	size_t rows = 0;

	if (!number_parse(arg, &rows))
		argp_error(state, "--top is a number of rows, not '%s'", arg);
	return rows;
}

enum terminal_color option_color(const struct argp_state *state, const char *arg)
{
	enum terminal_color color = { 0 };

	if (!terminal_color_parse(arg, &color))
		argp_error(state, "--color is auto, always or never, not '%s'", arg);
	return color;
}
