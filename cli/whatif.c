// SPDX-License-Identifier: Apache-2.0
// `elfault whatif [OBJECT...] TRACE`: what each cure would save, predicted.
#include "cure/whatif.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cure/order.h"
#include "model/naming.h"

#include <stdio.h>

struct whatif_arguments {
	struct option_words names; // the objects, then the trace
	const char *order;	   // a file; NULL: none
	struct option_values shared;
};

static struct whatif_arguments given;

static const struct option_row options[] = {
	{ "order", .argument = "FILE", .text = &given.order,
	  .help = "Also predict a link in the order of FILE, an order file for lld, gold or BOLT: "
		  "one function per line, as `nm` has it, or one section; the list has to be of "
		  "all that ran" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_WHATIF) },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_UNTIL,
	  .help = "Predict a start that ends at TIME, since the recording began, or at a mark" },
	{ .shared = OPTION_PROGRAM },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

// ---- The list of functions ---------------------------------------------------------------------

static bool read_order(struct order *order, const char *path)
{
	struct err err;

	if (!order_read(order, path, &err))
		return message_fail(&err);
	if (order->names.count == 0)
		message_print("%s: no names; one function per line is expected", path);
	return order->names.count > 0;
}

// ---- Objects --------------------------------------------------------------------------------

/** Mark in @ret_objects what @name stands for. */
static bool choose(const struct model *model, const char *name, bool *ret_objects)
{
	bool found = false;

	for (size_t i = 0; i < model->object_count; i++) {
		if (!model->objects[i].is_file || !naming_is_object(&model->objects[i], name))
			continue;
		ret_objects[i] = true;
		found = true;
	}
	if (!found)
		message_print("the trace has no object named %s; `elfault analyze` lists them",
			      name);
	return found;
}

static bool print(const struct whatif_arguments *arguments, const struct model *model,
		  const struct whatif_answer *answer)
{
	struct export_options options = {
		.terminal = terminal_detect(stdout, arguments->shared.color),
	};

	options.terminal.width = terminal_columns(stdout);
	return answer_print(exporter_at(EXPORT_WHATIF, arguments->shared.format),
			    &(struct export_subject){ .model = model, .cures = answer }, &options);
}

static bool run(void)
{
	struct whatif_arguments *arguments = &given;
	CLEANUP(order_deinit) struct order order = { 0 };
	struct caller caller = caller_find();

	message_ignore_sigpipe();
	if (!caller_take_rights(&caller) ||
	    (arguments->order && !read_order(&order, arguments->order)))
		return false;
	arguments->shared.order = order.names.items;
	arguments->shared.order_count = order.names.count;
	// All faults are needed, whatever the links are limited to.
	const size_t objects = arguments->names.count - 1;
	const unsigned needs = exporter_at(EXPORT_WHATIF, arguments->shared.format)->needs;
	CLEANUP(model_closep) struct model *model = NULL;
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = NULL;

	if (!answer_find("whatif", &arguments->names.items[objects], 1, &arguments->shared, needs,
			 &model))
		return false;
	CLEANUP(freep) bool *chosen = xcalloc(model->object_count + 1, sizeof(*chosen));
	for (size_t i = 0; i < objects; i++)
		if (!choose(model, arguments->names.items[i], chosen))
			return false;
	const struct whatif_options how = {
		.objects = objects > 0 ? chosen : NULL,
		.order = arguments->order,
	};
	answer = whatif_predict(model, &how);
	if (!print(arguments, model, answer))
		return false;
	answer_hint_set(model);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

const struct command command_whatif = {
	.name = "whatif",
	.summary = "predict what each cure would save",
	.options = options,
	.operands = OPTION_OBJECTS(&given.names),
	.values = &given.shared,
	.doc = "Predict what each cure would save of a recorded start, from the trace and its ELF "
	       "files alone: faults, majors, bytes read and time of the run after RELR, -no-pie "
	       "with static libraries, static libstdc++, -static, other sizes of fault-around and "
	       "read-ahead. Each with the error that was measured, or as a bound: the saving is "
	       "at most, or at least, that. TRACE is the last argument "
	       "(default: " DEFAULT_TRACE
	       "), or a directory of repeats, whose run nearest to the median is taken; an OBJECT "
	       "(path, file name or soname) limits the links to that file."
	       "\vExamples:\n"
	       "  elfault whatif\n"
	       "  elfault whatif clang.trace\n"
	       "  elfault whatif libLLVM-14.so.1 clang.trace\n"
	       "  elfault whatif --order clang.order clang.trace\n"
	       "  elfault whatif --format json clang.trace | jq '.cures[] | {cure, after}'\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
