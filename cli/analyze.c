// SPDX-License-Identifier: Apache-2.0
// `elfault analyze [OBJECT...] TRACE`: every fault attributed.
#include "cli/command.h"

#include "base/cleanup.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"
#include "model/filter.h"
#include "model/io.h"
#include "model/pivot.h"
#include "model/words.def"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Columns of a name in a table where nothing else limits them. */
enum { PIPE_NAME_COLUMNS = 100 };

struct analyze_arguments {
	struct option_words names; // the objects, then the trace
	bool full;
	bool wide;
	bool faults;
	bool initializers; // the answer is about them alone
	bool all_initializers;
	bool io;		   // the answer is about operations of storage
	bool bindings;		   // about names that the dynamic linker binds
	bool timeline;		   // the answer is a drawing
	const char *object;	   // of this; NULL: what faults most
	bool has_fault, is_detail; // the answer is about few faults
	bool has_function;	   // with its code
	size_t fault;
	enum render_sort sort;
	struct pivot_fields by; // none: the faults themselves
	struct option_values shared;
};

static struct analyze_arguments given;

static bool parse_initializers(char *arg, struct err *err)
{
	given.all_initializers = arg;
	return !arg || strcmp(arg, "all") == 0;
}

static bool parse_stacks(char *arg, struct err *err)
{
	return strcmp(arg, "ids") == 0;
}

static bool parse_fault(char *arg, struct err *err)
{
	given.has_fault = number_parse(arg, &given.fault) && given.fault != SIZE_MAX;
	if (given.has_fault)
		filter_set_fault(option_filter(), given.fault);
	return given.is_detail = given.has_fault;
}

static bool parse_function(char *arg, struct err *err)
{
	filter_add_name(option_filter(), "function", arg);
	given.has_function = true;
	return given.is_detail = true;
}

static bool parse_initializer(char *arg, struct err *err)
{
	filter_add_name(option_filter(), "initializer", arg);
	return given.is_detail = true;
}

static bool parse_by(char *arg, struct err *err)
{
	return pivot_fields_parse(arg, &given.by, err);
}

static const struct option_row options[] = {
	{ "full", .flag = &given.full, .excludes = { { "initializers by timeline" } },
	  .help = "Show everything, not one screen: all findings, then object by object sections, "
		  "symbols and functions. OBJECT, --where and --top do so anyway" },
	{ "wide", .flag = &given.wide, .excludes = { { "timeline" } },
	  .help = "Write names and lines in full, however long; without it they are cut to fit a "
		  "terminal, and names in a pipe to 100 columns" },
	{ "faults", .flag = &given.faults,
	  .excludes = { { "initializers", "alone, it names the initializer of each fault" },
			{ "by", "one lists faults, the other counts them" } },
	  .needs = { { "format=json format=ndjson format=csv",
		       "csv and ndjson list faults anyway" } },
	  .help = "Add each fault to --format json" },
	{ "stacks", .argument = "ids", .parse = parse_stacks, .expected = "ids",
	  .needs = { { "format=ndjson" } }, .excludes = { { "by" } },
	  .help = "With --format ndjson: write each frame and each stack once, on a line of its "
		  "own, and of a fault its stack's number" },
	{ "initializers", .argument = "all", .may_lack_argument = true, .flag = &given.initializers,
	  .parse = parse_initializers, .expected = "all",
	  .excludes = { { "where", "it counts all faults; name an OBJECT to see only its "
				   "initializers" } },
	  .help = "Show only what initializers cost, the functions that run before main; =all: "
		  "include those without faults" },
	{ "io", .flag = &given.io,
	  .excludes = { { "initializers timeline faults fault function initializer stacks "
			  "full" } },
	  .help = "Show every operation of storage: what was read, of which file, for whom and "
		  "why, how long it was waited for; with --where and OBJECT only some, with --by "
		  "their sums" },
	{ "bindings", .flag = &given.bindings, .needs = { { "format=text format=json" } },
	  .excludes = { { "initializers by timeline faults fault function initializer stacks "
			  "full io" },
			{ "where", "it is computed from the files, not from faults" } },
	  .help = "Show who binds to whom: names that the dynamic linker looks up when it loads "
		  "the programs, how many files it searches for them, and what that ends in; "
		  "JSON has each name" },
	{ "sort", .argument = "time|read|faults|order", .word = &given.sort,
	  .needs = { { "initializers" } },
	  .help = "With --initializers: time (default), most time first, or most faults where no "
		  "time is known; read, most bytes read; faults, most faults; order, as they ran" },
	{ "by", .argument = "FIELD[,FIELD[,FIELD]]", .parse = parse_by,
	  .excludes = { { "initializers", "use --by initializer alone" } },
	  .help = "Count faults by these fields, listed below, in any format" },
	{ "fault", .argument = "N", .parse = parse_fault, .expected = "a number, from 0",
	  .excludes = { { "initializers by timeline" } },
	  .help = "Show one fault with its stack and source lines: the one of this \"seq\" in "
		  "--faults, ndjson and csv of the whole trace" },
	{ "function", .argument = "NAME", .parse = parse_function,
	  .excludes = { { "initializers by timeline" } },
	  .help = "Show this function: its source lines and instructions, with the time, samples "
		  "and faults of each; what its faults touched, and their stacks. --full: also "
		  "lines and instructions that cost nothing. NAME may lack template arguments, "
		  "parameters and outer scopes" },
	{ "initializer", .argument = "NAME", .parse = parse_initializer,
	  .excludes = { { "initializers by timeline" } },
	  .help = "The same of an initializer, by its function, label or place" },
	{ "timeline", .flag = &given.timeline,
	  .needs = { { "format=text", "elfault report -o FILE.svg draws a picture" } },
	  .excludes = { { "initializers faults by" } },
	  .help = "Draw one file's faults over time, and the file as a strip of pages; `elfault "
		  "report` writes the same as a picture" },
	{ "object", .argument = "NAME", .text = &given.object,
	  .needs = { { "timeline", "to narrow the answer, name the OBJECT as an argument" } },
	  .help = "With --timeline: the file to draw, by path, file name or soname (default: the "
		  "ELF file with the most faults)" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_ANSWER) },
	{ .shared = OPTION_TOP, .help = "Rows per table of the full text (default 10), 0: all" },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_ARGUMENTS,
	  .help = "Show the command's arguments also in a file or pipe, where otherwise only the "
		  "program and the names of its options are shown, and \u2026 for the rest; text "
		  "on a terminal has them" },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_WHERE,
	  .help = "Show only faults that meet all conditions: FIELD=VALUE[|VALUE...][,...], see "
		  "below; may be repeated" },
	{ .shared = OPTION_FROM },
	{ .shared = OPTION_UNTIL },
	{ .shared = OPTION_PROGRAM },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_FORCE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static bool is_format(const struct analyze_arguments *arguments, const char *name)
{
	return strcmp(exporter_at(EXPORT_ANSWER, arguments->shared.format)->name, name) == 0;
}

static enum export_what what_of(const struct analyze_arguments *arguments)
{
	if (arguments->timeline)
		return EXPORT_TIMELINE;
	if (arguments->initializers)
		return EXPORT_INITIALIZERS;
	if (arguments->io)
		return arguments->by.count > 0 ? EXPORT_COUNTS : EXPORT_IO;
	if (arguments->bindings)
		return EXPORT_BINDINGS;
	if (arguments->is_detail && is_format(arguments, "text"))
		return EXPORT_DETAIL;
	return arguments->by.count > 0 ? EXPORT_COUNTS : EXPORT_ANSWER;
}

/** Is the answer one screen? What asks for a part of it, or for more, gets that part in full. */
static bool is_screen(const struct analyze_arguments *arguments, const struct model *model)
{
	return what_of(arguments) == EXPORT_ANSWER && is_format(arguments, "text") &&
	       !arguments->full && !model->is_narrowed && !model->filter && !option_is_given("top");
}

/** Faults and operations have different fields. */
static void check_field(const struct field *field)
{
	if (given.io && !field->is_of_io)
		option_misuse("operations of storage have no %s", field->name);
	if (!given.io && field->is_only_of_io)
		option_misuse("%s is a field of operations of storage: add --io", field->name);
}

/**
 * The formats of the whole answer are offered; what else can be asked for may lack some, and
 * operations some fields.
 */
static void check_format(void)
{
	const char *format = exporter_at(EXPORT_ANSWER, given.shared.format)->name;
	const struct field *field;

	if (!exporter_named(what_of(&given), format))
		option_misuse("%s does not support --format %s; use json or csv",
			      given.initializers ? "--initializers" : "--by", format);
	for (size_t i = 0; (field = filter_field(option_filter(), i)); i++)
		check_field(field);
	for (size_t i = 0; i < given.by.count; i++)
		check_field(given.by.items[i]);
}

#define LINE(id, word, meaning, ...) "  " word ": " meaning "\n"
#define INITIATOR_LINES		     INITIATOR_WORDS(LINE)

/**
 * Describe where the text goes. A screen is laid out for a pipe as well; other text only cuts
 * names.
 */
static struct terminal terminal_of(const struct analyze_arguments *arguments, bool is_screen)
{
	struct terminal terminal = terminal_detect(stdout, arguments->shared.color);

	if (arguments->wide)
		terminal.width = 0;
	else if (is_screen)
		terminal.width = terminal_columns(stdout);
	else if (what_of(arguments) != EXPORT_COUNTS) // its names are for --where
		terminal.name_columns = PIPE_NAME_COLUMNS;
	return terminal;
}

static bool write_answer(const struct analyze_arguments *arguments, const struct model *model,
			 const struct exporter *exporter)
{
	const struct option_values *shared = &arguments->shared;
	const bool screen = is_screen(arguments, model);
	const struct terminal terminal = terminal_of(arguments, screen);
	CLEANUP(pivot_destroyp) struct pivot *pivot = NULL;
	struct export_subject subject = { .model = model };
	struct export_options options = {
		.terminal = terminal,
		.text = { .terminal = terminal,
			  .top = shared->top,
			  .hide_specks = !option_is_given("top") },
		.initializers = { .terminal = terminal,
				  .top = option_is_given("top") ? shared->top : 0,
				  .all = arguments->all_initializers,
				  .sort = arguments->sort },
		.picture = { .full_paths = true },
		.faults = arguments->faults || arguments->has_fault,
		.stack_ids = option_is_given("stacks"),
	};

	if (arguments->io && !model->ios) {
		message_print("%s: storage was not recorded", model_trace_file(&model->trace));
		return false;
	}
	if (arguments->is_detail && model->fault_count == 0 && model->listing_count == 0) {
		message_print("%s: no fault%s of the trace, which has %llu", model->filter,
			      arguments->has_function ? " and no sample" : "",
			      (unsigned long long)model->counts.recorded);
		return false;
	}
	if (exporter->what == EXPORT_TIMELINE &&
	    !answer_choose_object(model, arguments->object, &options.picture.object))
		return false;
	if (exporter->what == EXPORT_COUNTS) {
		pivot = arguments->io ? pivot_create_io(model, &arguments->by)
				      : pivot_create(model, &arguments->by);
		subject.pivot = pivot;
	}
	if (screen)
		exporter = exporter_named(EXPORT_SCREEN, "text");
	return answer_print(exporter, &subject, &options);
}

/** The needs of @exporter; one screen shows no finding whole, and has no room for what is dear. */
static unsigned needs_of(const struct analyze_arguments *arguments, const struct exporter *exporter)
{
	unsigned needs = exporter->needs | (arguments->faults ? NEED_CODES | NEED_IO : 0) |
			 (arguments->io ? NEED_IO : 0);

	if (arguments->has_function &&
	    (is_format(arguments, "text") || is_format(arguments, "json")))
		needs |= NEED_LISTINGS | NEED_MOMENTS;
	if (arguments->full || is_format(arguments, "json"))
		needs |= NEED_WHOLE_LISTINGS;
	if (exporter->what == EXPORT_ANSWER && is_format(arguments, "text") && !arguments->full &&
	    !option_is_given("top") && arguments->names.count <= 1)
		needs &= ~(unsigned)NEED_OWNERS;
	return needs;
}

/** Everything after the command line; true if the exit status is 0. */
static bool analyze(const struct analyze_arguments *arguments)
{
	const struct exporter *exporter = exporter_named(
		what_of(arguments), exporter_at(EXPORT_ANSWER, arguments->shared.format)->name);
	const unsigned needs = needs_of(arguments, exporter);
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("analyze", arguments->names.items, arguments->names.count,
			 &arguments->shared, needs, &model) ||
	    !write_answer(arguments, model, exporter))
		return false;
	// The whole answer tells of the set itself.
	if (exporter->what != EXPORT_ANSWER ||
	    (!is_format(arguments, "text") && !is_format(arguments, "json")))
		answer_hint_set(model);
	// For a person.
	if (exporter->what == EXPORT_ANSWER && is_format(arguments, "text"))
		answer_hint_names(model, &arguments->shared);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

static bool run(void)
{
	// Who typed the command may see it; what is kept or sent on may not have it.
	given.shared.shown.arguments |= is_format(&given, "text") && isatty(STDOUT_FILENO);
	message_ignore_sigpipe();
	return analyze(&given);
}

const struct command command_analyze = {
	.name = "analyze",
	.summary = "show where the time of a start went, which byte each fault touched, and why",
	.options = options,
	.operands = OPTION_OBJECTS(&given.names),
	.values = &given.shared,
	.check = check_format,
	.doc = "Show where the time of a recorded start went, on one screen: which files and "
	       "causes, and what to change. With --full: which byte of which file each page fault "
	       "touched, and which function touched it. TRACE is the last argument, or the only "
	       "one that is a trace "
	       "(default: " DEFAULT_TRACE
	       "), or a directory of repeats: medians of its runs, then the run nearest to them; "
	       "an OBJECT (path, file name or soname) narrows the answer "
	       "to that file."
	       "\v--where selects faults and --by counts them by these fields: "
	       "kind, access, mode, mechanism, initiator, certainty, dlopen, read, step; "
	       "object, section, segment, symbol, symbol_kind (what was touched: \"at\" in "
	       "JSON); function, by_object, by_section (who touched it: \"by\" in JSON); "
	       "blame (the first function outside libc, libstdc++ and ld.so), initializer (the "
	       "initializer that ran), init_object (its file), comm, pid, tid; mark (of record "
	       "--until and --mark, the last that held before the fault). "
	       "With --io they are object, section, what is known of code (function, initiator, "
	       "comm and the like) and cause, call, direction. "
	       "FIELD!=VALUE excludes values. * and ? match as in the shell; inside quotation "
	       "marks or after a backslash every character is literal, including commas: "
	       "'symbol=\"foo(int, char*)\"'. null matches a missing value. An object matches by "
	       "path, file name or soname; an initializer by function (demangled or not), label "
	       "(\"globals of foo.cc\") or place "
	       "(.init_array[3]).\n\nInitiators:\n" INITIATOR_LINES "\nExamples:\n"
	       "  elfault analyze\n"
	       "  elfault analyze elfault.repeats\n"
	       "  elfault analyze --full firefox.trace | less\n"
	       "  elfault analyze libxul.so firefox.trace --top 30\n"
	       "  elfault analyze --initializers libxul.so firefox.trace\n"
	       "  elfault analyze --function main firefox.trace\n"
	       "  elfault analyze --fault 17 --wide firefox.trace\n"
	       "  elfault analyze --io --where cause=fault libxul.so firefox.trace\n"
	       "  elfault analyze --io --by function,cause firefox.trace\n"
	       "  elfault analyze --timeline --object libxul.so firefox.trace\n"
	       "  elfault analyze --format json elfault.trace | jq '.objects[0].by_section'\n"
	       "  elfault analyze --where 'initiator=static-init,section=.bss|.data'\n"
	       "  elfault analyze --by initiator,section --where object=libxul.so firefox.trace\n"
	       "  elfault analyze --format csv libc.so.6 elfault.trace > faults.csv\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
