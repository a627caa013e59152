// SPDX-License-Identifier: Apache-2.0
// `elfault order`: an order file for the linker.
#include "cli/order.h"

#include "base/arena.h"
#include "cli/command.h"
#include "cli/option.h"
#include "cli/recorded.h"

#include <argp.h>
#include <string.h>

enum {
	OPTION_EXACT = OPTION_OWN,
	OPTION_OBJECT,
};

struct arguments {
	struct order_arguments order;
	struct option_values shared;
	bool is_exact;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the order file to FILE", 0 },
	{ "exact", OPTION_EXACT, 0, 0,
	  "Run COMMAND with a breakpoint at each function, taken away when hit", 0 },
	{ "object", OPTION_OBJECT, "OBJECT", 0,
	  "Only functions of this file: a path, a file name or a soname", 0 },
	{ 0 },
};

static struct option_format format_at(size_t index)
{
	// In the order of enum order_format.
	static const struct option_format formats[] = {
		{ "lld", "--symbol-ordering-file of ld.lld" },
		{ "gold", "--section-ordering-file of ld.gold" },
		{ "bolt", "--function-order of llvm-bolt" },
	};

	return index < sizeof(formats) / sizeof(formats[0]) ? formats[index]
							    : (struct option_format){ 0 };
}

static const struct option_use shared_options[] = {
	{ .key = OPTION_FORMAT, .formats = format_at },
	{ .key = OPTION_DEBUG_DIR },
	{ 0 },
};

static void check(struct argp_state *state, struct arguments *arguments)
{
	if (!arguments->is_exact || !arguments->order.command)
		argp_error(state, "missing --exact COMMAND");
	if (!arguments->order.output)
		argp_error(state, "missing -o FILE");
	arguments->order.format = (enum order_format)arguments->shared.format;
	arguments->order.debug_dir = arguments->shared.debug_dir;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->order.output = arg;
		return 0;
	case OPTION_EXACT:
		arguments->is_exact = true;
		return 0;
	case OPTION_OBJECT:
		arguments->order.object = arg;
		return 0;
	case ARGP_KEY_ARG:
		arguments->order.command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "--exact -o FILE [--] COMMAND [ARG...]",
	.own.doc = "Write an order file: the functions that a start needs, for the linker to put "
		   "together."
		   "\vWith --exact the exit status is COMMAND's own; 125 if elfault itself failed, "
		   "126 if COMMAND could not be run, 127 if it was not found.\n\n"
		   "Examples:\n"
		   "  elfault order --exact -o tool.order -- ./tool --version",
	.shared = shared_options,
};

static int run(int argc, char **argv)
{
	struct arguments arguments = { 0 };

	oom_status = RECORDED_FAILED;
	option_parse(&parser, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.shared);
	return orderexact_run(&arguments.order);
}

const struct command command_order = {
	.name = "order",
	.summary = "write an order file of the functions that a start needs",
	.run = run,
};
