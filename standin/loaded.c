// SPDX-License-Identifier: Apache-2.0
#include "standin/loaded.h"

#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIST_MAX = 1 << 20 };

/**
 * In the child: what the dynamic linker prints goes to @out. $ORIGIN is of what a link leads to, as
 * the kernel executes it, but the dynamic linker takes it of the path that it is given.
 */
static void list(const char *interpreter, const char *program, int out)
{
	char path[PATH_MAX];
	const char *file = realpath(program, path) ? path : program;
	char *const arguments[] = { (char *)interpreter, "--list", (char *)file, NULL };
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0 &&
	    dup2(nowhere, STDIN_FILENO) >= 0)
		execv(interpreter, arguments);
	_exit(127);
}

/** Read the list that @interpreter prints of @program. */
static bool read_list(const char *interpreter, const char *program, struct strbuf *ret_text,
		      struct err *err)
{
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	pid_t child = fork();

	if (child == 0)
		list(interpreter, program, ends[1]);
	close(ends[1]);
	bool is_read = strbuf_read(ret_text, ends[0], LIST_MAX);

	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return err_os(err, "fork");
	if (!is_read || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(err, ERR_INPUT, "%s: %s --list does not list its libraries: %.*s",
			       program, interpreter, (int)strcspn(strbuf_text(ret_text), "\n"),
			       strbuf_text(ret_text));
	return true;
}

/** Append the library that @line names: "libc.so.6 => /lib/libc.so.6 (0x...)", or a path alone. */
static bool add_line(struct standin_loaded *loaded, char *line, const char *program,
		     struct err *err)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + strlen(" => ") : line + strspn(line, "\t ");
	char *end = strstr(path, " (0x");

	if (!end && arrow)
		return err_set(err, ERR_INPUT, "%s: a library is not found: %s", program,
			       line + strspn(line, "\t "));
	if (!end || *path != '/')
		return true; // the vdso
	*end = '\0';
	if (!standinlibrary_read(path, &loaded->items[loaded->count], err))
		return false;
	loaded->count++;
	return true;
}

static size_t count_lines(const char *text)
{
	size_t count = 1;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

static void find_definers(struct standin_loaded *loaded)
{
	for (size_t i = 0; i < loaded->count; i++) {
		const struct standin_library *library = loaded->items[i];

		array_foreach (symbol, library->symbols, library->symbol_count) {
			bool is_new;

			if (!symbol->is_defined || symbol->is_copied ||
			    symbol->binding == STB_LOCAL)
				continue;
			uint32_t *definer =
				u64map_put(&loaded->definers, hash_text(0, symbol->name), &is_new);
			if (is_new)
				*definer = (uint32_t)i;
		}
	}
}

size_t standinloaded_definer(const struct standin_loaded *loaded, const char *name)
{
	const uint32_t *definer = u64map_get(&loaded->definers, hash_text(0, name));

	return definer ? *definer : loaded->count;
}

bool standinloaded_init(struct standin_loaded *loaded, const char *program, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	struct standin_library *first = NULL;
	char *rest, *line;

	*loaded = (struct standin_loaded){ 0 };
	if (!standinlibrary_read(program, &first, err))
		return false;
	loaded->items = xcalloc(2, sizeof(*loaded->items));
	loaded->items[loaded->count++] = first;
	if (!first->interpreter)
		return true;
	if (!read_list(first->interpreter, program, &text, err))
		return false;
	loaded->items = xreallocarray(loaded->items, 1 + count_lines(strbuf_text(&text)),
				      sizeof(*loaded->items));
	for (rest = text.text; rest && (line = strsep(&rest, "\n"));)
		if (!add_line(loaded, line, program, err))
			return false;
	find_definers(loaded);
	return true;
}

void standinloaded_init_script(struct standin_loaded *loaded, const char *script)
{
	*loaded = (struct standin_loaded){ .items = xcalloc(1, sizeof(*loaded->items)) };
	loaded->items[loaded->count++] = standinlibrary_of_script(script);
}

void standinloaded_deinit(struct standin_loaded *loaded)
{
	for (size_t i = 0; i < loaded->count; i++)
		standinlibrary_destroy(loaded->items[i]);
	free(loaded->items);
	u64map_deinit(&loaded->definers);
}

const struct standin_library *standinloaded_named(const struct standin_loaded *loaded,
						  const char *name)
{
	for (size_t i = 0; i < loaded->count; i++)
		if (strcmp(loaded->items[i]->soname, name) == 0 ||
		    strcmp(loaded->items[i]->path, name) == 0)
			return loaded->items[i];
	return NULL;
}

/** Mark what @library needs. Returns: whether any of it is new. */
static bool mark_needed(const struct standin_loaded *loaded, const struct standin_library *library,
			const bool *without, bool *stays)
{
	bool is_new = false;

	for (size_t i = 0; i < library->needed_count; i++)
		for (size_t k = 0; k < loaded->count; k++) {
			if (without[k] || stays[k] ||
			    strcmp(loaded->items[k]->soname, library->needed[i]) != 0)
				continue;
			stays[k] = is_new = true;
		}
	return is_new;
}

/** True if somebody among @loaded needs @library: what nobody does was preloaded. */
static bool is_needed(const struct standin_loaded *loaded, const struct standin_library *library)
{
	for (size_t i = 0; i < loaded->count; i++)
		for (size_t k = 0; k < loaded->items[i]->needed_count; k++)
			if (strcmp(loaded->items[i]->needed[k], library->soname) == 0)
				return true;
	return false;
}

void standinloaded_without(const struct standin_loaded *loaded, const bool *without,
			   bool *ret_stays)
{
	bool is_new = true;

	for (size_t i = 0; i < loaded->count; i++)
		ret_stays[i] = !without[i] && (i == 0 || !is_needed(loaded, loaded->items[i]));
	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < loaded->count; i++)
			if (ret_stays[i])
				is_new |= mark_needed(loaded, loaded->items[i], without, ret_stays);
	}
}

void standinloaded_without_one(const struct standin_loaded *loaded,
			       const struct standin_library *library, bool *ret_stays)
{
	CLEANUP(freep) bool *without = xcalloc(loaded->count, sizeof(*without));

	for (size_t i = 0; i < loaded->count; i++)
		without[i] = loaded->items[i] == library;
	standinloaded_without(loaded, without, ret_stays);
}
