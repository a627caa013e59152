// SPDX-License-Identifier: Apache-2.0
#include "cli/option/option.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/command.h"
#include "cli/option/complete.h"
#include "cli/option/number.h"
#include "cli/option/shared.h"

#include <argp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ROWS_MAX = 40,	 // of a command
	KEY_FIRST = 256, // above the keys of one-letter options
	KEY_COMPLETE = KEY_FIRST + ROWS_MAX,
};

/** The command line that is parsed; a process has one. */
static struct {
	const struct command *command;
	struct argp_state *state;
	struct option_row rows[ROWS_MAX + 1]; // of the command, complete
	const char *given[ROWS_MAX];	      // the row's argument, "" for none; NULL: not given
	size_t operand_count;
} line;

// ---- Messages ---------------------------------------------------------------------------------

void option_misuse(const char *format, ...)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	argp_error(line.state, "%s", strbuf_text(&text));
	exit(argp_err_exit_status); // argp_error() has done so
}

/** Add @word to a list, "a, b or c"; @is_last: none follows. */
static void add_to_list(struct strbuf *list, const char *word, bool is_last)
{
	const char *separator = is_last ? " or " : ", ";

	strbuf_printf(list, "%s%s", list->length == 0 ? "" : separator, word);
}

/** "--format", "-o" */
static void put_name(struct strbuf *text, const struct option_row *row)
{
	if (row->letter)
		strbuf_printf(text, "-%c", row->letter);
	else
		strbuf_printf(text, "--%s", row->name);
}

/** The @index-th word that @row takes, in @ret_choice; false: there are fewer. */
static bool choice_at(const struct option_row *row, size_t index, struct option_choice *ret_choice)
{
	static char word[32];
	const char *at = row->argument;

	if (row->choices) {
		*ret_choice = row->choices(row->choices_of, index);
		return ret_choice->word;
	}
	while (at && index-- > 0)
		at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
	if (at)
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "|"), at);
	*ret_choice = (struct option_choice){ word, NULL };
	return at;
}

static void list_choices(const struct option_row *row, struct strbuf *list)
{
	struct option_choice choice, next;

	for (size_t i = 0; choice_at(row, i, &choice); i++) {
		CLEANUP(freep) char *word = xstrdup(choice.word);

		add_to_list(list, word, !choice_at(row, i + 1, &next));
	}
}

/** Refuse the value @arg of @row. @err: why, or no message. */
static void __attribute__((noreturn))
refuse_value(const struct option_row *row, const char *arg, const struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 }, expected = { 0 };
	const char *or_all = row->argument && strstr(row->argument, "|all") ? " or all" : "";

	put_name(&name, row);
	if (err->message[0])
		option_misuse("%s: %s", name.text, err->message);
	if (row->expected)
		strbuf_puts(&expected, row->expected);
	else if (row->word)
		list_choices(row, &expected);
	else if (row->most)
		strbuf_printf(&expected, "a %s from %llu to %llu", row->bytes ? "size" : "number",
			      (unsigned long long)row->least, (unsigned long long)row->most);
	else
		strbuf_printf(&expected, "%s%s",
			      row->bytes ? "a size such as 512M or 4G" : "a number", or_all);
	option_misuse("invalid value '%s' for %s (expected %s)", arg, name.text, expected.text);
}

// ---- Relations --------------------------------------------------------------------------------

static size_t find_row(const char *name, size_t length)
{
	size_t i = 0;

	while (line.rows[i].name &&
	       (strncmp(line.rows[i].name, name, length) != 0 || line.rows[i].name[length] != '\0'))
		i++;
	return i;
}

bool option_is_given(const char *name)
{
	size_t row = find_row(name, strlen(name));

	return line.rows[row].name && line.given[row];
}

/** The value of a row, given or by default; NULL: none. */
static const char *value_of(size_t index)
{
	const struct option_row *row = &line.rows[index];
	struct option_choice choice;

	if (line.given[index] || !row->word)
		return line.given[index];
	return choice_at(row, *row->word, &choice) ? choice.word : NULL;
}

/** A term of a relation: an option, and what its value has to be or to end with. */
struct term {
	const char *name, *value; // value NULL: any
	size_t name_length, value_length;
};

/** The term at *@at, which moves behind it; false: none is left. */
static bool next_term(const char **at, struct term *ret)
{
	*at += strspn(*at, " ");
	size_t length = strcspn(*at, " "), name = strcspn(*at, "= ");

	*ret = (struct term){ *at, name < length ? *at + name + 1 : NULL, name,
			      name < length ? length - name - 1 : 0 };
	*at += length;
	return length > 0;
}

static bool is_operand(const struct term *term)
{
	return term->name_length == strlen("COMMAND") && memcmp(term->name, "COMMAND", 7) == 0;
}

static bool holds(const struct term *term)
{
	if (is_operand(term))
		return line.command->operands.command && *line.command->operands.command;

	size_t row = find_row(term->name, term->name_length);
	const char *value = term->value ? value_of(row) : line.given[row];
	size_t length = value ? strlen(value) : 0, wanted = term->value_length;

	if (!value || !term->value)
		return value;
	if (term->value[0] == '*')
		return length >= wanted &&
		       memcmp(value + length - (wanted - 1), term->value + 1, wanted - 1) == 0;
	return length == wanted && memcmp(value, term->value, wanted) == 0;
}

/** "--format json", "-o FILE.svg", "a COMMAND" */
static void put_term(struct strbuf *text, const struct term *term)
{
	const struct option_row *row = &line.rows[find_row(term->name, term->name_length)];
	const char *value = term->value ? term->value : row->letter ? row->argument : NULL;
	size_t length = term->value ? term->value_length : value ? strlen(value) : 0;

	if (is_operand(term)) {
		strbuf_puts(text, "a COMMAND");
		return;
	}
	put_name(text, row);
	if (!value)
		return;
	if (value[0] == '*')
		strbuf_printf(text, " %s%.*s", row->argument, (int)length - 1, value + 1);
	else
		strbuf_printf(text, " %.*s", (int)length, value);
}

/** Check that one of what @row needs is there. */
static void check_needs(const struct option_row *row, const struct option_relation *needs)
{
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 }, list = { 0 };
	struct term term;

	for (const char *at = needs->others; next_term(&at, &term);)
		if (holds(&term))
			return;
	put_name(&name, row);
	for (const char *at = needs->others; next_term(&at, &term);) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		put_term(&text, &term);
		add_to_list(&list, text.text, !*at);
	}
	option_misuse("%s requires %s%s%s", name.text, list.text, needs->hint ? "; " : "",
		      needs->hint ? needs->hint : "");
}

static void check_excludes(const struct option_row *row, const struct option_relation *excludes)
{
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 }, text = { 0 };
	struct term term;

	for (const char *at = excludes->others; next_term(&at, &term);) {
		if (!holds(&term))
			continue;
		put_name(&name, row);
		put_term(&text, &term);
		option_misuse("%s cannot be combined with %s%s%s", name.text, text.text,
			      excludes->hint ? "; " : "", excludes->hint ? excludes->hint : "");
	}
}

static void check_row(size_t index)
{
	const struct option_row *row = &line.rows[index];
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 }, list = { 0 };

	if (line.given[index]) {
		array_foreach (needs, row->needs, sizeof(row->needs) / sizeof(row->needs[0]))
			if (needs->others)
				check_needs(row, needs);
		array_foreach (excludes, row->excludes,
			       sizeof(row->excludes) / sizeof(row->excludes[0]))
			if (excludes->others)
				check_excludes(row, excludes);
		return;
	}
	if (!row->missing)
		return;
	put_name(&name, row);
	if (row->choices)
		list_choices(row, &list);
	option_misuse("missing %s %s%s%s%s%s", name.text, row->argument, row->missing,
		      list.length > 0 ? " (" : "", strbuf_text(&list), list.length > 0 ? ")" : "");
}

static void check_operands(void)
{
	const struct option_operands *operands = &line.command->operands;

	if (line.operand_count > 0)
		return;
	if (operands->missing)
		option_misuse("%s", operands->missing);
	if (!operands->usual)
		return;
	if (access(operands->usual, F_OK) != 0 && access(DEFAULT_SET, F_OK) == 0)
		option_misuse("no TRACE given, and no %s in this directory, but %s, which can be "
			      "named",
			      operands->usual, DEFAULT_SET);
	if (access(operands->usual, F_OK) != 0)
		option_misuse("no TRACE given, and no %s in this directory; `elfault record -- "
			      "COMMAND` creates one",
			      operands->usual);
	if (operands->one)
		*operands->one = operands->usual;
	else
		vec_push(operands->many, operands->usual);
}

static void check_line(void)
{
	check_operands();
	for (size_t i = 0; line.rows[i].name; i++)
		check_row(i);
	if (line.command->values)
		*line.command->values = sharedoption_values();
	if (line.command->check)
		line.command->check();
}

// ---- Parsing ----------------------------------------------------------------------------------

static bool parse_number(const struct option_row *row, const char *arg)
{
	bool is_all = strcmp(arg, "all") == 0 && strstr(row->argument, "|all");
	size_t number = SIZE_MAX;

	if (!is_all && !number_parse(arg, &number))
		return false;
	if (row->most && (number < row->least || number > row->most))
		return false;
	*row->number = number;
	return true;
}

static bool parse_bytes(const struct option_row *row, const char *arg)
{
	uint64_t bytes;

	if (!number_parse_size(arg, &bytes) ||
	    (row->most && (bytes < row->least || bytes > row->most)))
		return false;
	*row->bytes = bytes;
	return true;
}

static bool parse_word(const struct option_row *row, const char *arg)
{
	struct option_choice choice;

	for (unsigned i = 0; choice_at(row, i, &choice); i++) {
		if (strcmp(arg, choice.word) != 0)
			continue;
		*row->word = i;
		return true;
	}
	return false;
}

/** Put @arg where @row says. */
static bool take_value(const struct option_row *row, char *arg, struct err *err)
{
	if (row->flag)
		*row->flag = true;
	if (row->text)
		*row->text = arg;
	if (row->parse)
		return row->parse(arg, err);
	if (row->number)
		return parse_number(row, arg);
	if (row->bytes)
		return parse_bytes(row, arg);
	return !row->word || parse_word(row, arg);
}

/** True if one of @options, which may be NULL, is given. */
static bool holds_any(const char *options)
{
	struct term term;

	for (const char *at = options; at && next_term(&at, &term);)
		if (holds(&term))
			return true;
	return false;
}

/**
 * Take @arg, the first word or another that is no option. A command takes all that follow,
 * whatever they look like.
 */
static void take_operand(char *arg)
{
	const struct option_operands *operands = &line.command->operands;

	line.operand_count++;
	if (operands->command && !holds_any(operands->command_without) &&
	    (!operands->command_behind || option_is_given(operands->command_behind))) {
		*operands->command = line.state->argv + line.state->next - 1;
		line.state->next = line.state->argc;
	} else if (operands->many) {
		vec_push(operands->many, arg);
	} else if (operands->one && !*operands->one) {
		*operands->one = arg;
	} else if (operands->one) {
		option_misuse("one %s at a time; unexpected argument '%s'", operands->noun, arg);
	} else {
		option_misuse("unexpected argument '%s'", arg);
	}
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	struct err err = { 0 };

	line.state = state;
	switch (key) {
	case KEY_COMPLETE:
		complete_print(line.rows, line.command->operands.usage, state->argv + state->next,
			       (size_t)(state->argc - state->next));
		exit(0);
	case ARGP_KEY_ARG:
		take_operand(arg);
		return 0;
	case ARGP_KEY_END:
		check_line();
		return 0;
	default:
		break;
	}
	for (size_t i = 0; line.rows[i].name; i++) {
		const struct option_row *row = &line.rows[i];

		if (row->letter ? key != row->letter : key != KEY_FIRST + (int)i)
			continue;
		if (!take_value(row, arg, &err))
			refuse_value(row, arg, &err);
		line.given[i] = arg ? arg : "";
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/** "text (default); json: one document"; without a default "folded (one stack per line)" */
static char *describe_choices(const struct option_row *row)
{
	struct strbuf text = { 0 };
	struct option_choice choice;

	for (size_t i = 0; choice_at(row, i, &choice); i++) {
		const char *meaning = choice.meaning ? choice.meaning : "";

		strbuf_printf(&text, "%s%s", i > 0 ? "; " : "", choice.word);
		if (row->missing)
			strbuf_printf(&text, " (%s)", meaning);
		else
			strbuf_printf(&text, "%s%s%s", i == 0 ? " (default)" : "",
				      meaning[0] ? ": " : "", meaning);
	}
	return text.text;
}

/** Fill line.rows, and @ret_options as argp wants them. Returns their number. */
static size_t fill_rows(const struct option_row *options, struct argp_option *ret_options)
{
	size_t count = 0;

	for (const struct option_row *row = options; row->name || row->shared; row++, count++) {
		struct option_row *whole = &line.rows[count];

		if (count == ROWS_MAX)
			abort();
		*whole = sharedoption_complete(row);
		if (!whole->help)
			whole->help = describe_choices(whole);
		ret_options[count] = (struct argp_option){
			.name = whole->name,
			.key = whole->letter ? whole->letter : KEY_FIRST + (int)count,
			.arg = whole->argument,
			.flags = whole->may_lack_argument ? OPTION_ARG_OPTIONAL : 0,
			.doc = whole->help,
		};
	}
	return count;
}

void option_parse(const struct command *command, int argc, char **argv)
{
	const struct option_operands *operands = &command->operands;
	struct argp_option options[ROWS_MAX + 2] = { 0 };
	const struct argp argp = {
		.options = options,
		.parser = parse_key,
		.args_doc = operands->usage,
		.doc = command->doc,
	};

	line.command = command;
	size_t count = fill_rows(command->options, options);
	// For completion: all that follows is a command line that is being typed. Its name begins
	// no other, which may be cut short.
	options[count] = (struct argp_option){ .name = "_complete",
					       .key = KEY_COMPLETE,
					       .flags = OPTION_HIDDEN };
	argp_parse(&argp, argc, argv,
		   operands->command || operands->are_in_order ? ARGP_IN_ORDER : 0, NULL, NULL);
}

void option_release(const struct command *command)
{
	if (command->values)
		sharedoption_release(command->values);
	if (command->operands.many)
		vec_deinit(command->operands.many);
}
