// SPDX-License-Identifier: Apache-2.0
// A command that runs while nothing records, held before its exec as a recorded one is: what its
// process does before that is not counted.
#include "record/record.h"

#include "base/clock.h"
#include "record/launch.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 125 };

/** How long a command took. */
struct taken {
	uint64_t wall_ns;
	uint64_t late_ns; // of it
};

/**
 * Let the command run to its end; it stays to be waited for. What this process waits for a
 * processor afterwards does not count, but no less than what the command did is taken.
 */
static bool run(const struct launch *launch, struct taken *ret_taken, struct err *err)
{
	const uint64_t start_ns = clock_now_ns();

	if (!launch_go(launch))
		return err_os(err, "cannot start a process");

	const struct launch_times before = launch_times_of(getpid());

	while (waitid(P_PID, (id_t)launch->pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT) != 0)
		if (errno != EINTR)
			return err_os(err, "waitid");

	const uint64_t wall_ns = clock_now_ns() - start_ns;
	const uint64_t own_late_ns = launch_times_of(getpid()).late_ns - before.late_ns;
	const struct launch_times times = launch_times(launch);
	const uint64_t least_ns = times.run_ns + times.late_ns;

	*ret_taken = (struct taken){ wall_ns, times.late_ns < wall_ns ? times.late_ns : wall_ns };
	if (least_ns < wall_ns)
		ret_taken->wall_ns =
			wall_ns - least_ns > own_late_ns ? wall_ns - own_late_ns : least_ns;
	return true;
}

bool record_plain(const struct record_options *options, struct record_usage *ret_usage,
		  int *ret_status, struct err *err)
{
	struct caller caller = caller_find();
	CLEANUP(launch_close) struct launch launch;
	struct rusage usage;
	sigset_t mask;
	struct taken taken = { 0 };

	sigprocmask(SIG_SETMASK, NULL, &mask);
	const struct launch_how how = { &caller, options->as_root, options->is_silent, &mask };

	*ret_status = FAILED;
	bool ok = launch_start(&launch, options->command, &how, err) && run(&launch, &taken, err);

	if (ok) {
		int failed = launch_outcome(&launch, true, options->command[0], err);

		ok = failed == 0;
		*ret_status = ok ? FAILED : failed;
	}
	while (ok && wait4(launch.pid, ret_status, 0, &usage) < 0)
		if (errno != EINTR)
			ok = err_os(err, "wait4");
	if (ok) {
		*ret_usage = launch_usage(&launch, &usage, taken.wall_ns);
		ret_usage->late_ns = taken.late_ns;
	}
	return ok;
}
