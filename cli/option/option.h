// SPDX-License-Identifier: Apache-2.0
// The options of a command as a table: one row has an option's name, where its value goes, what may
// stand beside it, and its help. The parser, --help, the manual page and completion follow from it.
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "correlate/correlate.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command;

/** The trace to read if none is named. */
#define DEFAULT_TRACE "elfault.trace"
/** The directory that `elfault record --repeat` writes where no other is named. */
#define DEFAULT_SET "elfault.repeats"

/** Options that several commands have; a row that names one has its help, unless it has its own. */
enum option_shared {
	OPTION_OWN, // a command's own
	OPTION_FORMAT,
	OPTION_TOP,
	OPTION_COLOR,
	OPTION_ARGUMENTS,
	OPTION_FULL_PATHS,
	OPTION_HOST,
	OPTION_LABEL,
	OPTION_WHERE,
	OPTION_FROM,
	OPTION_UNTIL,
	OPTION_PROGRAM,
	OPTION_NO_DEMANGLE,
	OPTION_FORCE,
	OPTION_DEBUG_DIR,
	OPTION_SYSROOT,
	OPTION_ALLOW_TRUNCATED,
	OPTION_MEMORY,
};

/** A word that an option takes. */
struct option_choice {
	const char *word, *meaning; // meaning NULL: the word says it; word NULL: past the last
};

/**
 * Options that an option needs, or cannot be combined with, separated by blanks, each perhaps with
 * a value or its end: "initializers", "format=json", "output=*.svg", "COMMAND" for the operand.
 */
struct option_relation {
	const char *others;
	const char *hint; // follows the message; NULL: none
};

/** Words of a command line, which they are borrowed from. */
struct option_words {
	const char **items;
	size_t count, capacity; // as VEC() has them
};

/** An option. Zeros are what most options do not need. */
struct option_row {
	const char *name;	   // without dashes; NULL: the shared one's
	enum option_shared shared; // with what this row leaves out
	char letter;		   // 0: none
	const char *argument;	   // "FILE", or the words that may be typed: "auto|bpf|perf"
	bool may_lack_argument;
	const char *help; // NULL: made of the choices

	// Where the value goes: one of these.
	bool *flag;
	const char **text;
	size_t *number;	 // from .least to .most, where that is not 0; SIZE_MAX for "all" of "N|all"
	uint64_t *bytes; // likewise, with K, M, G or T
	unsigned *word;	 // its index among the words of .argument or .choices; an enum
	/** Take @arg, NULL where it is lacking; false: refused, with a message of @err or none. */
	bool (*parse)(char *arg, struct err *err);

	uint64_t least, most;
	/** Its words; @of: .choices_of. */
	struct option_choice (*choices)(unsigned of, size_t index);
	unsigned choices_of;
	const char *expected; // what is said to be, where a value is refused; NULL: by its target

	const char *missing; // said after "missing --NAME ARGUMENT"; NULL: it need not be given
	struct option_relation needs[1], excludes[2];
};

/** The words that are no options. */
struct option_operands {
	const char *usage;	     // one line per way to call the command
	const char **one;	     // the only one
	const char *noun;	     // of it: "trace"
	struct option_words *many;   // any number
	char ***command;	     // the first begins the command line of another program,
	const char *command_behind;  // if this option was before it; NULL: anyway
	const char *command_without; // if none of these, separated by blanks, was
	const char *missing;	     // said where there is none; NULL: none is needed
	const char *usual;	     // the one that is meant where there is none: a file
	bool are_in_order;	     // options apply to those behind them
};

/** Those of a command about one trace, and of one about objects in it. */
#define OPTION_TRACE(target)                                                                 \
	{                                                                                    \
		.usage = "[TRACE]", .one = (target), .noun = "trace", .usual = DEFAULT_TRACE \
	}
#define OPTION_OBJECTS(target)                                                           \
	{                                                                                \
		.usage = "[OBJECT...] [TRACE]", .many = (target), .usual = DEFAULT_TRACE \
	}

/** Values of shared options. */
struct option_values {
	unsigned format; // index of the value; OPTION_FORMAT_TEXT, OPTION_FORMAT_JSON without
			 // .choices
	size_t top;	 // rows; 0: all
	enum terminal_color color;
	struct model_shown shown;
	struct option_words labels; // KEY=VALUE
	struct filter *filter;	    // NULL: no --where
	const char *from, *until;   // NULL: the edge of the recording
	const char *program;	    // NULL: no --program
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

enum { OPTION_FORMAT_TEXT, OPTION_FORMAT_JSON };

/**
 * Parse a command line into the targets of @command; misuse ends the process. @argv[0] is "elfault
 * NAME".
 */
void option_parse(const struct command *command, int argc, char **argv);

/** Release the operands and the values of shared options. */
void option_release(const struct command *command);

/** End the process with a message and the status of misuse. Only while a command line is parsed. */
void option_misuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Was the option @name given? */
bool option_is_given(const char *name);

/** The conditions of --where, for options that add some while they are parsed. */
struct filter *option_filter(void);

/** The options for reading a trace from @values, which keeps its strings and filter. */
struct correlate_options option_correlate(const struct option_values *values);
