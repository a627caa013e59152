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

/** Whether there may be one: most texts need no closer look. */
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

void homepath_shorten(struct strbuf *buf, const char *text)
{
	char before = '\0';
	bool is_option = false; // within a word like -I/home/ada, before its first slash

	if (!may_have_home(text)) {
		strbuf_puts(buf, text);
		return;
	}
	while (*text) {
		bool starts_word = before == '\0' || isspace((unsigned char)before);
		bool may_begin = is_option || starts_word ||
				 !(isalnum((unsigned char)before) || strchr("/._-~", before));
		size_t home = *text == '/' && may_begin ? home_length(text) : 0;

		is_option = *text != '/' && !isspace((unsigned char)*text) &&
			    (is_option || (starts_word && *text == '-'));
		if (home) {
			strbuf_putc(buf, '~');
			text += home;
			before = '~';
			continue;
		}
		before = *text;
		strbuf_putc(buf, *text++);
	}
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
