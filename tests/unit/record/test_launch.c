// SPDX-License-Identifier: Apache-2.0
// Commands that are held before their exec, and what becomes of them.
#include "record/launch.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/wait.h>

static void start(struct launch *launch, char *const *command)
{
	const struct caller caller = caller_find();
	sigset_t mask;
	const struct launch_how how = { .caller = &caller, .is_silent = true, .mask = &mask };
	struct err err = { 0 };

	sigemptyset(&mask);
	if (!launch_start(launch, command, &how, &err))
		fail_msg("%s", err.message);
}

TEST(one_that_a_signal_ends_before_its_exec_is_told_as_that)
{
	char *const command[] = { "true", NULL };
	CLEANUP(launch_close) struct launch launch;
	struct err err = { 0 };

	signal(SIGPIPE, SIG_IGN);
	start(&launch, command);
	kill(launch.pid, SIGINT);
	waitid(P_PID, (id_t)launch.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_int_equal(launch_release(&launch, "true", &err), 128 + SIGINT);
	assert_string_equal(err.message, "true: signal 2 ended it before its exec");
}

TEST(one_that_is_not_there_is_not_found)
{
	char *const command[] = { "/no/such", NULL };
	CLEANUP(launch_close) struct launch launch;
	struct err err = { 0 };

	start(&launch, command);
	assert_int_equal(launch_release(&launch, "/no/such", &err), 127);
	assert_string_equal(err.message, "/no/such: command not found");
}

TEST(what_it_ran_and_waited_to_is_counted_from_its_exec_on)
{
	char *const command[] = { "true", NULL };
	CLEANUP(launch_close) struct launch launch;
	struct err err = { 0 };

	start(&launch, command);
	assert_int_equal(launch_times(&launch).run_ns, 0);
	assert_int_equal(launch_release(&launch, "true", &err), 0);
	waitid(P_PID, (id_t)launch.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);

	const struct launch_times times = launch_times(&launch);

	assert_true(times.run_ns > 10000 && times.run_ns < launch_times_of(launch.pid).run_ns);
	waitpid(launch.pid, NULL, 0);
	assert_int_equal(launch_times_of(launch.pid).run_ns, 0);
	assert_int_equal(launch_times(&launch).run_ns, 0);
}
