// SPDX-License-Identifier: Apache-2.0
#include "budget/line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned line_column(const struct line *line, const char *at)
{
	unsigned column = 1;

	for (const char *c = line->text; c < at; c++)
		column += (*c & 0xc0) != 0x80; // bytes that continue a character
	return column;
}

bool line_refuse(const struct line *line, const char *at, struct err *err, const char *format, ...)
{
	char words[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	return err_set(err, ERR_INPUT, "%s:%u:%u: %s", line->path, line->number,
		       line_column(line, at), words);
}

void line_skip_blanks(struct line *line)
{
	line->at += strspn(line->at, " \t");
}

bool line_is_at_end(const struct line *line)
{
	return *line->at == '\0' || (*line->at == '#' && (line->at == line->text ||
							  isblank((unsigned char)line->at[-1])));
}

bool line_number(struct line *line, double *ret_number)
{
	static const double limit = 1e15;
	const char *at = line->at;
	double number = 0, scale = 1;

	if (!isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at) && number < limit; at++)
		number = number * 10 + (*at - '0');
	if (*at == '.' && isdigit((unsigned char)at[1]))
		for (at++; isdigit((unsigned char)*at) && scale < limit; at++) {
			scale *= 10;
			number += (*at - '0') / scale;
		}
	if (number > limit || isdigit((unsigned char)*at))
		return false;
	line->at = at;
	*ret_number = number;
	return true;
}

bool line_word(struct line *line, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(line->at, word, length) != 0)
		return false;
	line->at += length;
	return true;
}
