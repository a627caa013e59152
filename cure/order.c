// SPDX-License-Identifier: Apache-2.0
#include "cure/order.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] = "# elfault order";

/** How many bytes of @name a linker sees in object files. */
static size_t length_of(const char *name)
{
	const char *version = name[0] ? strchr(name + 1, '@') : NULL;

	return version ? (size_t)(version - name) : strlen(name);
}

static uint64_t hash_of(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static bool is_name(const char *kept, const char *name, size_t length)
{
	return strncmp(kept, name, length) == 0 && kept[length] == '\0';
}

bool order_add(struct order *order, const char *name)
{
	size_t length = length_of(name);

	if (length == 0)
		return false;
	for (uint64_t key = hash_of(name, length);; key++) {
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
	size_t length = length_of(name);
	const uint32_t *at;

	for (uint64_t key = hash_of(name, length); (at = u64map_get(&order->by_hash, key)); key++) {
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

/** The prefixes of sections that compilers give functions of their own. */
static const char *const prefixes[] = { ".text.hot.", ".text.startup.", ".text.unlikely.",
					".text.split.", ".text." };

/** The symbol of a section's name; @line itself if it is none. */
static const char *symbol_of(const char *line)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(line, prefixes[i], length) == 0)
			return line + length;
	}
	return line;
}

bool order_read(struct order *order, const char *path, struct err *err)
{
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	CLEANUP(freep) char *line = NULL;
	size_t capacity = 0, number = 0;
	ssize_t length;

	if (!file)
		return err_os(err, "%s", path);
	errno = 0;
	while ((length = getline(&line, &capacity, file)) > 0) {
		number++;
		if (strlen(line) != (size_t)length)
			return err_set(err, ERR_INPUT,
				       "%s: line %zu has a NUL byte: it is no order file", path,
				       number);
		while (length > 0 && strchr(" \t\r\n", line[length - 1]))
			line[--length] = '\0';
		const char *name = line + strspn(line, " \t");

		if (name[0] && name[0] != '#')
			order_add(order, symbol_of(name));
	}
	return !ferror(file) || err_os(err, "%s", path);
}

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
		fprintf(file, ".text.%s\n.text.hot.%s\n.text.startup.%s\n", name, name, name);
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
	arena_deinit(&order->arena);
}
