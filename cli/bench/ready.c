// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/ready.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "cli/answer/answer.h"
#include "cli/bench/folder.h"
#include "cli/bench/starts.h"
#include "cli/bench/watched.h"
#include "cli/message.h"
#include "model/account.h"
#include "model/waits.h"

#include <signal.h>
#include <unistd.h>

enum { SIGNALLED = 128 };

/**
 * How long those waited for a processor whom the condition waited for, in @since_ns at most. A path
 * has as recording only what they waited for the recorder's.
 */
static uint64_t late_of(const struct model_critical *critical, uint64_t since_ns)
{
	uint64_t late_ns = 0;

	for (size_t i = 0; critical && i < critical->part_count; i++)
		late_ns += critical->parts[i].times.ns[MODEL_STATE_RUNNABLE] +
			   critical->parts[i].times.ns[MODEL_STATE_RECORDING];
	return late_ns < since_ns ? late_ns : since_ns;
}

static bool read_trace(const char *trace, const struct option_values *shared,
		       struct watched *watched)
{
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("bench", &trace, 1, shared, 0, &model))
		return false;
	if (model->account) {
		const uint64_t *ns = model->account->all.ns;

		watched->processor_ns = ns[MODEL_STATE_CPU] + ns[MODEL_STATE_FAULT];
		watched->late_ns = late_of(model->account->critical, watched->since_ns);
	}
	watched->minor = model->counts.minor;
	watched->major = model->counts.major;
	return true;
}

int starts_until(const struct starts_plan *plan, size_t command, struct bench_start *ret_start)
{
	const struct record_options *options = &plan->commands[command];
	struct watched watched;
	const bool is_run =
		watched_run(options, plan->until, plan->folder, read_trace, plan->shared, &watched);

	*ret_start = (struct bench_start){ 0 };
	if (watched.is_interrupted)
		return SIGNALLED + SIGINT;
	if (!is_run || !watched.is_recorded) {
		message_print_lines(watched.err.message);
		return watched.exit_status == 126 || watched.exit_status == 127
			       ? watched.exit_status
			       : RECORDED_FAILED;
	}
	if (watched.signal)
		return SIGNALLED + watched.signal;
	if (watched.is_missed) {
		CLEANUP(arena_deinit) struct arena arena = { 0 };

		message_print("%s: no condition of --until held before it ended (exit status %d); "
			      "--show-output shows what it says",
			      homepath_shortened(&arena, options->command[0]), watched.exit_status);
		return RECORDED_NEVER_HELD;
	}
	ret_start->values[BENCH_WALL] = watched.since_ns;
	ret_start->values[BENCH_LATE] = watched.late_ns;
	ret_start->values[BENCH_OWN] = watched.since_ns - watched.late_ns;
	ret_start->values[BENCH_PROCESSOR] = watched.processor_ns;
	ret_start->values[BENCH_MINOR] = watched.minor;
	ret_start->values[BENCH_MAJOR] = watched.major;
	return watched.is_read ? 0 : RECORDED_FAILED;
}

bool ready_run(const struct record_options *options, struct record_usage *ret_usage,
	       int *ret_status, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *folder = folder_make(&arena);
	struct watched watched;

	*ret_status = RECORDED_FAILED;
	if (!folder)
		return err_set(err, ERR_OS, "%s: its start has no folder to be recorded in",
			       options->command[0]);
	const struct option_values shared = { 0 };
	const bool is_run =
		watched_run(options, options->until, folder, read_trace, &shared, &watched);

	rmdir(folder);
	if (watched.is_interrupted)
		raise(SIGINT);
	if (!is_run || !watched.is_recorded) {
		*err = watched.err;
		return false;
	}
	*ret_usage = watched.usage;
	ret_usage->wall_ns = watched.since_ns;
	ret_usage->late_ns = watched.late_ns;
	ret_usage->minor = watched.faults;
	ret_usage->major = 0;
	// The first is what is waited for; others limit how long. As wait4() gives it.
	*ret_status = (watched.is_first ? 0 : RECORDED_NEVER_HELD) << 8;
	return true;
}
