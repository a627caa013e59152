// SPDX-License-Identifier: Apache-2.0
#include "base/homepath.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Folders that have a home directory for each user. */
static const char *const parents[] = { "/home/", "/var/home/" };
enum { PARENTS = sizeof(parents) / sizeof(parents[0]) };

static bool ends_component(char byte)
{
	return byte == '\0' || !(isalnum((unsigned char)byte) || strchr("._-", byte));
}

/** The caller's own home and its length without slashes at its end; 0: it is no path. */
static size_t own_home(const char **ret_home)
{
	const char *own = getenv("HOME");
	size_t length = own && own[0] == '/' ? strlen(own) : 0;

	while (length > 0 && own[length - 1] == '/')
		length--;
	*ret_home = own;
	return length;
}

/** How many bytes of @text are a home directory; 0 if it does not begin with one. */
static size_t home_length(const char *text)
{
	static const char root[] = "/root";
	const char *own;
	size_t length = own_home(&own);

	if (length > 0 && strncmp(text, own, length) == 0 && ends_component(text[length]))
		return length;
	length = sizeof(root) - 1;
	if (strncmp(text, root, length) == 0 && ends_component(text[length]))
		return length;
	for (size_t i = 0; i < PARENTS; i++) {
		length = strlen(parents[i]);
		if (strncmp(text, parents[i], length) != 0)
			continue;
		size_t name = strcspn(text + length, "/ \t\n\"':,;)");
		return name ? length + name : 0;
	}
	return 0;
}

/** True if there may be one: most texts need no closer look. */
static bool may_have_home(const char *text)
{
	const char *own;
	size_t length = own_home(&own);

	if (strstr(text, "/root") || strstr(text, "/home/"))
		return true;
	for (const char *at = text; length > 0 && (at = strchr(at, '/')); at++)
		if (strncmp(at, own, length) == 0)
			return true;
	return false;
}

bool homepath_next(struct homepath_search *search)
{
	for (const char *text = search->rest; *text; text++) {
		char before = search->before;
		bool starts_word = before == '\0' || isspace((unsigned char)before);
		bool may_begin = search->is_option || starts_word ||
				 !(isalnum((unsigned char)before) || strchr("/._-~", before));
		size_t length = *text == '/' && may_begin ? home_length(text) : 0;

		search->is_option = *text != '/' && !isspace((unsigned char)*text) &&
				    (search->is_option || (starts_word && *text == '-'));
		search->before = length ? '~' : *text;
		if (length) {
			search->home = text;
			search->length = length;
			search->rest = text + length;
			return true;
		}
	}
	return false;
}

bool homepath_is_own(const char *home, size_t length)
{
	const char *own;

	return length > 0 && own_home(&own) == length && strncmp(home, own, length) == 0;
}

const char *homepath_here(struct strbuf *buf, const char *path)
{
	const size_t length = sizeof(HOMEPATH_REDACTED) - 1;
	const char *own;
	size_t own_length = own_home(&own);

	if (own_length == 0 || strncmp(path, HOMEPATH_REDACTED, length) != 0 || path[length] != '/')
		return path;
	strbuf_clear(buf);
	strbuf_add(buf, own, own_length);
	strbuf_puts(buf, path + length);
	return buf->text;
}

void homepath_shorten(struct strbuf *buf, const char *text)
{
	struct homepath_search search = { .rest = text };

	if (!may_have_home(text)) {
		strbuf_puts(buf, text);
		return;
	}
	while (homepath_next(&search)) {
		strbuf_add(buf, text, (size_t)(search.home - text));
		strbuf_putc(buf, '~');
		text = search.rest;
	}
	strbuf_puts(buf, text);
}

const char *homepath_shortened(struct arena *arena, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	homepath_shorten(&buf, text);
	return arena_strdup(arena, strbuf_text(&buf));
}

bool homepath_is_short_for(const char *shortened, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	if (!strchr(shortened, '~') || !may_have_home(text))
		return false;
	homepath_shorten(&buf, text);
	return strcmp(shortened, strbuf_text(&buf)) == 0;
}

const char *homepaths_get(struct homepaths *paths, const char *text)
{
	bool is_new;

	if (!text || !may_have_home(text))
		return text;
	uint32_t *index = u64map_put(&paths->known, (uintptr_t)text, &is_new);

	if (is_new) {
		*index = (uint32_t)paths->shortened.count;
		vec_push(&paths->shortened, homepath_shortened(paths->arena, text));
	}
	return paths->shortened.items[*index];
}

void homepaths_deinit(struct homepaths *paths)
{
	u64map_deinit(&paths->known);
	vec_deinit(&paths->shortened);
}
