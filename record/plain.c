// SPDX-License-Identifier: Apache-2.0
// A command that runs while nothing records, held before its exec as a recorded one is: what its
// process does before that is not counted.
#include "record/record.h"

#include "base/clock.h"
#include "record/launch.h"

#include <errno.h>
#include <sys/wait.h>

enum { FAILED = 125 };

bool record_plain(const struct record_options *options, struct record_usage *ret_usage,
		  int *ret_status, struct err *err)
{
	struct caller caller = caller_find();
	struct launch launch;
	struct rusage usage;
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	const struct launch_how how = { &caller, options->as_root, options->is_silent, &mask };

	*ret_status = FAILED;
	bool ok = launch_start(&launch, options->command, &how, err);
	uint64_t start_ns = clock_now_ns();

	if (ok) {
		int failed = launch_release(&launch, options->command[0], err);

		ok = failed == 0;
		*ret_status = ok ? FAILED : failed;
	}
	while (ok && wait4(launch.pid, ret_status, 0, &usage) < 0)
		if (errno != EINTR)
			ok = err_os(err, "wait4");
	if (ok)
		*ret_usage = launch_usage(&launch, &usage, clock_now_ns() - start_ns);
	launch_close(&launch);
	return ok;
}
