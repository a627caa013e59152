// SPDX-License-Identifier: Apache-2.0
// `elfault check TRACE --budget FILE`: checks a trace, or repeats, against limits.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "budget/budget.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/output.h"
#include "cli/answer/traceset.h"
#include "model/missing.h"
#include "render/budget/budget.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_BROKEN = 3 };

struct check_arguments {
	struct option_words words; // each a trace, or a directory of traces
	const char *budget;
	const char *baseline; // NULL: the budget's own
	bool update;
	bool allow_incomplete;
	struct option_values shared;
};

static struct check_arguments given;

static const struct option_row options[] = {
	{ "budget", .argument = "FILE", .text = &given.budget,
	  .missing = ", a file with one limit per line; to begin with, echo 'faults <= 4000' "
		     ">app.budget and check --budget app.budget: what exceeds it is shown",
	  .help = "File of limits, one per line; see below" },
	{ "baseline", .argument = "FILE", .text = &given.baseline,
	  .help = "Baseline that limits refer to (default: the budget's name followed by "
		  ".baseline)" },
	{ "update", .flag = &given.update,
	  .help = "Write the baseline from these traces and show what changed; check no limits" },
	{ "allow-incomplete", .flag = &given.allow_incomplete,
	  .help = "Accept traces that lack faults, such as those of setuid programs: what was "
		  "recorded decides" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_CHECK), .excludes = { { "update" } } },
	{ .shared = OPTION_TOP, .help = "Contributors per table (default 10), 0: all" },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_FROM, .excludes = { { "update", "a baseline is of whole runs" } } },
	{ .shared = OPTION_UNTIL, .excludes = { { "update", "a baseline is of whole runs" } } },
	{ .shared = OPTION_PROGRAM,
	  .help = "Hold the limits of wall against this program, by its name or process id "
		  "(default: the one that the command's end waited for most)" },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED,
	  .help = "Accept incomplete traces and lost events: what was recorded decides" },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

/** The traces and what to check them against. */
struct check {
	const struct check_arguments *arguments;
	struct traceset traces;
	struct budget *budget;
	struct strbuf baseline_path;
	struct budget_measures *baseline; // NULL: none
	struct budget_measures *measures;
};

static void check_deinit(struct check *check)
{
	traceset_deinit(&check->traces);
	budget_close(check->budget);
	strbuf_deinit(&check->baseline_path);
	budget_measures_close(check->baseline);
	budget_measures_close(check->measures);
}

static bool find_traces(struct check *check)
{
	const struct check_arguments *arguments = check->arguments;

	return traceset_add_all(&check->traces, arguments->words.items, arguments->words.count);
}

/** The baseline does not exist: an error only if a limit needs it. */
static bool may_be_missing(const struct check *check)
{
	const struct check_arguments *arguments = check->arguments;
	const struct budget_limit *limit = check->budget->limits.items;
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	if (arguments->update || (!check->budget->needs_baseline && !arguments->baseline))
		return true;
	while (check->budget->needs_baseline && !limit->is_of_baseline)
		limit++;
	strbuf_printf(&line, "%s:%u:%u: ", arguments->budget, limit->line,
		      limit->is_of_baseline ? limit->baseline_column : 1);
	strbuf_printf(&line,
		      "baseline %s does not exist; create it from a run that meets the limits:",
		      strbuf_text(&check->baseline_path));
	strbuf_printf(&line, " elfault check --update --budget %s", arguments->budget);
	if (arguments->baseline)
		strbuf_printf(&line, " --baseline %s", arguments->baseline);
	for (size_t i = 0; i < arguments->words.count; i++)
		strbuf_printf(&line, " %s", arguments->words.items[i]);
	message_print("%s", strbuf_text(&line));
	return false;
}

static bool read_baseline(struct check *check)
{
	const struct check_arguments *arguments = check->arguments;
	struct strbuf *path = &check->baseline_path;
	struct err err = { 0 };

	if (arguments->baseline)
		strbuf_puts(path, arguments->baseline);
	else
		strbuf_printf(path, "%s.baseline", arguments->budget);
	if (budget_baseline_read(strbuf_text(path), &check->baseline, &err))
		return true;
	if (err.code == ERR_OS && err.os_errno == ENOENT)
		return may_be_missing(check);
	// --update replaces a baseline that cannot be read.
	return message_fail(&err) || (arguments->update && err.code == ERR_INPUT);
}

/** Whether no fault is missing from @model, or that is accepted; prints a message if not. */
static bool has_all_faults(const struct check_arguments *arguments, const struct model *model)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct missing missing = model_missing(&model->counts);

	if (missing.total == 0 || arguments->allow_incomplete ||
	    (missing.total == missing.lost && arguments->shared.allow_truncated))
		return true;
	message_print("%s: incomplete: %s; --allow-incomplete accepts it",
		      model_trace_file(&model->trace), model_missing_text(&missing, &arena));
	return false;
}

/** Measure every trace, one model in memory at a time. */
static bool measure(struct check *check, bool *ret_complete)
{
	const struct check_arguments *arguments = check->arguments;
	const unsigned needs = exporter_at(EXPORT_CHECK, arguments->shared.format)->needs;
	bool other_builds = arguments->update || check->baseline;
	CLEANUP(budget_meter_destroyp)
	struct budget_meter *meter = budget_meter_create(check->budget, other_builds);

	*ret_complete = true;
	vec_foreach (path, &check->traces.paths) {
		CLEANUP(model_closep) struct model *model = NULL;

		if (!answer_find("check", path, 1, &arguments->shared, needs, &model))
			return false;
		budget_meter_add(meter, model);
		*ret_complete = answer_is_complete(model, arguments->shared.allow_truncated) &&
				has_all_faults(arguments, model) && *ret_complete;
	}
	check->measures = budget_meter_finish(meter);
	return true;
}

/** Whether limits are decided by what was recorded, whatever is missing. */
static bool accepts_losses(const struct check_arguments *arguments)
{
	return arguments->allow_incomplete || arguments->shared.allow_truncated;
}

// ---- Writing a baseline ---------------------------------------------------------------------

/** A value that is missing or incomplete must not become the baseline. */
static bool may_be_baseline(const struct check *check)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	array_foreach (measure, check->measures->list, check->measures->count) {
		bool is_lost = measure->lost > 0 && !accepts_losses(check->arguments);

		if (!measure->failure && !is_lost)
			continue;
		strbuf_printf(&line,
			      "%s: baseline not written: %s: ", strbuf_text(&check->baseline_path),
			      measure->subject);
		if (measure->failure)
			strbuf_puts(&line, measure->failure);
		else
			strbuf_printf(&line,
				      "%.0f events are missing from the recording; record again, "
				      "or accept that with --allow-incomplete",
				      measure->lost);
		message_print("%s", strbuf_text(&line));
		return false;
	}
	return true;
}

static int update(struct check *check, bool is_complete)
{
	const char *path = strbuf_text(&check->baseline_path);
	struct output output;
	struct err err = { 0 };

	if (!is_complete || !may_be_baseline(check) || !output_start(&output, path))
		return 1;
	bool ok = render_baseline_json(check->measures, output.file) || err_os(&err, "writing");
	if (!output_finish(&output, ok, &err))
		return 1;
	return message_output(
		       render_baseline_changes(check->measures, check->baseline, path, stdout))
		       ? 0
		       : 1;
}

// ---- Checking limits ------------------------------------------------------------------------

static bool print(const struct check *check, const struct budget_answer *answer)
{
	const struct option_values *shared = &check->arguments->shared;
	const struct export_options options = {
		.budget = {
			.terminal = terminal_detect(stdout, shared->color),
			.baseline = check->baseline ? strbuf_text(&check->baseline_path) : NULL,
			.top = shared->top,
		},
	};

	return answer_print(exporter_at(EXPORT_CHECK, shared->format),
			    &(struct export_subject){ .verdict = answer }, &options);
}

static int judge(const struct check *check, bool is_complete)
{
	CLEANUP(budget_answer_closep)
	struct budget_answer *answer =
		budget_judge(check->budget, check->measures, check->baseline);
	bool is_sure = answer->counts[BUDGET_UNSURE] == 0 || accepts_losses(check->arguments);

	if (!print(check, answer))
		return 1;
	if (answer->counts[BUDGET_BROKEN] > 0)
		return STATUS_BROKEN;
	return is_sure && is_complete && answer->counts[BUDGET_UNMEASURED] == 0 ? 0 : 1;
}

static int run_check(struct check *check)
{
	struct err err = { 0 };
	bool is_complete;

	// The traces come first: root's rights are given up with them.
	if (!find_traces(check) ||
	    !(budget_read(check->arguments->budget, &check->budget, &err) || message_fail(&err)) ||
	    !read_baseline(check) || !measure(check, &is_complete))
		return 1;
	return check->arguments->update ? update(check, is_complete) : judge(check, is_complete);
}

static int run(void)
{
	CLEANUP(check_deinit) struct check check = { .arguments = &given };

	message_ignore_sigpipe();
	return run_check(&check);
}

const struct command command_check = {
	.name = "check",
	.summary = "check a trace, or repeats, against limits, for CI",
	.options = options,
	.operands = { .usage = "[TRACE...]", .many = &given.words, .usual = DEFAULT_TRACE },
	.values = &given.shared,
	.doc = "Check a trace against a budget: limits on what a start may cost, for CI. Several "
	       "traces, or the directory that `elfault record --repeat` writes, are repeats: "
	       "their median counts. For each exceeded limit, show the top contributors and, if "
	       "there is a baseline, what changed. (TRACE: default " DEFAULT_TRACE ".)"
	       "\vA limit is METRIC{CONDITIONS} OPERATOR VALUE; # starts a comment.\n"
	       "  METRIC      faults, major, minor, pages, duration, read;\n"
	       "              relocations, initializers, size: of the mapped files;\n"
	       "              wall, time: by state and initiator; read_bytes: from storage;\n"
	       "              until{mark=NAME}: from the exec to a mark of record\n"
	       "  CONDITIONS  as in --where of `elfault analyze`; optional\n"
	       "  OPERATOR    <=, <, >=, > or ==\n"
	       "  VALUE       a number or baseline; times need a unit: ns, us, ms or s;\n"
	       "              bytes may have one: B, KiB, MiB or GiB. Optional:\n"
	       "              + or - and a number or share to add; then ± or +- and a\n"
	       "              number or share as tolerance\n\n"
	       "  faults <= 4000\n"
	       "  faults{object=libfoo.so, initiator=static-init} <= 40 ± 5 %\n"
	       "  faults{initiator=relocation} <= baseline + 2 %\n"
	       "  initializers{object=app} <= baseline\n"
	       "  size{object=libfoo.so, section=.data.rel.ro} <= 64 KiB\n"
	       "  time{state=cpu|fault, initiator=relocation} <= baseline + 10 %\n"
	       "  read_bytes{initiator=static-init} <= 2 MiB\n"
	       "  until{mark=listen} <= 300 ms\n\n"
	       "Examples:\n"
	       "  elfault record --backend perf --repeat 5 -o runs -- ./app --version\n"
	       "  elfault check --update --budget app.budget runs\n"
	       "  elfault check --budget app.budget runs\n"
	       "  elfault check --budget app.budget --format junit runs > budget.xml\n\n"
	       "See docs/budget.md for the language, docs/ci.md for examples with GitHub and "
	       "GitLab.\n\n"
	       "Exit status: 0 every limit is met, 3 one is exceeded; 1 a trace, the budget or "
	       "the baseline cannot be read, a trace lacks faults, or a limit cannot be decided; "
	       "2 misuse.",
	.run_status = run,
};
