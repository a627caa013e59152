// SPDX-License-Identifier: Apache-2.0
// `elfault order`: an order file for the linker.
#include "cli/order/order.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/option/option.h"
#include "cli/recording/recorded.h"

/** Values of --format; the first are those of enum order_format. */
enum { FORMAT_JSON = ORDER_PROFDATA + 1 };

struct arguments {
	struct order_arguments order;
	struct option_values shared;
	bool is_exact;
};

static struct arguments given;

static struct option_choice format_at(unsigned of, size_t index)
{
	static const struct option_choice formats[] = {
		[ORDER_LLD] = { "lld", NULL },
		[ORDER_GOLD] = { "gold", "for ld.gold --section-ordering-file" },
		[ORDER_BOLT] = { "bolt", "for llvm-bolt --function-order" },
		[ORDER_PROFDATA] = { "profdata",
				     "a temporal profile, text, for lld 20 --bp-startup-sort" },
		[FORMAT_JSON] = { "json", "of --verify, whose default is text" },
		{ 0 },
	};

	return formats[index];
}

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.order.output,
	  .help = "Write the order file to FILE" },
	{ "exact", .flag = &given.is_exact,
	  .help = "Run COMMAND with a breakpoint at each function, which is taken away when hit: "
		  "every function that it, its threads and children enter, in the program and its "
		  "libraries" },
	{ "verify", .argument = "FILE", .text = &given.order.verified,
	  .excludes = { { "exact output object", "it writes nothing" } },
	  .help = "Show which names of the order file FILE an OBJECT has, whether their order was "
		  "kept, and the pages they take; of two OBJECTs: before and after" },
	{ "weights", .argument = "N,N...", .text = &given.order.weights,
	  .excludes = { { "exact verify", "it is about several TRACEs" } },
	  .help = "How often each TRACE's start happens, in their order: functions that most "
		  "starts "
		  "enter come first" },
	{ "object", .argument = "OBJECT", .text = &given.order.object,
	  .help = "Only functions of this file: a path, a file name or a soname" },
	{ .shared = OPTION_FORMAT, .choices = format_at },
	{ .shared = OPTION_FROM, .excludes = { { "exact verify", "it is about a TRACE" } } },
	{ .shared = OPTION_UNTIL, .excludes = { { "exact verify", "it is about a TRACE" } } },
	{ .shared = OPTION_FULL_PATHS,
	  .help = "With --verify: keep names of home directories, which are otherwise written as "
		  "~" },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_MEMORY },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ 0 },
};

static void check(void)
{
	struct order_arguments *order = &given.order;
	size_t count = order->inputs.count;

	order->shared = &given.shared;
	if (order->verified) {
		if (count == 0 || count > ORDER_OBJECTS_MAX)
			option_misuse("--verify FILE needs one OBJECT, or two: before and after");
		if (option_is_given("format") && given.shared.format != FORMAT_JSON)
			option_misuse("--verify prints text or --format json");
		return;
	}
	if (given.is_exact && given.shared.format == ORDER_PROFDATA)
		option_misuse(
			"--format profdata is of order files: first order --exact without it");
	if (given.is_exact && !order->command)
		option_misuse("missing COMMAND after --exact");
	if (!given.is_exact && count == 0)
		option_misuse("missing TRACE (or --exact COMMAND, or --verify FILE OBJECT)");
	if (!order->output)
		option_misuse("missing -o FILE");
	if (given.shared.format == FORMAT_JSON)
		option_misuse("--format json requires --verify; otherwise use lld, gold or bolt");
	order->format = (enum order_format)given.shared.format;
}

static int run(void)
{
	const struct arguments *arguments = &given;

	if (arguments->order.verified)
		return orderverify_run(&arguments->order, arguments->shared.format == FORMAT_JSON);
	if (!arguments->is_exact)
		return ordertrace_run(&arguments->order);
	oom_status = RECORDED_FAILED;
	return orderexact_run(&arguments->order);
}

const struct command command_order = {
	.name = "order",
	.summary = "write an order file of the functions that a start needs",
	.options = options,
	.operands = { .usage = "--exact -o FILE [--] COMMAND [ARG...]\nTRACE... -o FILE\n"
			       "--verify FILE OBJECT [OBJECT]",
		      .many = &given.order.inputs,
		      .command = &given.order.command,
		      .command_behind = "exact" },
	.values = &given.shared,
	.check = check,
	.doc = "Write an order file: the functions that a start needs, for the linker to put "
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
	       "  elfault order --weights 10,1 tool.order help.order -o both.order\n"
	       "  elfault order elfault.trace -o seen.order\n"
	       "  elfault order --verify both.order tool.before tool\n\n"
	       "ld.bfd has no order file: link with ld.lld or ld.gold.",
	.run_status = run,
};
