// SPDX-License-Identifier: Apache-2.0
// `elfault resolve [FILE...] <ROWS`: names for what was recorded of stripped files, by build-id. It
// reads JSON line by line, and writes it with other names; whatever has none stays as it is.
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/hex.h"
#include "base/lines.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "elfmap/elfmap.h"
#include "render/escape.h"

#include <ctype.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"

/** A build-id that was asked for or given, and the file that has its names. */
struct known {
	char *build_id;
	struct elfmap *map; // NULL: there is none
};

struct resolving {
	VEC(struct known) files;
	const char *debug_dir;
	bool no_demangle;
	struct strbuf text;
	uint64_t named, unnamed; // names that were found and not
};

struct resolve_arguments {
	struct option_words files;
	struct option_values shared;
};

static struct resolve_arguments given;

// Where names are, and which member beside them has the build-id of their file.
static const struct {
	const char *name, *build_id;
} members[] = {
	{ "initializer", "init_build_id" }, // a row's
	{ "symbol", "build_id" },
	{ "function", "build_id" },
};

static void resolving_deinit(struct resolving *resolving)
{
	vec_foreach (file, &resolving->files) {
		free(file->build_id);
		elfmap_close(file->map);
	}
	vec_deinit(&resolving->files);
	strbuf_deinit(&resolving->text);
}

/** The build-id of @map in hexadecimal; to be freed. */
static char *build_id_of(const struct elfmap *map)
{
	const struct elfmap_info *info = elfmap_info(map);
	char *text = xcalloc(1, 2 * (size_t)info->build_id_size + 1);

	return hex_text(info->build_id, info->build_id_size, text);
}

/** Open an ELF file, or a separate debug file, which is fewer of the things that @path may be. */
static bool open_file(const struct resolving *resolving, const char *path, struct elfmap **ret_map,
		      struct err *err)
{
	struct elfmap_options options = { .debug_dir = resolving->debug_dir };

	if (elfmap_open(path, &options, ret_map, NULL))
		return true;
	options.is_debug_file = true;
	return elfmap_open(path, &options, ret_map, err);
}

/** Take in the ELF or debug file at @path; without a build-id it is of no use. */
static bool add_file(struct resolving *resolving, const char *path)
{
	struct elfmap *map;
	struct err err;

	if (!open_file(resolving, path, &map, &err))
		return message_fail(&err);
	if (elfmap_info(map)->build_id_size == 0) {
		message_print("%s: has no build-id, so nothing tells whose names it has", path);
		elfmap_close(map);
		return false;
	}
	vec_push(&resolving->files, (struct known){ build_id_of(map), map });
	return true;
}

/** The debug file of @build_id in the folder of debug files; NULL if there is none. */
static struct elfmap *find_debug_file(const struct resolving *resolving, const char *build_id)
{
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };
	const struct elfmap_options options = { .no_debug_files = true, .is_debug_file = true };
	struct elfmap *map = NULL;
	struct err err;

	// It becomes part of a path.
	if (strspn(build_id, "0123456789abcdef") != strlen(build_id) || strlen(build_id) < 4)
		return NULL;
	strbuf_printf(&path, "%s/.build-id/%.2s/%s.debug", resolving->debug_dir, build_id,
		      build_id + 2);
	if (!elfmap_open(strbuf_text(&path), &options, &map, &err))
		return NULL;
	CLEANUP(freep) char *found = build_id_of(map);
	if (strcmp(found, build_id) == 0)
		return map;
	elfmap_close(map);
	return NULL;
}

static struct elfmap *file_of(struct resolving *resolving, const char *build_id)
{
	vec_foreach (file, &resolving->files)
		if (strcmp(file->build_id, build_id) == 0)
			return file->map;
	struct known file = { xstrdup(build_id), find_debug_file(resolving, build_id) };

	vec_push(&resolving->files, file);
	return file.map;
}

/** Return the name at @vaddr; NULL: no symbol covers it. */
static const char *name_at(const struct resolving *resolving, struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);

	if (!symbol || symbol->source == ELFMAP_SYMBOLS_EH_FRAME)
		return NULL;
	return resolving->no_demangle ? symbol->name : elfmap_symbol_display(map, symbol);
}

/** The first "fn@0x12" or "data@0x12" in @text; NULL: none. *@ret_end: behind it. */
static const char *find_address(const char *text, uint64_t *ret_vaddr, const char **ret_end)
{
	for (const char *at = text; (at = strstr(at, "@0x")); at++) {
		size_t length = at - text >= 4 && strncmp(at - 4, "data", 4) == 0 ? 4
				: at - text >= 2 && strncmp(at - 2, "fn", 2) == 0 ? 2
										  : 0;
		char *end;

		if (length == 0 || !isxdigit((unsigned char)at[3]))
			continue;
		*ret_vaddr = strtoull(at + 3, &end, 16);
		*ret_end = end;
		return at - length;
	}
	return NULL;
}

/** Put what resolving has for the addresses in @text into resolving->text; false: nothing. */
static bool resolve_text(struct resolving *resolving, const char *text, const char *build_id)
{
	bool is_found = false;
	const char *start, *end;
	uint64_t vaddr;

	strbuf_clear(&resolving->text);
	for (; (start = find_address(text, &vaddr, &end)); text = end) {
		struct elfmap *map = file_of(resolving, build_id);
		const char *name = map ? name_at(resolving, map, vaddr) : NULL;

		strbuf_add(&resolving->text, text, (size_t)(start - text));
		if (name)
			strbuf_puts(&resolving->text, name);
		else
			strbuf_add(&resolving->text, start, (size_t)(end - start));
		*(name ? &resolving->named : &resolving->unnamed) += 1;
		is_found = is_found || name;
	}
	strbuf_puts(&resolving->text, text);
	return is_found;
}

static const char *text_member(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

/** Give names to what is in @value, and in all that is in it; true: it changed. */
static bool resolve_value(struct resolving *resolving, struct json_object *value)
{
	bool is_changed = false;

	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			is_changed |= resolve_value(resolving, json_object_array_get_idx(value, i));
		return is_changed;
	}
	if (!json_object_is_type(value, json_type_object))
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *name = text_member(value, members[i].name);
		const char *build_id = text_member(value, members[i].build_id);

		if (!name || !build_id || !resolve_text(resolving, name, build_id))
			continue;
		json_object_object_add(value, members[i].name,
				       json_object_new_string(strbuf_text(&resolving->text)));
		is_changed = true;
	}
	json_object_object_foreach(value, key, inner)
	{
		(void)key;
		is_changed |= resolve_value(resolving, inner);
	}
	return is_changed;
}

/** JSON has none in its strings, and no other but tabs between its words. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 && *text != '\t' && *text != '\r')
			return true;
	return false;
}

static void write_line(const char *text, const char *end)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };

	escape_json_document(&safe, text);
	fprintf(stdout, "%s%s", strbuf_text(&safe), end);
}

/** Write @line, with names where it has addresses; false: it is not JSON. */
static bool resolve_line(struct resolving *resolving, const struct text_line *line)
{
	if (has_control(line->text))
		return false;
	if (strstr(line->text, "@0x")) {
		struct json_object *value = json_tokener_parse(line->text);

		if (!value)
			return false;
		if (resolve_value(resolving, value)) {
			write_line(json_object_to_json_string_ext(
					   value,
					   JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
				   "\n");
			json_object_put(value);
			return true;
		}
		json_object_put(value);
	}
	write_line(line->text, line->end);
	return true;
}

static bool resolve_lines(struct resolving *resolving)
{
	// A stack of 256 frames whose names are the longest that are shown.
	static const struct lines_kind rows = { .name = "rows of JSON", .line_max = 4 << 20 };
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	struct err err;

	lines_init(&lines, "standard input", STDIN_FILENO, &rows);
	while (!ferror(stdout) && lines_next(&lines, &line)) {
		if (!resolve_line(resolving, &line)) {
			message_print("line %" PRIu64 " of standard input: not JSON", line.number);
			return false;
		}
	}
	if (!lines_ended(&lines, &err))
		return message_fail(&err);
	return message_output(fflush(stdout) == 0 && !ferror(stdout));
}

/** Print how many names are left, and of how many files. */
static void print_rest(const struct resolving *resolving)
{
	size_t missing = 0;

	vec_foreach (file, &resolving->files)
		missing += !file->map;
	if (resolving->unnamed > 0)
		message_print("%" PRIu64 " names found, %" PRIu64 " not; of %zu build-id%s no file "
			      "was given and %s has no debug file",
			      resolving->named, resolving->unnamed, missing, figure_plural(missing),
			      resolving->debug_dir);
}

static const struct option_row options[] = {
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_DEBUG_DIR },
	{ 0 },
};

static bool run(void)
{
	const struct resolve_arguments *arguments = &given;
	CLEANUP(resolving_deinit)
	struct resolving resolving = {
		.debug_dir = arguments->shared.debug_dir ? arguments->shared.debug_dir : DEBUG_DIR,
		.no_demangle = arguments->shared.no_demangle,
	};
	struct caller caller = caller_find();

	message_ignore_sigpipe();
	if (!caller_take_rights(&caller))
		return false;
	vec_foreach (path, &arguments->files)
		if (!add_file(&resolving, *path))
			return false;
	if (!resolve_lines(&resolving))
		return false;
	print_rest(&resolving);
	return true;
}

const struct command command_resolve = {
	.name = "resolve",
	.summary = "name the functions of stripped files in rows, by build-id",
	.options = options,
	.operands = { .usage = "[FILE...]", .many = &given.files },
	.values = &given.shared,
	.doc = "Name the functions of stripped files (fn@0x1a2b, data@0x1a2b) in rows, or in "
	       "faults as ndjson, by build-id: read them from standard input and write them "
	       "to standard output. Names come from each FILE, an ELF file or its separate "
	       "debug file, and from the directory of debug files."
	       "\vExamples:\n"
	       "  elfault resolve app.debug <rows.ndjson >named.ndjson\n"
	       "  elfault analyze --format ndjson | elfault resolve --debug-dir "
	       "/srv/debug\n\n"
	       "Exit status: 0 done, also where names are left; 1 a FILE or a line cannot be "
	       "read, 2 misuse.",
	.run = run,
};
