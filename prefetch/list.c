// SPDX-License-Identifier: Apache-2.0
#include "prefetch/list.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "elfault-prefetch ";

#define WHY_WORD(name, word) word,
static const char *const why_words[] = { PREFETCH_WHYS(WHY_WORD) };

const char *prefetch_why_name(enum prefetch_why why)
{
	return why_words[why];
}

/** A list while it is read. */
struct parser {
	struct prefetch_list *list;
	char *next, *end; // what is left of the text
	const char *message;
	bool is_ended; // the last line was there
};

static bool fail(struct parser *parser, const char *message)
{
	if (!parser->message)
		parser->message = message;
	return false;
}

// ---- Words of a line --------------------------------------------------------------------------

/** The next word of a line, cut off behind it; "" at the end. */
static char *take_word(char **line)
{
	char *word = *line;
	char *blank = strchr(word, ' ');

	if (blank)
		*blank = '\0';
	*line = blank ? blank + 1 : word + strlen(word);
	return word;
}

static bool parse_number(const char *word, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*word - '0'), &number))
			return false;
	}
	// No file is larger, and no sum of two of them wraps.
	*ret_number = number;
	return number <= INT64_MAX;
}

/** "1700000000.012345678", before 1970 "-5.250000000": 4.75 s before it. */
static bool parse_time(char *word, struct prefetch_file *file)
{
	bool is_before = word[0] == '-';
	char *point = strchr(word, '.');
	uint64_t seconds, rest;

	if (!point || strlen(point + 1) != 9)
		return false;
	*point = '\0';
	if (!parse_number(word + is_before, &seconds) || !parse_number(point + 1, &rest))
		return false;
	file->mtime_s = is_before ? -(int64_t)seconds : (int64_t)seconds;
	file->mtime_ns = (uint32_t)rest; // nine digits
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Hex digits, or "-". */
static bool parse_build_id(const char *word, struct prefetch_file *file)
{
	size_t length = strlen(word);

	if (strcmp(word, "-") == 0)
		return true;
	if (length == 0 || length % 2 || length > 2 * PREFETCH_BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < length; i += 2) {
		int high = hex_digit(word[i]), low = hex_digit(word[i + 1]);

		if (high < 0 || low < 0)
			return false;
		file->build_id[i / 2] = (uint8_t)(high << 4 | low);
	}
	file->build_id_size = (uint32_t)(length / 2);
	return true;
}

/** Undo \ooo in place; false for what no path has. */
static bool unescape_path(char *path)
{
	char *to = path;

	if (path[0] != '/')
		return false; // also "~", where HOME is not known
	for (const char *from = path; *from; from++) {
		unsigned int byte = (unsigned char)*from;

		if (byte < 0x20 || byte == 0x7f)
			return false;
		if (byte == '\\') {
			for (int i = 1; i <= 3; i++)
				if (from[i] < '0' || from[i] > (i == 1 ? '3' : '7'))
					return false;
			byte = (unsigned int)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					      (from[3] - '0'));
			from += 3;
		}
		if (byte == 0)
			return false;
		*to++ = (char)byte;
	}
	*to = '\0';
	return to - path < PREFETCH_PATH_MAX;
}

// ---- Lines ------------------------------------------------------------------------------------

/** "file NUMBER SIZE MTIME BUILD-ID PATH", behind the first word. */
static bool parse_file(struct parser *parser, char *line)
{
	struct prefetch_list *list = parser->list;
	struct prefetch_file *file = &list->files[list->file_count];
	uint64_t number;

	*file = (struct prefetch_file){ 0 };
	if (!parse_number(take_word(&line), &number) || number != list->file_count + 1)
		return fail(parser, "files have to be numbered from 1 on");
	if (!parse_number(take_word(&line), &file->size))
		return fail(parser, "the file's size is not a number");
	if (!parse_time(take_word(&line), file))
		return fail(parser, "the file's time is not SECONDS.NANOSECONDS");
	if (!parse_build_id(take_word(&line), file))
		return fail(parser, "the build-id is neither hexadecimal nor -");
	if (!unescape_path(line))
		return fail(parser,
			    "the path is not absolute, too long or badly escaped, or begins "
			    "with ~ and HOME is no path");
	file->path = line;
	list->file_count++;
	return true;
}

static bool parse_why(const char *word, enum prefetch_why *ret_why)
{
	for (int why = 0; why < PREFETCH_WHY_COUNT; why++)
		if (strcmp(word, why_words[why]) == 0) {
			*ret_why = (enum prefetch_why)why;
			return true;
		}
	return false;
}

/** "FILE OFFSET LENGTH WHY" */
static bool parse_range(struct parser *parser, char *line)
{
	struct prefetch_list *list = parser->list;
	struct prefetch_range *range = &list->ranges[list->range_count];
	uint64_t number;

	if (!parse_number(take_word(&line), &number))
		return fail(parser, "unknown line: expected a number, 'file', 'end' or '#'");
	if (number == 0 || number > list->file_count)
		return fail(parser, "the range is of a file that no line before names");
	range->file = (uint32_t)(number - 1);
	if (!parse_number(take_word(&line), &range->offset) ||
	    !parse_number(take_word(&line), &range->length))
		return fail(parser, "the range's offset or length is not a number");
	if (range->length == 0 || range->offset > list->files[range->file].size ||
	    range->length > list->files[range->file].size - range->offset)
		return fail(parser, "the range is empty or past the end of its file");
	if (!parse_why(take_word(&line), &range->why) || *line)
		return fail(parser, "the range's reason is unknown");
	list->range_count++;
	return true;
}

/** "end FILES RANGES", behind the first word: a list that was cut has none. */
static bool parse_end(struct parser *parser, char *line)
{
	uint64_t files, ranges;

	if (!parse_number(take_word(&line), &files) || !parse_number(take_word(&line), &ranges) ||
	    *line || files != parser->list->file_count || ranges != parser->list->range_count)
		return fail(parser, "the last line counts other files and ranges than there are");
	parser->is_ended = true;
	return true;
}

static bool parse_line(struct parser *parser, char *line)
{
	if (line[0] == '#' || line[0] == '\0')
		return true;
	if (parser->is_ended)
		return fail(parser, "something follows the last line");
	if (strncmp(line, "file ", 5) == 0)
		return parse_file(parser, line + 5);
	if (strncmp(line, "end ", 4) == 0)
		return parse_end(parser, line + 4);
	return parse_range(parser, line);
}

/** The next line, cut off at its end; NULL: there is none, or it has a NUL or no end. */
static char *take_line(struct parser *parser)
{
	char *line = parser->next;
	size_t left = (size_t)(parser->end - line);
	char *newline = left ? memchr(line, '\n', left) : NULL;

	if (left == 0)
		return NULL;
	if (!newline || memchr(line, '\0', (size_t)(newline - line))) {
		fail(parser, "the line is not ended, or has a NUL");
		return NULL;
	}
	*newline = '\0';
	parser->next = newline + 1;
	return line;
}

/** Find the "~" with which the path of a line "file NUMBER SIZE MTIME BUILD-ID ~/..." begins. */
static const char *find_home(const char *line, const char *end)
{
	if (end - line < 5 || memcmp(line, "file ", 5) != 0)
		return NULL;
	for (int i = 0; line && i < 5; i++) {
		line = memchr(line, ' ', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line && end - line >= 2 && line[0] == '~' && line[1] == '/' ? line : NULL;
}

/** Copy @text to @to, NULL: nowhere, with @home in it; returns the size. */
static size_t expand(const char *text, size_t size, const char *home, char *to)
{
	const char *from = text, *end = text + size;
	size_t length = strlen(home), done = 0;

	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *next = newline ? newline + 1 : end;
		const char *tilde = find_home(line, next);

		if (tilde) {
			if (to) {
				memcpy(to + done, from, (size_t)(tilde - from));
				memcpy(to + done + (tilde - from), home, length);
			}
			done += (size_t)(tilde - from) + length;
			from = tilde + 1;
		}
		line = next;
	}
	if (to)
		memcpy(to + done, from, (size_t)(end - from));
	return done + (size_t)(end - from);
}

char *prefetch_list_expand(char *text, size_t *size, const char *home)
{
	char escaped[PREFETCH_PATH_MAX * 4];

	prefetch_path_escape(home, escaped, sizeof(escaped));
	for (size_t end = strlen(escaped); end > 0 && escaped[end - 1] == '/'; end--)
		escaped[end - 1] = '\0';
	// So it is never as long as what it stands for.
	size_t length = expand(text, *size, escaped, NULL);
	char *copy = length == *size ? text : malloc(length + 1);

	if (copy != text) {
		if (copy)
			*size = expand(text, *size, escaped, copy);
		free(text);
	}
	return copy;
}

bool prefetch_list_is(const char *text, size_t size)
{
	return size >= sizeof(magic) - 1 && memcmp(text, magic, sizeof(magic) - 1) == 0;
}

/** Room for as many files and ranges as lines may be of, which is never more than the text. */
static bool take_room(struct parser *parser)
{
	size_t files = 1, ranges = 1;

	for (const char *at = parser->next; at && at < parser->end;) {
		files += *at == 'f';
		ranges += *at >= '0' && *at <= '9';
		at = memchr(at, '\n', (size_t)(parser->end - at));
		at = at ? at + 1 : NULL;
	}
	parser->list->files = calloc(files, sizeof(*parser->list->files));
	parser->list->ranges = calloc(ranges, sizeof(*parser->list->ranges));
	return parser->list->files && parser->list->ranges;
}

static bool parse(struct parser *parser, size_t *ret_line)
{
	char *line = take_line(parser);
	uint64_t version;

	*ret_line = 1;
	if (!line || !prefetch_list_is(line, strlen(line)))
		return fail(parser, "is not a prefetch list");
	if (!parse_number(line + sizeof(magic) - 1, &version))
		return fail(parser, "the version is not a number");
	if (version != PREFETCH_LIST_VERSION)
		return fail(parser, "is a prefetch list of another version");
	if (!take_room(parser))
		return fail(parser, "out of memory");
	while ((line = take_line(parser))) {
		++*ret_line;
		if (!parse_line(parser, line))
			return false;
	}
	++*ret_line;
	return !parser->message &&
	       (parser->is_ended || fail(parser, "the last line is missing: the list was cut"));
}

bool prefetch_list_parse(char *text, size_t size, struct prefetch_list *ret_list,
			 struct prefetch_error *ret_error)
{
	struct prefetch_list list = { 0 };
	struct parser parser = { .list = &list, .next = text, .end = text + size };
	size_t line = 0;

	if (size > PREFETCH_TEXT_MAX) {
		*ret_error = (struct prefetch_error){ 0, "is too large for a prefetch list" };
		return false;
	}
	if (!parse(&parser, &line)) {
		*ret_error = (struct prefetch_error){ line, parser.message };
		prefetch_list_deinit(&list);
		return false;
	}
	*ret_list = list;
	return true;
}

void prefetch_list_deinit(struct prefetch_list *list)
{
	free(list->files);
	free(list->ranges);
	*list = (struct prefetch_list){ 0 };
}

void prefetch_path_escape(const char *path, char *ret_text, size_t size)
{
	char *to = ret_text;

	for (; *path && (size_t)(to - ret_text) + 5 <= size; path++) {
		unsigned char byte = (unsigned char)*path;

		if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
			*to++ = (char)byte;
			continue;
		}
		*to++ = '\\';
		*to++ = (char)('0' + (byte >> 6));
		*to++ = (char)('0' + (byte >> 3 & 7));
		*to++ = (char)('0' + (byte & 7));
	}
	*to = '\0';
}
