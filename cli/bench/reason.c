// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/reason.h"

#include "advice/findings.h"
#include "base/cleanup.h"
#include "cli/answer/answer.h"
#include "cli/bench/folder.h"
#include "cli/recording/recorded.h"
#include "cli/recording/repeat.h"
#include "cli/version.h"
#include "compare/compare.h"
#include "model/account.h"
#include "model/needs.h"

#include <stdio.h>
#include <unistd.h>

enum { SIGNALLED = 128 };

/** Recordings under way. */
struct recordings {
	struct bench *bench;
	const struct reason_request *request;
	const char *folder;
	struct arena arena;
};

static const char *const names[] = { "A", "B", NULL };

/** The folder of the recordings of @command: FOLDER/A, FOLDER/B. */
static const char *folder_of(struct recordings *recordings, size_t command)
{
	return arena_printf(&recordings->arena, "%s/%c", recordings->folder, (char)('A' + command));
}

static const char *trace_of(struct recordings *recordings, size_t command, size_t run)
{
	return arena_printf(&recordings->arena, "%s/%zu.trace", folder_of(recordings, command),
			    run);
}

/** Record one start. Returns the status of repeat_run(). */
static int record_one(struct recordings *recordings, size_t command, size_t run)
{
	const struct starts_plan *plan = recordings->request->plan;
	const struct record_options *options = &plan->commands[command];
	const struct repeat repeat = {
		.options = {
			RECORDED_DEFAULTS,
			.command = options->command,
			.as_root = options->as_root,
			.is_silent = options->is_silent,
			.cold = options->cold,
			.files = options->files,
			.until = plan->until,
			.producer = version_line,
		},
		.folder = folder_of(recordings, command),
		.count = recordings->request->count,
		.only = run,
		.quiet = true,
	};

	const int status = starts_prepare(plan, command);

	return status == 0 ? repeat_run(&repeat) : status;
}

/** In turn, as the plain starts. Returns false if one failed; *@ret_is_ended: by a signal. */
static bool record_all(struct recordings *recordings, bool *ret_is_ended)
{
	size_t commands = recordings->bench->command_count;

	*ret_is_ended = false;
	for (size_t run = 1; run <= recordings->request->count; run++)
		for (size_t i = 0; i < commands; i++) {
			size_t command = run % 2 == 1 ? i : commands - 1 - i;
			int status = record_one(recordings, command, run);

			// A status may be the command's own: plain starts have judged it.
			if (access(trace_of(recordings, command, run), F_OK) == 0)
				continue;
			*ret_is_ended = status > SIGNALLED;
			return false;
		}
	return true;
}

static bool read_trace(const struct reason_request *request, const char *path, unsigned needs,
		       struct model **ret_model)
{
	return answer_find("bench", &path, 1, request->shared, needs, ret_model);
}

static bool explain_difference(struct recordings *recordings)
{
	const struct reason_request *request = recordings->request;
	const size_t run_count[COMPARE_SIDES] = { request->count, request->count };
	const unsigned needs = exporter_at(EXPORT_DIFF, 0)->needs;
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(run_count, NULL, 0);

	compare_allow_guesses(compare);
	for (int side = 0; side < COMPARE_SIDES; side++)
		for (size_t run = 1; run <= request->count; run++) {
			CLEANUP(model_closep) struct model *model = NULL;

			if (!read_trace(request, trace_of(recordings, (size_t)side, run), needs,
					&model))
				return false;
			compare_add(compare, (enum compare_side)side, model);
		}
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	changes_find(comparison);
	bench_explain(recordings->bench, comparison);
	return true;
}

/** Of the recording that is nearest to their median. */
static bool divide_start(struct recordings *recordings)
{
	CLEANUP(model_closep) struct model *model = NULL;

	if (!read_trace(recordings->request, folder_of(recordings, 0), NEED_TABLES, &model))
		return false;
	if (model->account)
		bench_divide(recordings->bench, model->account);
	return true;
}

bool reason_find(struct bench *bench, const struct reason_request *request)
{
	struct recordings recordings = { .bench = bench, .request = request };
	bool is_ended = false;

	recordings.folder = folder_make(&recordings.arena);
	bool is_recorded = recordings.folder && record_all(&recordings, &is_ended);
	bool is_read = is_recorded &&
		       (bench->command_count == BENCH_COMMANDS ? explain_difference(&recordings)
							       : divide_start(&recordings));

	bench->recorded = is_recorded ? request->count : 0;
	if (!is_recorded)
		bench->no_reason = "the starts could not be recorded";
	else if (!is_read)
		bench->no_reason = "the recordings could not be read";
	folder_remove(recordings.folder, names, request->count);
	arena_deinit(&recordings.arena);
	return !is_ended;
}
