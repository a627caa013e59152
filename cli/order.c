// SPDX-License-Identifier: Apache-2.0
// `elfault order`: an order file for the linker.
#include "cli/order.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/option.h"
#include "cli/recorded.h"

#include <argp.h>
#include <string.h>

enum {
	OPTION_EXACT = OPTION_OWN,
	OPTION_OBJECT,
	OPTION_VERIFY,
};

/** Values of --format; the first are those of enum order_format. */
enum { FORMAT_JSON = ORDER_BOLT + 1 };

struct arguments {
	struct order_arguments order;
	struct option_values shared;
	bool is_exact;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the order file to FILE", 0 },
	{ "exact", OPTION_EXACT, 0, 0,
	  "Run COMMAND with a breakpoint at each function, which is taken away when hit: every "
	  "function that it, its threads and children enter, in the program and its libraries",
	  0 },
	{ "verify", OPTION_VERIFY, "FILE", 0,
	  "Show which names of the order file FILE an OBJECT has, whether their order was kept, "
	  "and the pages they take; of two OBJECTs: before and after",
	  0 },
	{ "object", OPTION_OBJECT, "OBJECT", 0,
	  "Only functions of this file: a path, a file name or a soname", 0 },
	{ 0 },
};

static const struct option_format formats[] = {
	[ORDER_LLD] = { "lld", NULL },
	[ORDER_GOLD] = { "gold", "for ld.gold --section-ordering-file" },
	[ORDER_BOLT] = { "bolt", "for llvm-bolt --function-order" },
	[FORMAT_JSON] = { "json", "of --verify, whose default is text" },
	{ 0 },
};

static const struct option_use shared_options[] = {
	{ .key = OPTION_FORMAT, .values = formats },
	{ .key = OPTION_FULL_PATHS,
	  .help = "With --verify: keep names of home directories, which are otherwise written as "
		  "~" },
	{ .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },
	{ .key = OPTION_MEMORY },
	{ .key = OPTION_ALLOW_TRUNCATED },
	{ 0 },
};

static void check_verify(struct argp_state *state, const struct arguments *arguments)
{
	size_t count = arguments->order.input_count;

	if (arguments->is_exact || arguments->order.output || arguments->order.object)
		argp_error(state, "--verify writes nothing and cannot be combined with --exact, "
				  "--object or -o");
	if (count == 0 || count > ORDER_OBJECTS_MAX)
		argp_error(state, "--verify FILE needs one OBJECT, or two: before and after");
	if (option_is_given(&arguments->shared, OPTION_FORMAT) &&
	    arguments->shared.format != FORMAT_JSON)
		argp_error(state, "--verify prints text or --format json");
}

static void check(struct argp_state *state, struct arguments *arguments)
{
	struct order_arguments *order = &arguments->order;

	order->debug_dir = arguments->shared.debug_dir;
	order->depot = arguments->shared.depot;
	order->memory = arguments->shared.memory;
	order->allow_truncated = arguments->shared.allow_truncated;
	order->full_paths = arguments->shared.shown.full_paths;
	if (order->verified) {
		check_verify(state, arguments);
		return;
	}
	if (arguments->is_exact && !order->command)
		argp_error(state, "missing COMMAND after --exact");
	if (!arguments->is_exact && order->input_count == 0)
		argp_error(state, "missing TRACE (or --exact COMMAND, or --verify FILE OBJECT)");
	if (!order->output)
		argp_error(state, "missing -o FILE");
	if (arguments->shared.format == FORMAT_JSON)
		argp_error(state, "--format json is of --verify (expected lld, gold or bolt)");
	order->format = (enum order_format)arguments->shared.format;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct order_arguments *order = &arguments->order;

	switch (key) {
	case 'o':
		order->output = arg;
		return 0;
	case OPTION_EXACT:
		arguments->is_exact = true;
		return 0;
	case OPTION_OBJECT:
		order->object = arg;
		return 0;
	case OPTION_VERIFY:
		order->verified = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->is_exact) {
			order->command = option_take_command(state);
			return 0;
		}
		order->inputs[order->input_count++] = arg;
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
	.own.args_doc = "--exact -o FILE [--] COMMAND [ARG...]\nTRACE... -o FILE\n"
			"--verify FILE OBJECT [OBJECT]",
	.own.doc = "Write an order file: the functions that a start needs, for the linker to put "
		   "together. A TRACE shows a part of them only. Order files of the form lld may "
		   "stand "
		   "among the TRACEs: all are merged."
		   "\vWith --exact the exit status is COMMAND's own; 125 if elfault itself failed, "
		   "126 if COMMAND could not be run, 127 if it was not found. Otherwise: 0 done, 1 "
		   "failed, 2 misuse.\n\n"
		   "Examples:\n"
		   "  elfault order --exact -o tool.order -- ./tool --version\n"
		   "  elfault order --exact -o help.order -- ./tool --help\n"
		   "  elfault order tool.order help.order -o both.order\n"
		   "  elfault order elfault.trace -o seen.order\n"
		   "  elfault order --verify both.order tool.before tool\n\n"
		   "ld.bfd has no order file: link with ld.lld or ld.gold.",
	.shared = shared_options,
};

static int run_kind(const struct arguments *arguments)
{
	if (arguments->order.verified)
		return orderverify_run(&arguments->order, arguments->shared.format == FORMAT_JSON);
	if (!arguments->is_exact)
		return ordertrace_run(&arguments->order);
	oom_status = RECORDED_FAILED;
	return orderexact_run(&arguments->order);
}

static int run(int argc, char **argv)
{
	CLEANUP(freep) char **inputs = xcalloc((size_t)argc, sizeof(*inputs));
	struct arguments arguments = { .order.inputs = inputs };

	option_parse(&parser, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.shared);
	int status = run_kind(&arguments);

	option_values_deinit(&arguments.shared);
	return status;
}

const struct command command_order = {
	.name = "order",
	.summary = "write an order file of the functions that a start needs",
	.run = run,
};
