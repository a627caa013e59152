// SPDX-License-Identifier: Apache-2.0
// Starts until a condition: recorded as lightly as can be, since only the kernel sees conditions.
// Each by a process of its own, as a recorder gives up its rights before it reads the trace.
#include "cli/bench/starts.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/recording/recorded.h"
#include "cli/version.h"
#include "model/account.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALLED = 128 };

/** The outcome that the recording process reports, in shared memory. */
struct report {
	int status; // with which to end; 0: start is set
	struct bench_start start;
};

/** Take what the trace has of the time until the condition. Returns false if it cannot be read. */
static bool read_trace(const struct starts_plan *plan, const char *trace, struct bench_start *start)
{
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("bench", &trace, 1, plan->shared, 0, &model))
		return false;
	if (model->account) {
		const uint64_t *ns = model->account->all.ns;

		start->values[BENCH_PROCESSOR] = ns[MODEL_STATE_CPU] + ns[MODEL_STATE_FAULT];
	}
	start->values[BENCH_MINOR] = model->counts.minor;
	start->values[BENCH_MAJOR] = model->counts.major;
	return true;
}

/** Record @command until it has come so far. Returns the exit status with which to end. */
static int measure(const struct starts_plan *plan, size_t command, const char *trace,
		   struct bench_start *start)
{
	const struct record_options options = {
		.command = plan->commands[command].command,
		.as_root = plan->commands[command].as_root,
		.is_silent = plan->commands[command].is_silent,
		.output = trace,
		.backend = RECORD_BACKEND_AUTO,
		.no_storage = true,
		.no_embed = true,
		.until = plan->until,
		.producer = version_line,
	};
	struct record_result result;
	struct err err = { 0 };
	const bool done = record_run(&options, &result, &err);
	int status = result.exit_status;

	notes_deinit(&result.notes);
	if (!done) {
		message_print_lines(err.message);
		return status == 126 || status == 127 ? status : RECORDED_FAILED;
	}
	if (result.signal)
		return SIGNALLED + result.signal;
	if (result.ending.is_missed) {
		CLEANUP(arena_deinit) struct arena arena = { 0 };

		message_print("%s: no condition of --until held before it ended (exit status %d); "
			      "--show-output shows what it says",
			      homepath_shortened(&arena, options.command[0]), status);
		return RECORDED_NEVER_HELD;
	}
	start->values[BENCH_WALL] = result.ending.since_ns;
	return read_trace(plan, trace, start) ? 0 : RECORDED_FAILED;
}

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
	(void)number;
	is_interrupted = true;
}

int starts_until(const struct starts_plan *plan, size_t command, struct bench_start *ret_start)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct report *report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *trace = arena_printf(&arena, "%s/start.trace", plan->folder);

	if (report == MAP_FAILED) {
		message_print("mmap: %s", strerror(errno));
		return RECORDED_FAILED;
	}
	*report = (struct report){ .status = RECORDED_FAILED };

	// Ctrl-C reaches the recorder as well, and the command. What they make of it is waited for.
	void (*interrupt)(int) = signal(SIGINT, note_interrupt);
	const pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, interrupt);
		report->status = measure(plan, command, trace, &report->start);
		unlink(trace);
		_exit(0);
	}
	if (pid < 0)
		message_print("cannot start a process: %s", strerror(errno));
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, interrupt);
	const int status = is_interrupted ? SIGNALLED + SIGINT : report->status;

	*ret_start = report->start;
	munmap(report, sizeof(*report));
	return status;
}
