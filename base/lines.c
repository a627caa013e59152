// SPDX-License-Identifier: Apache-2.0
#include "base/lines.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER = 64 << 10,  // at first
	SKIPPED_MAX = 1024, // times a line's limit: a damaged line that is longer has no end
};

const struct lines_kind lines_of_kernel = { .line_max = 1 << 20 };

void lines_init(struct lines *lines, const char *name, int fd, const struct lines_kind *kind)
{
	*lines = (struct lines){ .name = name, .kind = *kind, .fd = fd };
}

void lines_init_memory(struct lines *lines, const char *name, const char *bytes, size_t size,
		       const struct lines_kind *kind)
{
	lines_init(lines, name, -1, kind);
	lines->bytes = bytes;
	lines->byte_count = size;
}

bool lines_open(struct lines *lines, const char *path, const struct lines_kind *kind,
		struct err *err)
{
	lines_init(lines, path, open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC), kind);
	lines->owns_fd = true;
	return lines->fd >= 0 || err_os(err, "%s", path);
}

void lines_deinit(struct lines *lines)
{
	if (lines->owns_fd)
		fd_close(&lines->fd);
	free(lines->buffer);
	lines->buffer = NULL;
}

/** Fail: @what, "longer than", @size if there is one; @number: of the line, 0: of the whole. */
static bool refuse(struct lines *lines, uint64_t number, const char *what, uint64_t size)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *name = lines->kind.name;

	return err_set(&lines->err, ERR_INPUT, "%s: %s%s%s%s%s", lines->name,
		       number ? arena_printf(&arena, "line %" PRIu64 " ", number) : "", what,
		       size ? figure_size(&arena, size) : "", name ? ": not " : "",
		       name ? name : "");
}

// ---- The buffer -------------------------------------------------------------------------------

/** The most that a line and its end take. */
static size_t room_for_line(const struct lines *lines)
{
	return lines->kind.line_max + 2;
}

static void make_room(struct lines *lines)
{
	const size_t most = room_for_line(lines);
	size_t wanted = lines->capacity ? 2 * lines->capacity : BUFFER;

	if (lines->start > 0) {
		memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
		lines->searched -= lines->start;
		lines->end -= lines->start;
		lines->start = 0;
	}
	if (lines->end < lines->capacity)
		return;
	wanted = wanted < most ? wanted : most;
	lines->buffer = xreallocarray(lines->buffer, wanted + 1, 1);
	lines->capacity = wanted;
}

static ssize_t take(struct lines *lines, char *to, size_t size)
{
	ssize_t got;

	if (lines->fd >= 0) {
		do
			got = read(lines->fd, to, size);
		while (got < 0 && errno == EINTR);
		return got;
	}
	size = size < lines->byte_count ? size : lines->byte_count;
	if (size > 0)
		memcpy(to, lines->bytes, size);
	lines->bytes += size;
	lines->byte_count -= size;
	return (ssize_t)size;
}

/** Read once, so that a line that is there need not wait for the next. */
static bool fill(struct lines *lines)
{
	make_room(lines);

	ssize_t got = take(lines, lines->buffer + lines->end, lines->capacity - lines->end);

	if (got < 0 && lines->number > 0)
		return err_os(&lines->err, "%s: line %" PRIu64, lines->name, lines->number + 1);
	if (got < 0)
		return err_os(&lines->err, "%s", lines->name);
	lines->is_end = got == 0;
	lines->end += (size_t)got;
	lines->size += (uint64_t)got;
	return !lines->kind.size_max || lines->size <= lines->kind.size_max ||
	       refuse(lines, 0, "larger than ", lines->kind.size_max);
}

/** Read up to the next newline; NULL: the input ends, fails, or the line is too long. */
static char *find_newline(struct lines *lines)
{
	for (;;) {
		size_t rest = lines->end - lines->searched;
		char *newline = rest ? memchr(lines->buffer + lines->searched, '\n', rest) : NULL;

		if (newline)
			return newline;
		lines->searched = lines->end;
		if (lines->is_end || lines->end - lines->start >= room_for_line(lines) ||
		    !fill(lines))
			return NULL;
	}
}

// ---- Lines ------------------------------------------------------------------------------------

/** Pass over the rest of a line that was too long. */
static bool skip(struct lines *lines)
{
	const uint64_t most = (uint64_t)lines->kind.line_max * SKIPPED_MAX;
	uint64_t passed = 0;
	const char *newline;

	while (!(newline = find_newline(lines))) {
		passed += lines->end - lines->start;
		lines->start = lines->end;
		if (lines->err.code || lines->is_end)
			return !lines->err.code;
		if (passed > most)
			return refuse(lines, lines->number, "is longer than ", most);
	}
	lines->start = lines->searched = (size_t)(newline - lines->buffer) + 1;
	return true;
}

bool lines_next(struct lines *lines, struct text_line *ret_line)
{
	if (lines->err.code || (lines->is_within && !skip(lines)))
		return false;
	lines->is_within = false;

	char *newline = find_newline(lines);
	const size_t stop = newline ? (size_t)(newline - lines->buffer) : lines->end;
	size_t length = stop - lines->start;
	const char *text = lines->buffer + lines->start;

	if (lines->err.code || (!newline && length == 0))
		return false;

	bool has_return = length > 0 && text[length - 1] == '\r';

	length -= has_return;

	bool is_long = length > lines->kind.line_max;
	bool is_damaged = is_long || memchr(text, '\0', length);

	if (is_damaged && !lines->kind.keeps_damaged)
		return refuse(lines, lines->number + 1,
			      is_long ? "is longer than " : "has a NUL byte",
			      is_long ? lines->kind.line_max : 0);
	*ret_line = (struct text_line){
		.text = lines->buffer + lines->start,
		.length = length,
		.end = newline	    ? has_return ? "\r\n" : "\n"
		       : has_return ? "\r"
				    : "",
		.number = ++lines->number,
		.is_damaged = is_damaged,
		.is_open = !newline && lines->is_end,
	};
	ret_line->text[length] = '\0';
	lines->is_within = !newline && !lines->is_end;
	lines->start = lines->searched = newline ? stop + 1 : stop;
	return true;
}

bool lines_ended(const struct lines *lines, struct err *err)
{
	if (lines->err.code && err)
		*err = lines->err;
	return !lines->err.code;
}

bool lines_peek(struct lines *lines, const char **ret_bytes, size_t *ret_size)
{
	while (!lines->is_end && lines->end < room_for_line(lines))
		if (!fill(lines))
			return false;
	*ret_bytes = lines->buffer;
	*ret_size = lines->end;
	return true;
}
