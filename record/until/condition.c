// SPDX-License-Identifier: Apache-2.0
#include "record/until/condition.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A kind of condition: its word, then what may follow. */
struct row {
	const char *word;
	const char *argument; // with what is before it; in brackets: it may be missing; NULL: none
	bool (*parse)(struct condition *condition, struct err *err);
};

static bool parse_listen(struct condition *condition, struct err *err)
{
	const char *text = condition->argument;
	char *end;

	if (!text || strchr(text, '/') || text[0] == '@')
		return true;
	const unsigned long port = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || port == 0 || port > UINT16_MAX)
		return err_set(err, ERR_INPUT,
			       "%s: '%s' is neither a port (1 to 65535) nor the path of a socket "
			       "(with a /, or @NAME)",
			       condition->text, text);
	condition->port = (uint32_t)port;
	return true;
}

static bool parse_output(struct condition *condition, struct err *err)
{
	char why[256];
	const int code = regcomp(&condition->regex, condition->argument, REG_EXTENDED | REG_NOSUB);

	if (code == 0)
		return true;
	regerror(code, &condition->regex, why, sizeof(why));
	return err_set(err, ERR_INPUT, "%s: %s", condition->text, why);
}

/** "/etc/app.conf+created": the argument without what follows it. */
static bool parse_file(struct condition *condition, struct err *err)
{
	static const char created[] = "+created";
	const size_t length = strlen(condition->argument), tail = sizeof(created) - 1;
	char *end = condition->argument + length - (length > tail ? tail : 0);

	// The text is shown as it was given.
	condition->argument = xstrdup(condition->argument);
	condition->is_created = length > tail && strcmp(end, created) == 0;
	if (condition->is_created)
		condition->argument[length - tail] = '\0';
	return true;
}

/** "libfoo.so:foo_open", or the name alone. */
static bool parse_function(struct condition *condition, struct err *err)
{
	char *colon = strrchr(condition->argument, ':');

	// C++ has names with two of them.
	if (!colon || colon == condition->argument || colon[-1] == ':')
		return true;
	if (!colon[1])
		return err_set(err, ERR_INPUT, "%s: the function has no name", condition->text);
	condition->object = xstrdup(condition->argument);
	condition->object[colon - condition->argument] = '\0';
	condition->argument = colon + 1;
	return true;
}

static bool parse_quiet(struct condition *condition, struct err *err)
{
	char *end;
	const double ms = strtod(condition->argument, &end);

	if (condition->argument[0] < '0' || condition->argument[0] > '9' || *end || !(ms > 0) ||
	    ms > 1e9)
		return err_set(err, ERR_INPUT, "%s: '%s' is no number of milliseconds",
			       condition->text, condition->argument);
	condition->ns = (uint64_t)(ms * 1e6);
	return true;
}

static const struct row rows[] = {
	[CONDITION_LISTEN] = { "listen", "[:PORT|PATH]", parse_listen },
	[CONDITION_OUTPUT] = { "output", "~REGEX", parse_output },
	[CONDITION_FILE] = { "file", ":PATH[+created]", parse_file },
	[CONDITION_EXEC] = { "exec", ":NAME" },
	[CONDITION_FUNCTION] = { "function", ":[OBJECT:]NAME", parse_function },
	[CONDITION_NOTIFY] = { "notify" },
	[CONDITION_WINDOW] = { "window" },
	[CONDITION_QUIET] = { "quiet", ":MS", parse_quiet },
	[CONDITION_MARK] = { "mark", ":NAME" },
	[CONDITION_AFTER] = { NULL, "5s" },
	[CONDITION_SIGNAL] = { "signal" },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/** "5s", "1.5s", "200ms". */
static bool parse_time(const char *text, uint64_t *ret_ns)
{
	char *end;
	const double number = strtod(text, &end);
	const double unit = strcmp(end, "s") == 0 ? 1e9 : strcmp(end, "ms") == 0 ? 1e6 : 0;

	if (text[0] < '0' || text[0] > '9' || unit == 0 || !(number > 0) || number * unit > 1e18)
		return false;
	*ret_ns = (uint64_t)(number * unit);
	return true;
}

/** All conditions, for a person: "listen[:PORT|PATH], output~REGEX, ...". To be freed. */
static char *list_conditions(void)
{
	struct strbuf list = { 0 };

	array_foreach (row, rows, ROWS)
		strbuf_printf(&list, "%s%s%s", list.length > 0 ? ", " : "",
			      row->word ? row->word : "", row->argument ? row->argument : "");
	return list.text;
}

/** Find the rest of @text behind the word of @row; NULL: it is not of this row. */
static char *behind_word(const struct row *row, char *text)
{
	const size_t length = row->word ? strlen(row->word) : 0;

	if (!row->word || strncmp(text, row->word, length) != 0)
		return NULL;
	return text[length] == '\0' || text[length] == ':' || text[length] == '~' ? text + length
										  : NULL;
}

/** Take @rest, which follows the word, as the argument that @row wants. */
static bool take_argument(const struct row *row, char *rest, struct condition *condition,
			  struct err *err)
{
	const bool is_optional = row->argument && row->argument[0] == '[';
	const char *shown = row->argument ? row->argument : "";

	if (*rest == '\0' && (is_optional || !row->argument))
		return true;
	if (!row->argument || *rest != shown[is_optional] || rest[1] == '\0')
		return err_set(err, ERR_INPUT, "%s: expected %s%s", condition->text, row->word,
			       shown);
	condition->argument = rest + 1;
	return true;
}

bool condition_parse(const char *text, struct condition *ret_condition, struct err *err)
{
	struct condition condition = { .text = xstrdup(text) };

	if (parse_time(text, &condition.ns)) {
		condition.kind = CONDITION_AFTER;
		*ret_condition = condition;
		return true;
	}
	for (size_t i = 0; i < ROWS; i++) {
		char *rest = behind_word(&rows[i], condition.text);

		if (!rest)
			continue;
		condition.kind = (enum condition_kind)i;
		if (!take_argument(&rows[i], rest, &condition, err) ||
		    (rows[i].parse && !rows[i].parse(&condition, err)))
			break;
		*ret_condition = condition;
		return true;
	}
	CLEANUP(freep) char *list = list_conditions();

	if (!err->message[0])
		err_set(err, ERR_INPUT, "'%s' is no condition; conditions are %s", text, list);
	free(condition.text);
	return false;
}

void condition_deinit(struct condition *condition)
{
	if (condition->kind == CONDITION_OUTPUT)
		regfree(&condition->regex);
	if (condition->kind == CONDITION_FILE)
		free(condition->argument);
	free(condition->object);
	free(condition->text);
}

char *condition_name(const struct condition *condition)
{
	struct strbuf name = { 0 };

	if (condition->kind == CONDITION_MARK || condition->kind == CONDITION_AFTER)
		strbuf_puts(&name, condition->argument ? condition->argument : condition->text);
	else
		strbuf_puts(&name, rows[condition->kind].word);
	return name.text;
}
