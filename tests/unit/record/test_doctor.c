// SPDX-License-Identifier: Apache-2.0
// Doctor's answer must hang together, for root as for an ordinary user.
#include "record/record.h"
#include "tests/support/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static const struct doctor_check *check_named(const struct doctor *doctor, const char *name)
{
	for (size_t i = 0; i < doctor->check_count; i++)
		if (!strcmp(doctor->checks[i].name, name))
			return &doctor->checks[i];
	return NULL;
}

/** 0, or the line of the first contradiction. */
static int contradiction(const struct doctor *doctor)
{
	const struct doctor_check *bpf = check_named(doctor, "BPF backend");
	const struct doctor_check *perf = check_named(doctor, "perf backend");

	if (!bpf || !perf || bpf->ok != doctor->bpf_works || perf->ok != doctor->perf_works)
		return __LINE__;
	array_foreach (check, doctor->checks, doctor->check_count) {
		if (!check->now[0])
			return __LINE__;
		if (check->ok ? check->needed[0] || check->way[0]
			      : !check->needed[0] || !check->way[0])
			return __LINE__;
		// A check is required only if without it the trial fails.
		if (!check->ok && check->required_for_bpf && doctor->bpf_works)
			return __LINE__;
		if (!check->ok && check->required_for_perf && doctor->perf_works)
			return __LINE__;
	}
	return 0;
}

static int set_up(void **state)
{
	setenv("XDG_CACHE_HOME", "/dev/null", 1); // nothing is kept of the costs that it measures
	return 0;
}

const struct tests_around tests_around = { .before_all = set_up };

TEST(checks_and_trials_agree)
{
	struct doctor *doctor = doctor_run("elfault of a test");

	assert_int_equal(contradiction(doctor), 0);
	doctor_close(doctor);
}

/** Status of a child: 0 fine, 1 a contradiction, 2 BPF works without a capability. */
static int ordinary_user(void)
{
	if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY))
		return 3;

	struct doctor *doctor = doctor_run("elfault of a test");
	const struct doctor_check *capability = check_named(doctor, "CAP_BPF");
	int status = contradiction(doctor) ? 1 : 0;

	if (doctor->bpf_works)
		status = 2;
	if (!capability || capability->ok || !strstr(capability->way, "sudo "))
		status = 4;
	doctor_close(doctor);
	return status;
}

TEST(an_ordinary_user_is_told_how_to_get_bpf)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(ordinary_user());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}
