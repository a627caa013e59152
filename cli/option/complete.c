// SPDX-License-Identifier: Apache-2.0
#include "cli/option/complete.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/option/candidates.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** A command line as far as it has been read. */
struct line {
	const struct option_row *options;
	const char *usage;
	VEC(const struct option_row *) given;
	VEC(const char *) operands;
	const struct option_row *open; // its value is the next word
	bool operands_only;	       // "--" was there
};

static void line_deinit(struct line *line)
{
	vec_deinit(&line->given);
	vec_deinit(&line->operands);
}

/** The option @name of @length bytes, or where that is 0 the one of this @letter. */
static const struct option_row *find_option(const struct line *line, const char *name,
					    size_t length, int letter)
{
	for (const struct option_row *row = line->options; row->name; row++)
		if (length == 0
			    ? row->letter && row->letter == letter
			    : strlen(row->name) == length && memcmp(row->name, name, length) == 0)
			return row;
	return NULL;
}

/** Does the next word belong to @row? */
static bool takes_word(const struct option_row *row)
{
	return row && row->argument && !row->may_lack_argument;
}

/** Read @word, an option; its value may be the next one. */
static void read_option(struct line *line, const char *word)
{
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		const struct option_row *row = find_option(line, word + 2, length, 0);

		if (row)
			vec_push(&line->given, row);
		line->open = takes_word(row) && word[2 + length] != '=' ? row : NULL;
		return;
	}
	for (const char *letter = word + 1; *letter; letter++) {
		const struct option_row *row = find_option(line, "", 0, *letter);

		if (row)
			vec_push(&line->given, row);
		if (!takes_word(row))
			continue;
		line->open = letter[1] ? NULL : row;
		return;
	}
}

/** A word of usage without its brackets: "[OBJECT...]" is OBJECT, and there may be several. */
struct placeholder {
	const char *text;
	size_t length;
	bool repeats;
};

/** The word at *@at of one line of usage, which moves behind it; false at the end of the line.
 */
static bool next_placeholder(const char **at, struct placeholder *ret)
{
	*at += strspn(*at, " ");
	size_t length = strcspn(*at, " \n");

	*ret = (struct placeholder){ *at, length, false };
	*at += length;
	while (ret->length > 0 && strchr("[(", ret->text[0])) {
		ret->text++;
		ret->length--;
	}
	while (ret->length > 0 && strchr("]).", ret->text[ret->length - 1])) {
		ret->repeats = ret->repeats || ret->text[ret->length - 1] == '.';
		ret->length--;
	}
	return length > 0;
}

/** "-o" or "--exact", but not "--". */
static bool is_option_placeholder(const struct placeholder *word)
{
	return word->length > 1 && word->text[0] == '-' &&
	       (word->length > 2 || word->text[1] != '-');
}

static const struct option_row *find_placeholder(const struct line *line,
						 const struct placeholder *word)
{
	bool is_long = word->length > 2 && word->text[1] == '-';

	return is_long ? find_option(line, word->text + 2, word->length - 2, 0)
		       : find_option(line, "", 0, word->text[1]);
}

static bool is_given(const struct line *line, const struct option_row *row)
{
	vec_foreach (given, &line->given)
		if (*given == row)
			return true;
	return false;
}

/** The way to call the command that these options are of: one that begins with a given option, else
 * the first that begins with none. NULL: none of them. */
static const char *chosen_way(const struct line *line)
{
	const char *plain = NULL;

	for (const char *way = line->usage; way && *way;) {
		const char *at = way;
		struct placeholder first;

		if (!next_placeholder(&at, &first) || !is_option_placeholder(&first))
			plain = plain ? plain : way;
		else if (is_given(line, find_placeholder(line, &first)))
			return way;
		way += strcspn(way, "\n");
		way += *way == '\n';
	}
	return plain;
}

/** Find the kinds of the operand that may follow those of @line: "OBJECT|TRACE". */
static void next_operand(const struct line *line, struct strbuf *ret_kind)
{
	const char *at = chosen_way(line);
	struct placeholder word;
	size_t index = 0;
	bool repeats = false;

	while (at && next_placeholder(&at, &word)) {
		if (word.text[0] == '-') {
			if (is_option_placeholder(&word) &&
			    takes_word(find_placeholder(line, &word)))
				next_placeholder(&at, &word);
			continue;
		}
		// The last one stands for all that follow.
		if (!repeats && index <= line->operands.count)
			strbuf_clear(ret_kind);
		repeats = repeats || word.repeats;
		strbuf_printf(ret_kind, "|%.*s", (int)word.length, word.text);
		if (!repeats && index++ == line->operands.count)
			return;
	}
}

static bool is_command(const struct strbuf *kind)
{
	return strcmp(strbuf_text(kind), "|COMMAND") == 0;
}

/** Print the values that @row takes. */
static void print_values(const struct typed *typed, const struct option_row *row)
{
	struct option_choice choice;

	if (!row->choices) {
		candidates_print(typed, row->argument);
		return;
	}
	for (size_t i = 0; (choice = row->choices(row->choices_of, i)).word; i++)
		candidate_print(typed, choice.word, choice.meaning);
}

static void print_options(const struct typed *typed, const struct option_row *rows)
{
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };

	for (; rows->name; rows++) {
		strbuf_clear(&word);
		strbuf_printf(&word, "--%s", rows->name);
		candidate_print(typed, strbuf_text(&word), rows->help);
	}
}

/** The word is an option, perhaps with its value. */
static void print_option(const struct line *line, struct typed *typed)
{
	const char *word = typed->word;
	size_t length = strcspn(word, "=");

	if (word[length] == '=' && length > 2) {
		const struct option_row *row = find_option(line, word + 2, length - 2, 0);

		typed->kept = length + 1;
		if (row && row->argument)
			print_values(typed, row);
		return;
	}
	print_options(typed, line->options);
	candidate_print(typed, "--help", "Show all options, with examples");
}

/** Read the words before the last; the index of the command that begins among them, or @count. */
static size_t read_words(struct line *line, char *const *words, size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf kind = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (line->open) {
			line->open = NULL;
			continue;
		}
		if (!line->operands_only && words[i][0] == '-' && words[i][1]) {
			line->operands_only = strcmp(words[i], "--") == 0;
			if (!line->operands_only)
				read_option(line, words[i]);
			continue;
		}
		strbuf_clear(&kind);
		next_operand(line, &kind);
		if (is_command(&kind))
			return i;
		vec_push(&line->operands, words[i]);
	}
	return count;
}

void complete_print(const struct option_row *options, const char *usage, char *const *words,
		    size_t count)
{
	CLEANUP(line_deinit) struct line line = { .options = options, .usage = usage };
	CLEANUP(strbuf_deinit) struct strbuf kind = { 0 };

	if (count == 0)
		return;
	size_t command = read_words(&line, words, count - 1);
	struct typed typed = { words[count - 1], 0, line.operands.items, line.operands.count };

	if (line.open) {
		print_values(&typed, line.open);
		return;
	}
	if (command == count - 1 && !line.operands_only && typed.word[0] == '-') {
		print_option(&line, &typed);
		return;
	}
	if (command == count - 1) {
		next_operand(&line, &kind);
		if (!is_command(&kind)) {
			candidates_print(&typed, strbuf_text(&kind));
			return;
		}
	}
	printf(":command %zu\n", command + 2);
}
