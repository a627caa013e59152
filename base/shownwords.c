// SPDX-License-Identifier: Apache-2.0
#include "base/shownwords.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

#define LETTERS	   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME_BYTES LETTERS "0123456789-_."

/** Return the visible part of @word, which follows the program; SHOWNWORDS_HIDDEN: nothing. */
static const char *shown_word(struct arena *arena, const char *word)
{
	if (word[0] != '-' || !word[1])
		return SHOWNWORDS_HIDDEN;
	if (word[1] != '-') {
		// What follows the letter may be its value, other letters, or the rest of a name.
		if (!strchr(LETTERS, word[1]))
			return SHOWNWORDS_HIDDEN;
		return word[2] ? arena_printf(arena, "-%c" SHOWNWORDS_HIDDEN, word[1])
			       : arena_strdup(arena, word);
	}
	size_t length = strspn(word + 2, NAME_BYTES) + 2;

	if (word[2] && !strchr(LETTERS, word[2]))
		return SHOWNWORDS_HIDDEN;
	if (!word[length])
		return arena_strdup(arena, word);
	if (word[length] != '=' || length == 2)
		return SHOWNWORDS_HIDDEN;
	return arena_printf(arena, "%.*s=" SHOWNWORDS_HIDDEN, (int)length, word);
}

const char *const *shownwords_of(struct arena *arena, const char *const *words, size_t count,
				 size_t *ret_count)
{
	const char **shown = arena_array(arena, count + 1, sizeof(*shown));
	bool may_be_option = true;

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		const char *word = i == 0	   ? arena_strdup(arena, words[i])
				   : may_be_option ? shown_word(arena, words[i])
						   : SHOWNWORDS_HIDDEN;
		bool is_hidden = strcmp(word, SHOWNWORDS_HIDDEN) == 0;

		if (is_hidden && *ret_count > 1 &&
		    strcmp(shown[*ret_count - 1], SHOWNWORDS_HIDDEN) == 0)
			continue;
		if (i > 0 && strcmp(word, "--") == 0)
			may_be_option = false;
		shown[(*ret_count)++] = word;
	}
	return shown;
}

const char *shownwords_of_line(struct arena *arena, const char *line)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	char *rest = arena_strdup(arena, line), *word;
	CLEANUP(vec_release) VEC(const char *) words = { 0 };
	size_t count;

	while ((word = strsep(&rest, " ")))
		vec_push(&words, word);
	const char *const *shown = shownwords_of(arena, words.items, words.count, &count);
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(&text, i > 0 ? " " : "");
		strbuf_puts(&text, shown[i]);
	}
	return arena_strdup(arena, strbuf_text(&text));
}
