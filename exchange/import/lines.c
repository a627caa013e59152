// SPDX-License-Identifier: Apache-2.0
#include "exchange/import/lines.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 << 10 };

void lines_init(struct lines *lines, int fd, const char *bytes, size_t size)
{
	*lines = (struct lines){ .fd = fd, .buffer = bytes, .end = size, .is_end = fd < 0 };
	if (fd >= 0)
		lines->buffer = lines->own = xcalloc(1, BUFFER);
}

void lines_deinit(struct lines *lines)
{
	free(lines->own);
	lines->own = NULL;
}

/** Read until the buffer is full or the input ends. */
static bool fill(struct lines *lines)
{
	if (lines->is_end)
		return true;
	memmove(lines->own, lines->own + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	while (lines->end < BUFFER && !lines->is_end) {
		ssize_t got = read(lines->fd, lines->own + lines->end, BUFFER - lines->end);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_os(&lines->err, "reading");
			return false;
		}
		lines->is_end = got == 0;
		lines->end += (size_t)got;
	}
	return true;
}

static const char *find_end(const struct lines *lines)
{
	return lines->start == lines->end
		       ? NULL
		       : memchr(lines->buffer + lines->start, '\n', lines->end - lines->start);
}

/** Pass over the rest of a line that had no room in the buffer. */
static bool skip(struct lines *lines)
{
	const char *end;

	while (!(end = find_end(lines))) {
		lines->start = lines->end;
		if (lines->is_end)
			return true;
		if (!fill(lines))
			return false;
	}
	lines->start = (size_t)(end - lines->buffer) + 1;
	return true;
}

bool lines_next(struct lines *lines, struct line *ret_line)
{
	if (lines->err.code || (lines->is_within && !skip(lines)))
		return false;
	lines->is_within = false;
	const char *end = find_end(lines);
	if (!end && !fill(lines))
		return false;
	if (!end)
		end = find_end(lines);
	if (!end && lines->start == lines->end)
		return false;

	size_t stop = end ? (size_t)(end - lines->buffer) : lines->end;
	*ret_line = (struct line){
		.text = lines->buffer + lines->start,
		.length = stop - lines->start,
		.number = ++lines->number,
		.is_open = !end && lines->is_end,
	};
	lines->is_within = !end && !lines->is_end;
	lines->start = end ? stop + 1 : stop;
	if (ret_line->length > 0 && ret_line->text[ret_line->length - 1] == '\r')
		ret_line->length--;
	ret_line->is_damaged =
		ret_line->length >= BUFFER - 1 ||
		(ret_line->length > 0 && memchr(ret_line->text, '\0', ret_line->length));
	return true;
}

bool lines_peek(struct lines *lines, const char **ret_bytes, size_t *ret_size)
{
	if (!fill(lines))
		return false;
	*ret_bytes = lines->buffer + lines->start;
	*ret_size = lines->end - lines->start;
	if (*ret_size > BUFFER)
		*ret_size = BUFFER;
	return true;
}
