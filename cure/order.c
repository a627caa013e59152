// SPDX-License-Identifier: Apache-2.0
#include "cure/order.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/strbuf.h"
#include "base/symbolname.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] = "# elfault order";

/** Of a browser's functions, four sections of each. Names are long, but not that long. */
static const struct lines_kind file_lines = {
	.name = "an order file",
	.line_max = 1 << 20,
	.size_max = 1 << 30,
};

static bool is_name(const char *kept, const char *name, size_t length)
{
	return strncmp(kept, name, length) == 0 && kept[length] == '\0';
}

/** C0, DEL, and C1 as UTF-8 has it. */
static bool is_control(const char *at)
{
	const unsigned char byte = (unsigned char)at[0], next = (unsigned char)at[1];

	return byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
}

/** Whether a line of any form holds @length bytes of @name, and is read as these. */
static bool fits_line(const char *name, size_t length)
{
	if (name[0] == '#' || isspace((unsigned char)name[0]) ||
	    isspace((unsigned char)name[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (is_control(name + i))
			return false;
	return true;
}

/**
 * How many bytes of @name a linker knows: no version, and not the .cold.0 that BOLT names the part
 * of a function that it split off, long after the linker.
 */
static size_t linked_length(const char *name)
{
	size_t length = symbolname_unversioned_length(name), end = length;
	static const char cold[] = ".cold.";
	const size_t size = sizeof(cold) - 1;

	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	return end < length && end > size && strncmp(name + end - size, cold, size) == 0
		       ? end - size
		       : length;
}

bool order_add(struct order *order, const char *name)
{
	size_t length = linked_length(name);

	if (length == 0)
		return false;
	if (!fits_line(name, length)) {
		u64map_add(&order->refused, hash_bytes(0, name, length));
		return false;
	}
	for (uint64_t key = hash_bytes(0, name, length);; key++) {
		bool is_new;
		uint32_t *at = u64map_put(&order->by_hash, key, &is_new);

		if (is_new) {
			*at = (uint32_t)order->names.count; // of lines in memory
			vec_push(&order->names, arena_strndup(&order->arena, name, length));
			return true;
		}
		if (is_name(order->names.items[*at], name, length))
			return false;
	}
}

bool order_find(const struct order *order, const char *name, size_t *ret_index)
{
	size_t length = linked_length(name);
	const uint32_t *at;

	for (uint64_t key = hash_bytes(0, name, length); (at = u64map_get(&order->by_hash, key));
	     key++) {
		if (!is_name(order->names.items[*at], name, length))
			continue;
		*ret_index = *at;
		return true;
	}
	return false;
}

bool order_is_file(const char *path)
{
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	char start[sizeof(heading) - 1];

	return file && fread(start, sizeof(start), 1, file) == 1 &&
	       memcmp(start, heading, sizeof(start)) == 0;
}

// ---- Reading ----------------------------------------------------------------------------------

/**
 * Prefixes that compilers give sections of one function; the last is that of GCC's and clang's
 * foo.cold.
 */
static const char *const prefixes[] = { ".text.hot.",	   ".text.startup.", ".text.exit.",
					".text.unlikely.", ".text.split.",   ".text." };
enum { UNLIKELY = 3, SPLIT = 4, PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };

/** The prefix that @line begins with, PREFIXES: none. */
static size_t prefix_of(const char *line)
{
	size_t i = 0;

	while (i < PREFIXES && strncmp(line, prefixes[i], strlen(prefixes[i])) != 0)
		i++;
	return i;
}

/** Cut what BOLT appends to names of local functions, foo/1 and foo/file.c/1. */
static void cut_bolt_number(char *name)
{
	const char *slash = strrchr(name, '/');

	if (slash && slash > name && isdigit((unsigned char)slash[1]) &&
	    slash[1 + strspn(slash + 1, "0123456789")] == '\0')
		*strchr(name, '/') = '\0';
}

/** Add the function of a section .text.unlikely.NAME that was read before. */
static void flush(struct order *order, struct strbuf *unlikely)
{
	order_add(order, strbuf_text(unlikely));
	strbuf_clear(unlikely);
}

/**
 * Add the symbol that @line names, or the function whose section it names. @unlikely: the function
 * of the section .text.unlikely.NAME in the line before; what follows decides which of two it is.
 */
static void add_line(struct order *order, char *line, struct strbuf *unlikely)
{
	const size_t prefix = prefix_of(line);
	char *name = line + (prefix < PREFIXES ? strlen(prefixes[prefix]) : 0);

	if (prefix == SPLIT && strcmp(strbuf_text(unlikely), name) == 0)
		strbuf_clear(unlikely); // both are of NAME.cold
	flush(order, unlikely);
	if (prefix == UNLIKELY) {
		strbuf_puts(unlikely, name);
	} else if (prefix == SPLIT) {
		strbuf_printf(unlikely, "%s.cold", name);
		flush(order, unlikely);
	} else {
		if (prefix == PREFIXES)
			cut_bolt_number(name);
		order_add(order, name);
	}
}

/** @line without blanks around it. */
static char *trim(struct text_line *line)
{
	while (line->length > 0 && strchr(" \t\r", line->text[line->length - 1]))
		line->text[--line->length] = '\0';
	return line->text + strspn(line->text, " \t");
}

bool order_read(struct order *order, const char *path, struct err *err)
{
	CLEANUP(lines_deinit) struct lines lines;
	CLEANUP(strbuf_deinit) struct strbuf unlikely = { 0 };
	struct text_line line;

	if (!lines_open(&lines, path, &file_lines, err))
		return false;
	while (lines_next(&lines, &line)) {
		char *text = trim(&line);

		if (text[0] && text[0] != '#')
			add_line(order, text, &unlikely);
	}
	flush(order, &unlikely);
	return lines_ended(&lines, err);
}

// ---- Writing ----------------------------------------------------------------------------------

/** How many bytes of @name come before .cold, where it ends so. */
static size_t hot_length(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name && strcmp(dot, ".cold") == 0 ? (size_t)(dot - name) : strlen(name);
}

/**
 * A function's section is not known from its symbol: -ffunction-sections puts foo into .text.foo,
 * or by what the compiler thinks of it into another; its rarely executed part, foo.cold, is in
 * .text.unlikely.foo (GCC) or .text.split.foo (clang). Names that nothing has do no harm.
 */
static void write_sections(const char *name, FILE *file)
{
	size_t length = hot_length(name);
	bool is_cold = name[length] != '\0';

	if (!is_cold)
		fprintf(file, ".text.%s\n.text.hot.%s\n.text.startup.%s\n.text.exit.%s\n", name,
			name, name, name);
	fprintf(file, ".text.unlikely.%.*s\n", (int)length, name);
	if (is_cold)
		fprintf(file, ".text.split.%.*s\n", (int)length, name);
}

bool order_write(const struct order *order, enum order_format format, const char *comment,
		 FILE *file)
{
	if (format == ORDER_LLD) {
		fprintf(file, "%s\n", heading);
		for (const char *line = comment; line && *line;) {
			int length = (int)strcspn(line, "\n");

			fprintf(file, "# %.*s\n", length, line);
			line += length + (line[length] == '\n');
		}
	}
	vec_foreach (name, &order->names) {
		if (format == ORDER_GOLD)
			write_sections(*name, file);
		else
			fprintf(file, "%s\n", *name);
	}
	return !ferror(file);
}

void order_deinit(struct order *order)
{
	vec_deinit(&order->names);
	u64map_deinit(&order->by_hash);
	u64map_deinit(&order->refused);
	arena_deinit(&order->arena);
}
