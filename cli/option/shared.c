// SPDX-License-Identifier: Apache-2.0
#include "cli/option/shared.h"

#include "depot/depot.h"
#include "model/filter.h"

#include <string.h>

#define LABEL_KEY "letters, digits, '.', '_' and '-'"

/** Of the command line; a process has one. */
static struct option_values values = { .top = 10 };

static struct option_choice text_or_json(unsigned of, size_t index)
{
	static const struct option_choice choices[] = {
		[OPTION_FORMAT_TEXT] = { "text", NULL },
		[OPTION_FORMAT_JSON] = { "json", "one document" },
		{ 0 },
	};

	return choices[index];
}

struct filter *option_filter(void)
{
	if (!values.filter)
		values.filter = filter_create();
	return values.filter;
}

/** Add the conditions of one --where. */
static bool add_conditions(char *arg, struct err *err)
{
	return filter_add(option_filter(), arg, err);
}

static bool add_sysroot(char *arg, struct err *err)
{
	depot_add_sysroot(values.depot, arg);
	return true;
}

/** Add a label; of one key the last value stays. */
static bool add_label(char *arg, struct err *err)
{
	size_t length = strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-");

	if (length == 0 || arg[length] != '=')
		return false;
	vec_foreach (label, &values.labels) {
		if (strncmp(*label, arg, length + 1) == 0) {
			*label = arg;
			return true;
		}
	}
	vec_push(&values.labels, arg);
	return true;
}

static const struct option_row shared_options[] = {
	[OPTION_FORMAT] = { "format", .argument = "FORMAT", .word = &values.format,
			    .choices = text_or_json },
	[OPTION_TOP] = { "top", .argument = "N", .number = &values.top,
			 .help = "Rows per table (default 10), 0: all" },
	[OPTION_COLOR] = { "color", .argument = "auto|always|never", .word = &values.color,
			   .help = "When to use colour (default auto)" },
	[OPTION_ARGUMENTS] = { "arguments", .flag = &values.shown.arguments,
			       .help = "Show the command's arguments; without it only the program "
				       "and the names of its options are shown, and \u2026 for the "
				       "rest" },
	[OPTION_FULL_PATHS] = { "full-paths", .flag = &values.shown.full_paths,
				.help = "Keep names of home directories, which are otherwise "
					"written as ~" },
	[OPTION_HOST] = { "host", .flag = &values.shown.host,
			  .help = "Show the name of the machine, which is otherwise left out" },
	[OPTION_LABEL] = { "label", .argument = "KEY=VALUE", .parse = add_label,
			   .expected = "KEY=VALUE, with a KEY of " LABEL_KEY },
	[OPTION_WHERE] = { "where", .argument = "CONDITIONS", .parse = add_conditions,
			   .help = "Show only faults that meet all conditions: "
				   "FIELD=VALUE[|VALUE...][,...], see `elfault analyze --help`; "
				   "may be repeated" },
	[OPTION_FROM] = { "from", .argument = "TIME|MARK", .text = &values.from,
			  .help = "Count only what happened from TIME on, since the start of the "
				  "recording (120ms, 1.5s), or from a mark of the trace on" },
	[OPTION_UNTIL] = { "until", .argument = "TIME|MARK", .text = &values.until,
			   .help = "Count only what happened before TIME, or before a mark" },
	[OPTION_PROGRAM] = { "program", .argument = "PROGRAM", .text = &values.program,
			     .help = "Tell whose time it is: of this program, by its name or "
				     "process "
				     "id (default: the one that the command's end waited for "
				     "most)" },
	[OPTION_NO_DEMANGLE] = { "no-demangle", .flag = &values.no_demangle,
				 .help = "Show symbol names as stored in the files" },
	[OPTION_FORCE] = { "force", .flag = &values.force,
			   .help = "Use an OBJECT given by path even if its build-id is not the "
				   "recorded one" },
	[OPTION_DEBUG_DIR] = { "debug-dir", .argument = "DIR", .text = &values.debug_dir,
			       .help = "Search for separate debug files in DIR instead of "
				       "/usr/lib/debug" },
	[OPTION_SYSROOT] = { "sysroot", .argument = "DIR", .parse = add_sysroot,
			     .help = "Search for the files that were recorded below DIR first, by "
				     "their paths and build-ids; may be repeated" },
	[OPTION_ALLOW_TRUNCATED] = { "allow-truncated", .flag = &values.allow_truncated,
				     .help = "Exit with 0 even if a trace is truncated, damaged or "
					     "unfinished" },
	[OPTION_MEMORY] = { "memory", .argument = "SIZE", .bytes = &values.memory,
			    .help = "Use at most SIZE bytes of memory, or with K, M or G (default: "
				    "half of what is free)" },
};

struct option_row sharedoption_complete(const struct option_row *row)
{
	struct option_row whole = shared_options[row->shared];

	if (row->shared == OPTION_OWN)
		return *row;
	if (row->shared == OPTION_SYSROOT && !values.depot)
		values.depot = depot_create();
	whole.shared = row->shared;
	whole.help = row->help ? row->help : whole.help;
	if (row->choices) {
		whole.choices = row->choices;
		whole.choices_of = row->choices_of;
	}
	memcpy(whole.needs, row->needs, sizeof(whole.needs));
	memcpy(whole.excludes, row->excludes, sizeof(whole.excludes));
	return whole;
}

struct option_values sharedoption_values(void)
{
	return values;
}

void sharedoption_release(struct option_values *values)
{
	filter_destroy(values->filter);
	depot_destroy(values->depot);
	vec_deinit(&values->labels);
}

struct correlate_options option_correlate(const struct option_values *values)
{
	return (struct correlate_options){
		.filter = values->filter,
		.from = values->from,
		.until = values->until,
		.program = values->program,
		.force = values->force,
		.no_demangle = values->no_demangle,
		.debug_dir = values->debug_dir,
		.depot = values->depot,
		.order = values->order,
		.order_count = values->order_count,
		.shown = values->shown,
	};
}
