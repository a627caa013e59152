// SPDX-License-Identifier: Apache-2.0
// Each run is recorded by a process of its own: a recorder gives up its privilege for good before
// it unwinds. This process only starts the recorders and adds up; it reads no file.
#include "cli/recording/repeat.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/message.h"
#include "cli/recording/recorded.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** The outcome that a recorder reports to this process, in shared memory. */
struct outcome {
	bool is_told; // the rest is set
	bool done;    // the trace is whole
	int status;
	struct record_result result; // except the notes, which belong to the recorder
	char said[1 << 14];	     // notes printed so far, one per line
};

/** A set under way. */
struct repetition {
	const struct repeat *repeat;
	char *folder; // without slashes at its end
	struct outcome *outcome;
	sigset_t taken, old_mask;
	int signal; // asked to end the set; 0: none
	size_t kept;
	int status;
	struct record_result sum;
	VEC(struct recorded_times) times; // of each run that was kept
};

/** Print a note once per set; once there is no room to remember notes, every time. */
static void say_note(struct outcome *outcome, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };
	size_t used = strlen(outcome->said);

	strbuf_printf(&line, "\n%s\n", text);
	if (strstr(outcome->said, line.text))
		return;
	recorded_print_note(text);
	if (used + line.length < sizeof(outcome->said))
		memcpy(outcome->said + used, line.text, line.length + 1);
}

/** In the recorder's process. */
static void record_one(const struct repetition *set, size_t run)
{
	const struct repeat *repeat = set->repeat;
	struct outcome *outcome = set->outcome;
	struct record_options options = repeat->options;
	struct record_result *result = &outcome->result;
	CLEANUP(strbuf_deinit) struct strbuf output = { 0 };
	struct err err = { 0 };

	strbuf_printf(&output, "%s/%zu.trace", set->folder, run);
	options.output = output.text;
	options.new_folder = run == 1 ? set->folder : NULL;
	options.plain = repeat->plain;
	outcome->done = record_run(&options, result, &err);
	outcome->status = result->exit_status;
	if (!outcome->done) {
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		strbuf_printf(&text, "run %zu of %zu: %s", run, repeat->count, err.message);
		message_print_lines(strbuf_text(&text));
		if (outcome->status != 126 && outcome->status != 127)
			outcome->status = RECORDED_FAILED;
	}
	if (!outcome->done || result->signal) {
		// Only the caller's rights are left here.
		if (result->placed && unlink(options.output) == 0 && run == 1)
			rmdir(set->folder);
	} else if (!repeat->quiet) {
		CLEANUP(arena_deinit) struct arena arena = { 0 };
		size_t count;
		const char *const *notes = recorded_note_lines(&result->notes, &arena, &count);

		for (size_t i = 0; i < count; i++)
			say_note(outcome, notes[i]);
		recorded_print_run(run, repeat->count, result);
	}
	notes_deinit(&result->notes);
	outcome->is_told = true;
}

/** Whether the signal comes from our own writing, whose error says the same. */
static bool is_own(const siginfo_t *info)
{
	return (info->si_signo == SIGPIPE || info->si_signo == SIGXFSZ) && info->si_code <= 0 &&
	       info->si_pid == getpid();
}

/** Wait for the recorder and pass signals on to it. Returns its wait status. */
static int wait_for(struct repetition *set, pid_t recorder)
{
	for (;;) {
		siginfo_t info;
		int number = sigwaitinfo(&set->taken, &info);
		int status;

		if (number == SIGCHLD) {
			if (waitpid(recorder, &status, WNOHANG) == recorder)
				return status;
		} else if (number > 0 && !is_own(&info)) {
			set->signal = number;
			// Ctrl-C reaches it by itself.
			if (info.si_code != SI_KERNEL || (number != SIGINT && number != SIGQUIT))
				kill(recorder, number);
		}
	}
}

/** Start a recorder and wait for it. Returns false if it could not be started. */
static bool run_recorder(struct repetition *set, size_t run, int *ret_status)
{
	set->outcome->is_told = false;
	fflush(stderr);
	pid_t recorder = fork();

	if (recorder < 0) {
		message_print("run %zu of %zu: cannot start a process: %s", run, set->repeat->count,
			      strerror(errno));
		return false;
	}
	if (recorder == 0) {
		sigprocmask(SIG_SETMASK, &set->old_mask, NULL);
		record_one(set, run);
		fflush(stderr);
		_exit(0);
	}
	*ret_status = wait_for(set, recorder);
	return true;
}

/** Add up what the recorder reported. */
static void add_run(struct repetition *set)
{
	const struct record_result *result = &set->outcome->result;

	set->kept++;
	vec_push(&set->times, (struct recorded_times){ result->usage, result->plain });
	set->sum.backend = result->backend; // static: the same in both processes
	set->sum.recorded += result->recorded;
	set->sum.lost += result->lost;
	set->sum.lost_other += result->lost_other;
	set->sum.stacks_lost += result->stacks_lost;
	set->sum.storage_lost += result->storage_lost;
	set->sum.without_callers += result->without_callers;
	set->sum.hidden += result->hidden;
	set->sum.unseen_programs += result->unseen_programs;
	set->sum.eventless += result->eventless;
	set->sum.unexplained += result->unexplained;
	if (set->status == 0)
		set->status = result->ending.is_missed ? RECORDED_NEVER_HELD : result->exit_status;
}

/** Returns false if the set ends with or before this run. */
static bool one_run(struct repetition *set, size_t run)
{
	const struct outcome *outcome = set->outcome;
	int wait_status;

	if (!run_recorder(set, run, &wait_status)) {
		set->status = RECORDED_FAILED;
		return false;
	}
	if (!outcome->is_told) {
		message_print("run %zu of %zu: the recorder ended early (%s %d); %s/%zu.trace is "
			      "missing or incomplete",
			      run, set->repeat->count,
			      WIFSIGNALED(wait_status) ? "signal" : "exit status",
			      WIFSIGNALED(wait_status) ? WTERMSIG(wait_status)
						       : WEXITSTATUS(wait_status),
			      set->folder, run);
		set->status = RECORDED_FAILED;
		return false;
	}
	if (!outcome->done) {
		set->status = outcome->status;
		return false;
	}
	if (outcome->result.signal) {
		set->signal = outcome->result.signal;
		message_print("run %zu of %zu: interrupted, so its trace was removed", run,
			      set->repeat->count);
		return false;
	}
	add_run(set);
	return true;
}

/** Whether a signal has arrived since the last run. */
static bool is_interrupted(struct repetition *set)
{
	static const struct timespec at_once = { 0 };
	siginfo_t info;
	int number;

	while ((number = sigtimedwait(&set->taken, &info, &at_once)) > 0)
		if (number != SIGCHLD && !is_own(&info))
			set->signal = number;
	return set->signal != 0;
}

/** Block the signals that would end this process in the middle of a run. */
static void take_signals(struct repetition *set)
{
	struct sigaction hangup;

	record_signals(&set->taken);
	sigaddset(&set->taken, SIGCHLD);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		sigdelset(&set->taken, SIGHUP); // nohup
	signal(SIGCHLD, SIG_DFL);		// ignored, it would not come
	sigprocmask(SIG_BLOCK, &set->taken, &set->old_mask);
}

static void run_all(struct repetition *set)
{
	size_t count = set->repeat->count, only = set->repeat->only;
	size_t first = only > 0 ? only : 1, last = only > 0 ? only : count;

	for (size_t run = first; run <= last; run++)
		if (is_interrupted(set) || !one_run(set, run))
			break;
	size_t done = first - 1 + set->kept;

	if (set->signal) {
		const char *name = sigabbrev_np(set->signal);

		message_print("stopped by SIG%s after %zu of %zu runs", name ? name : "RT", done,
			      count);
		set->status = 128 + set->signal;
	}
	if (set->kept > 0 && !set->repeat->quiet)
		recorded_print_set(&set->repeat->options, set->folder, set->times.items, set->kept,
				   &set->sum);
	else if (done == 0)
		message_print("no run was recorded");
}

/** @path without slashes at its end. */
static char *without_slashes(const char *path)
{
	char *folder = xstrdup(path);
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		folder[--length] = '\0';
	return folder;
}

int repeat_run(const struct repeat *repeat)
{
	struct repetition set = { .repeat = repeat };

	set.outcome = mmap(NULL, sizeof(*set.outcome), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (set.outcome == MAP_FAILED) {
		message_print("mmap: %s", strerror(errno));
		return RECORDED_FAILED;
	}
	set.folder = without_slashes(repeat->folder);
	take_signals(&set);
	run_all(&set);
	is_interrupted(&set); // what came since has nothing left to stop
	sigprocmask(SIG_SETMASK, &set.old_mask, NULL);
	munmap(set.outcome, sizeof(*set.outcome));
	free(set.folder);
	vec_deinit(&set.times);
	if (repeat->strict && set.kept == repeat->count && recorded_has_losses(&set.sum))
		return RECORDED_LOST;
	return set.status;
}
