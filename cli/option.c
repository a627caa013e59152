// SPDX-License-Identifier: Apache-2.0
#include "cli/option.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/complete.h"
#include "cli/number.h"
#include "depot/depot.h"
#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

enum {
	OPTIONS = OPTION_OWN - OPTION_FORMAT,
	DEFAULT_TOP = 10,
	KEY_COMPLETE = 1 << 16, // no command has as many options of its own
};

/** In the order of their keys. */
static const struct argp_option table[OPTIONS] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, NULL, 0 }, // see describe_formats()
	{ "top", OPTION_TOP, "N", 0, "Rows per table (default 10), 0: all", 0 },
	{ "color", OPTION_COLOR, "auto|always|never", 0, "When to use colour (default auto)", 0 },
	{ "arguments", OPTION_ARGUMENTS, NULL, 0,
	  "Show the command's arguments; without it only the program and the names of its options "
	  "are shown, and \u2026 for the rest",
	  0 },
	{ "full-paths", OPTION_FULL_PATHS, NULL, 0,
	  "Keep names of home directories, which are otherwise written as ~", 0 },
	{ "host", OPTION_HOST, NULL, 0, "Show the name of the machine, which is otherwise left out",
	  0 },
	{ "where", OPTION_WHERE, "CONDITIONS", 0,
	  "Show only faults that meet all conditions: FIELD=VALUE[|VALUE...][,...], see `elfault "
	  "analyze --help`; may be repeated",
	  0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Show symbol names as stored in the files",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0,
	  "Use an OBJECT given by path even if its build-id is not the recorded one", 0 },
	{ "debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
	  "Search for separate debug files in DIR instead of /usr/lib/debug", 0 },
	{ "sysroot", OPTION_SYSROOT, "DIR", 0,
	  "Search for the files that were recorded below DIR first, by their paths and build-ids; "
	  "may be repeated",
	  0 },
	{ "allow-truncated", OPTION_ALLOW_TRUNCATED, NULL, 0,
	  "Exit with 0 even if a trace is truncated, damaged or unfinished", 0 },
	{ "memory", OPTION_MEMORY, "SIZE", 0,
	  "Use at most SIZE bytes of memory, or with K, M or G (default: half of what is free)",
	  0 },
};

/** Input of the two parsers of a command line. */
struct inputs {
	void *own;
	struct option_values *values;
	const struct option_use *uses;
	struct complete_tables tables;
	struct argp_option *format;
	const char *format_words; // its values, separated by |
};

void option_add_choice(struct strbuf *list, const char *word, bool is_last)
{
	const char *separator = is_last ? " or " : ", ";

	strbuf_printf(list, "%s%s", list->length == 0 ? "" : separator, word);
}

static struct option_format format_of(const struct option_use *use, size_t index)
{
	static const struct option_format usual[] = {
		{ "text", NULL },
		{ "json", "one document" },
		{ 0 },
	};

	if (use->formats)
		return use->formats(index);
	return use->values ? use->values[index] : usual[index];
}

/** "text (default); json: one document; …" */
static void describe_formats(const struct option_use *use, struct strbuf *ret_text)
{
	struct option_format format;

	for (size_t i = 0; (format = format_of(use, i)).name; i++)
		strbuf_printf(ret_text, i == 0 ? "%s (default)%s%s" : "; %s%s%s", format.name,
			      format.meaning ? ": " : "", format.meaning ? format.meaning : "");
}

/** The index of @arg among the values of --format. */
static size_t parse_format(const struct argp_state *state, const struct option_use *use,
			   const char *arg)
{
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };
	struct option_format format;

	for (size_t i = 0; (format = format_of(use, i)).name; i++) {
		if (strcmp(arg, format.name) == 0)
			return i;
		option_add_choice(&list, format.name, !format_of(use, i + 1).name);
	}
	argp_error(state, "invalid value '%s' for --format (expected %s)", arg, strbuf_text(&list));
	return 0; // not reached: misuse ends the process
}

/** Add the conditions of one --where. */
static void parse_where(const struct argp_state *state, const char *arg, struct filter **filter)
{
	struct err err;

	if (!*filter)
		*filter = filter_create();
	if (!filter_add(*filter, arg, &err))
		argp_error(state, "--where: %s", err.message);
}

static const struct option_use *find_use(const struct option_use *uses, int key)
{
	while (uses->key != 0 && (int)uses->key != key)
		uses++;
	return uses;
}

static error_t parse_shared(int key, char *arg, struct argp_state *state)
{
	const struct inputs *inputs = state->input;
	struct option_values *values = inputs->values;

	switch (key) {
	case OPTION_FORMAT:
		values->format = parse_format(state, find_use(inputs->uses, key), arg);
		break;
	case OPTION_TOP:
		if (!number_parse(arg, &values->top))
			argp_error(state, "invalid value '%s' for --top (expected a number)", arg);
		break;
	case OPTION_COLOR:
		if (!terminal_color_parse(arg, &values->color))
			argp_error(state,
				   "invalid value '%s' for --color (expected auto, always or "
				   "never)",
				   arg);
		break;
	case OPTION_FULL_PATHS:
		values->shown.full_paths = true;
		break;
	case OPTION_ARGUMENTS:
		values->shown.arguments = true;
		break;
	case OPTION_HOST:
		values->shown.host = true;
		break;
	case OPTION_WHERE:
		parse_where(state, arg, &values->filter);
		break;
	case OPTION_NO_DEMANGLE:
		values->no_demangle = true;
		break;
	case OPTION_FORCE:
		values->force = true;
		break;
	case OPTION_DEBUG_DIR:
		values->debug_dir = arg;
		break;
	case OPTION_SYSROOT:
		depot_add_sysroot(values->depot, arg);
		break;
	case OPTION_ALLOW_TRUNCATED:
		values->allow_truncated = true;
		break;
	case OPTION_MEMORY:
		if (!number_parse_size(arg, &values->memory))
			argp_error(state,
				   "invalid value '%s' for --memory (expected a size such as 512M "
				   "or 4G)",
				   arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	values->given |= 1U << (key - OPTION_FORMAT);
	return 0;
}

/** For completion: all that follows is a command line that is being typed. Its name begins no
 * other, which may be cut short. */
static const struct argp_option root_table[] = {
	{ "_complete", KEY_COMPLETE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/** Give each of the parsers below its input. */
static error_t parse_root(int key, char *arg, struct argp_state *state)
{
	struct inputs *inputs = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = inputs->own;
		state->child_inputs[1] = inputs;
		return ARGP_ERR_UNKNOWN;
	case KEY_COMPLETE:
		if (inputs->format)
			inputs->format->arg = inputs->format_words;
		complete_print(&inputs->tables, state->argv + state->next,
			       (size_t)(state->argc - state->next));
		exit(0);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/** "text|json|..." */
static void list_formats(const struct option_use *use, struct strbuf *ret_words)
{
	struct option_format format;

	for (size_t i = 0; (format = format_of(use, i)).name; i++)
		strbuf_printf(ret_words, "%s%s", i > 0 ? "|" : "", format.name);
}

void option_parse(const struct option_parser *parser, int argc, char **argv, unsigned flags,
		  void *arguments, struct option_values *values)
{
	struct inputs inputs = { .own = arguments, .values = values, .uses = parser->shared };
	struct argp_option rows[OPTIONS + 1] = { 0 };
	struct argp_option *row = rows;
	CLEANUP(strbuf_deinit) struct strbuf formats = { 0 }, format_words = { 0 };

	for (const struct option_use *use = parser->shared; use->key != 0; use++, row++) {
		*row = table[use->key - OPTION_FORMAT];
		if (use->help)
			row->doc = use->help;
		if (use->key != OPTION_FORMAT)
			continue;
		describe_formats(use, &formats);
		row->doc = strbuf_text(&formats);
		list_formats(use, &format_words);
		inputs.format = row;
		inputs.format_words = strbuf_text(&format_words);
	}
	inputs.tables = (struct complete_tables){ parser->own.options, rows, parser->own.args_doc };

	const struct argp own = { .options = parser->own.options, .parser = parser->own.parser };
	// Of a table without rows argp-help.c keeps empty blocks that it never frees.
	const struct argp shared = { .options = row > rows ? rows : NULL, .parser = parse_shared };
	const struct argp_child children[] = { { .argp = &own }, { .argp = &shared }, { 0 } };
	const struct argp whole = {
		.options = root_table,
		.parser = parse_root,
		.args_doc = parser->own.args_doc,
		.doc = parser->own.doc,
		.children = children,
	};

	values->top = DEFAULT_TOP;
	if (find_use(parser->shared, OPTION_SYSROOT)->key)
		values->depot = depot_create();
	argp_parse(&whole, argc, argv, flags, NULL, &inputs);
}

void option_values_deinit(struct option_values *values)
{
	filter_destroy(values->filter);
	depot_destroy(values->depot);
}

bool option_is_given(const struct option_values *values, enum option_key key)
{
	return values->given & 1U << (key - OPTION_FORMAT);
}

char **option_take_command(struct argp_state *state)
{
	char **command = state->argv + state->next - 1;

	state->next = state->argc;
	return command;
}

size_t option_number(const struct argp_state *state, const char *option, const char *arg,
		     size_t most)
{
	size_t number = 0;

	if (!number_parse(arg, &number) || number == 0 || number > most)
		argp_error(state, "invalid value '%s' for --%s (expected a number from 1 to %zu)",
			   arg, option, most);
	return number;
}

struct correlate_options option_correlate(const struct option_values *values)
{
	return (struct correlate_options){
		.filter = values->filter,
		.force = values->force,
		.no_demangle = values->no_demangle,
		.debug_dir = values->debug_dir,
		.depot = values->depot,
		.order = values->order,
		.order_count = values->order_count,
		.shown = values->shown,
	};
}
