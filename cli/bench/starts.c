// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/starts.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/homepath.h"
#include "base/vec.h"
#include "base/waitstatus.h"
#include "cli/bench/ready.h"
#include "cli/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

enum { ALONE_ROUNDS = 10, ROUNDS_MOST = 1000 };

static const uint64_t alone_ns = 3000000000; // as hyperfine has both
static const uint64_t limit_ns = 30000000000;

/** Starts under way. */
struct starts {
	const struct starts_plan *plan;
	struct notes stayed[BENCH_COMMANDS]; // in memory before the last cold start
	VEC(struct bench_start) of[BENCH_COMMANDS];
	uint64_t seq, begin_ns, shown_ns;
	size_t look;	// bench_has_enough()
	bool is_turned; // the round that is on begins with the last command
};

int starts_prepare(const struct starts_plan *plan, size_t command)
{
	if (plan->prepare_count == 0)
		return 0;
	char *text = plan->prepare[plan->prepare_count == 1 ? 0 : command];
	char *words[] = { "/bin/sh", "-c", text, NULL };
	const struct record_options options = {
		.command = words,
		.as_root = plan->commands[command].as_root,
		.is_silent = plan->commands[command].is_silent,
	};
	struct record_usage usage;
	struct err err = { 0 };
	int status;

	if (!record_plain(&options, &usage, &status, &err)) {
		message_print("%s", err.message);
		return status;
	}
	status = waitstatus_shell(status);
	if (status != 0)
		message_print("--prepare: exit status %d; --show-output shows what it says",
			      status);
	return status;
}

/** Run @command to its end. Returns the exit status with which to end, or 0. */
static int run_whole(const struct starts_plan *plan, size_t command, struct bench_start *ret_start)
{
	const struct record_options *options = &plan->commands[command];
	struct record_usage usage;
	struct err err = { 0 };
	int wait_status;

	if (!(options->until ? ready_run : record_plain)(options, &usage, &wait_status, &err)) {
		message_print("%s", err.message);
		return wait_status ?: 125;
	}
	*ret_start = (struct bench_start){
		.values = {
			[BENCH_OWN] = usage.wall_ns - usage.late_ns,
			[BENCH_WALL] = usage.wall_ns,
			[BENCH_PROCESSOR] = usage.user_ns + usage.system_ns,
			[BENCH_USER] = usage.user_ns,
			[BENCH_SYSTEM] = usage.system_ns,
			[BENCH_LATE] = usage.late_ns,
			[BENCH_MINOR] = usage.minor,
			[BENCH_MAJOR] = usage.major,
		},
		.status = waitstatus_shell(wait_status),
		.is_whole = true,
	};
	if (ret_start->status == 0 || plan->ignore_failure)
		return 0;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	message_print("%s: exit status %d; --ignore-failure goes on all the same, --show-output "
		      "shows what it says",
		      homepath_shortened(&arena, options->command[0]), (int)ret_start->status);
	return (int)ret_start->status;
}

/** Start @command once. Returns the exit status with which to end, or 0. */
static int start(struct starts *starts, size_t command, struct bench_start *ret_start)
{
	const struct starts_plan *plan = starts->plan;
	const struct record_options *options = &plan->commands[command];
	int status = starts_prepare(plan, command);

	if (status != 0)
		return status;
	if (options->cold == RECORD_COLD_FILES) {
		notes_deinit(&starts->stayed[command]);
		record_files_drop(options->files, options->as_root, &starts->stayed[command]);
	}
	status = plan->until ? starts_until(plan, command, ret_start)
			     : run_whole(plan, command, ret_start);
	ret_start->seq = starts->seq;
	return status;
}

/**
 * Decide who begins @round: by chance, and in the next one the others. Nothing that comes and goes
 * while commands are started can go with one of them then, whatever its rhythm.
 */
static void turn(struct starts *starts, size_t round)
{
	unsigned char byte = 0;

	if (round % 2 == 1) {
		starts->is_turned = !starts->is_turned;
		return;
	}
	if (getrandom(&byte, 1, 0) == 1)
		starts->is_turned = byte & 1;
}

/** Start each command once. */
static int one_round(struct starts *starts, size_t round, bool is_counted)
{
	size_t count = starts->plan->command_count;

	turn(starts, round);
	for (size_t i = 0; i < count; i++) {
		size_t command = starts->is_turned ? count - 1 - i : i;
		struct bench_start result;
		int status = start(starts, command, &result);

		if (status != 0)
			return status;
		if (!is_counted)
			continue;
		vec_push(&starts->of[command], result);
		starts->seq++;
	}
	return 0;
}

/** Decide by the plan, or else by the starts so far, if @rounds are enough. */
static bool is_enough(struct starts *starts, size_t rounds)
{
	const struct bench_start *const sides[] = { starts->of[0].items, starts->of[1].items };
	const struct starts_plan *plan = starts->plan;
	uint64_t elapsed_ns = clock_now_ns() - starts->begin_ns;

	if (rounds == ROUNDS_MOST)
		return true;
	if (plan->runs > 0)
		return rounds == plan->runs;
	if (plan->command_count == 1)
		return rounds >= ALONE_ROUNDS && elapsed_ns >= alone_ns;
	return bench_has_enough(sides, rounds, elapsed_ns, limit_ns, &starts->look);
}

/** Show how far it is, not more often than can be read. */
static void show_progress(struct starts *starts, size_t rounds)
{
	enum { STEP_NS = 200000000 };
	const uint64_t now_ns = clock_now_ns();

	if (!starts->plan->shows_progress || now_ns - starts->shown_ns < STEP_NS)
		return;
	starts->shown_ns = now_ns;
	fprintf(stderr, "\r%zu start%s%s in %" PRIu64 " s\033[K", rounds, rounds == 1 ? "" : "s",
		starts->plan->command_count > 1 ? " of each" : "",
		(now_ns - starts->begin_ns) / 1000000000);
}

static void hide_progress(const struct starts *starts)
{
	if (starts->shown_ns > 0)
		fputs("\r\033[K", stderr);
}

int starts_run(const struct starts_plan *plan, struct arena *arena, struct notes *notes,
	       const struct bench_start *ret_starts[BENCH_COMMANDS], size_t *ret_count)
{
	struct starts starts = { .plan = plan, .look = bench_next_look(0) };
	int status = 0;

	for (size_t round = 0; status == 0 && round < plan->warmups; round++)
		status = one_round(&starts, round, false);
	starts.begin_ns = clock_now_ns();
	*ret_count = 0;
	while (status == 0 && !is_enough(&starts, *ret_count)) {
		status = one_round(&starts, *ret_count, true);
		*ret_count += status == 0;
		show_progress(&starts, *ret_count);
	}
	hide_progress(&starts);
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		notes_merge(notes, &starts.stayed[i]);
		notes_deinit(&starts.stayed[i]);
		ret_starts[i] = vec_keep(&starts.of[i], arena);
	}
	return status;
}
