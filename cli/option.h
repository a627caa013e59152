// SPDX-License-Identifier: Apache-2.0
// Options shared by several commands, defined and parsed here. A command lists those it has.
#pragma once

#include "base/strbuf.h"
#include "correlate/correlate.h"
#include "render/terminal.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_key {
	OPTION_FORMAT = 256, // above the keys of one-letter options
	OPTION_TOP,
	OPTION_COLOR,
	OPTION_ARGUMENTS,
	OPTION_FULL_PATHS,
	OPTION_HOST,
	OPTION_WHERE,
	OPTION_NO_DEMANGLE,
	OPTION_FORCE,
	OPTION_DEBUG_DIR,
	OPTION_SYSROOT,
	OPTION_ALLOW_TRUNCATED,
	OPTION_MEMORY,
	OPTION_OWN, // from here on: a command's own
};

/** A value of --format. */
struct option_format {
	const char *name; // NULL: there is none
	const char *meaning;
};

/** An option that a command has. */
struct option_use {
	enum option_key key;
	const char *help; // NULL: as everywhere; of --format: made from its values
	/** The values of --format by index, the default first; NULL: see .values. */
	struct option_format (*formats)(size_t index);
	/** The same as a list, up to one without a name; NULL: text and json. */
	const struct option_format *values;
};

/** option_values.format of a command without formats of its own. */
enum { OPTION_FORMAT_TEXT, OPTION_FORMAT_JSON };

/** The values from the command line. */
struct option_values {
	unsigned given; // see option_is_given()
	size_t format;	// index of the value in option_use
	size_t top;	// rows; 0: all
	enum terminal_color color;
	struct model_shown shown;
	struct filter *filter; // NULL: no --where
	bool no_demangle;
	bool force;
	const char *debug_dir; // NULL: the usual one
	struct depot *depot;   // with those of --sysroot; to be started once rights are given up
	bool allow_truncated;
	uint64_t memory; // bytes; 0: not given
	// Not from the command line: see correlate_options.
	const char *const *order;
	size_t order_count;
};

/** A command's options. */
struct option_parser {
	struct argp own;		 // without children
	const struct option_use *shared; // the last one's key is 0
};

/**
 * Parse a command line; misuse ends the process.
 *
 * @flags:     argp's
 * @arguments: input of @parser's own function
 * @values:    zeroed; all there when the own function sees ARGP_KEY_END. To be released with
 *             option_values_deinit()
 */
void option_parse(const struct option_parser *parser, int argc, char **argv, unsigned flags,
		  void *arguments, struct option_values *values);
void option_values_deinit(struct option_values *values);

/** Add @word to a list for a message, "a, b or c"; @is_last: none follows. */
void option_add_choice(struct strbuf *list, const char *word, bool is_last);

bool option_is_given(const struct option_values *values, enum option_key key);

/**
 * The command that begins with the word that ARGP_KEY_ARG gave, the first that is no option: all
 * that follow are the command's, whatever they look like.
 */
char **option_take_command(struct argp_state *state);

/** @arg, the value of --@option, as a number from 1 to @most; anything else is misuse. */
size_t option_number(const struct argp_state *state, const char *option, const char *arg,
		     size_t most);

/** The options for reading a trace from @values, which keeps its strings and filter. */
struct correlate_options option_correlate(const struct option_values *values);
