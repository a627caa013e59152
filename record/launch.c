// SPDX-License-Identifier: Apache-2.0
// Starts the command. The child does all its own setting-up, then waits at a pipe until the
// recorder has its events in place.
#include "record/launch.h"

#include "base/cleanup.h"
#include "base/waitstatus.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** The message of the child before exec. */
struct word {
	int code; // errno, 0: ready
	char step[252];
};

static void say(int fd, int code, const char *step)
{
	struct word word = { .code = code };

	strncpy(word.step, step, sizeof(word.step) - 1);
	// Shorter than PIPE_BUF: whole or not at all, and then the parent reads an end.
	if (write(fd, &word, sizeof(word)) < 0)
		_exit(125);
}

/** Make the standard streams /dev/null. */
static bool silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			return false;
	return null >= 0;
}

static void __attribute__((noreturn))
run_child(char *const *command, const struct launch_how *how, int go_fd, int result_fd)
{
	if (how->caller->under_sudo && !how->as_root) {
		struct err err = { 0 };

		if (!privilege_run_as(how->caller, &err)) {
			say(result_fd, EPERM, err.message);
			_exit(125);
		}
	}
	if (how->is_silent && !silence()) {
		say(result_fd, errno, "/dev/null");
		_exit(125);
	}
	sigprocmask(SIG_SETMASK, how->mask, NULL);
	say(result_fd, 0, "");

	char go;

	if (read(go_fd, &go, 1) != 1)
		_exit(125); // the recorder is gone or has given up
	execvp(command[0], command);
	say(result_fd, errno, "exec");
	_exit(errno == ENOENT ? 127 : 126);
}

struct launch_times launch_times_of(pid_t pid)
{
	struct launch_times times = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	if (file && fscanf(file, "%" SCNu64 "%" SCNu64, &times.run_ns, &times.late_ns) != 2)
		times = (struct launch_times){ 0 };
	return times;
}

/** Wait until the child sleeps in read() and take its counts: /proc/PID/stat, fields 10 and 12. */
static bool take_baseline(struct launch *launch, struct err *err)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)launch->pid);
	for (int tries = 0; tries < 1000; tries++) {
		CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		if (length <= 0)
			return err_os(err, "%s", path);
		text[length] = '\0';

		// The name in parentheses may hold anything: what counts comes after the last one.
		const char *after = strrchr(text, ')');
		unsigned long long minor, major;
		char state;

		if (!after || sscanf(after, ") %c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &state,
				     &minor, &major) != 3)
			return err_set(err, ERR_OS, "%s: unknown format", path);
		launch->baseline_minor = minor;
		launch->baseline_major = major;
		launch->baseline = launch_times_of(launch->pid);
		if (state == 'S')
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return true; // busy machine: a fault or two may be counted twice, which the check will show
}

bool launch_start(struct launch *launch, char *const *command, const struct launch_how *how,
		  struct err *err)
{
	int go[2], result[2];

	*launch = (struct launch){ .go_fd = -1, .result_fd = -1 };
	if (pipe2(go, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	if (pipe2(result, O_CLOEXEC) != 0) {
		close(go[0]);
		close(go[1]);
		return err_os(err, "pipe");
	}
	launch->pid = fork();
	if (launch->pid == 0) {
		close(go[1]);
		close(result[0]);
		run_child(command, how, go[0], result[1]);
	}
	int reason = errno;

	close(go[0]);
	close(result[1]);
	launch->go_fd = go[1];
	launch->result_fd = result[0];
	if (launch->pid < 0) {
		launch->pid = 0;
		errno = reason;
		return err_os(err, "cannot start a process");
	}

	struct word word;

	if (read(launch->result_fd, &word, sizeof(word)) != sizeof(word))
		return err_set(err, ERR_OS, "the new process ended before its exec");
	if (word.code != 0) {
		word.step[sizeof(word.step) - 1] = '\0';
		return err_set(err, ERR_OS, "%s", word.step);
	}
	return take_baseline(launch, err);
}

bool launch_go(const struct launch *launch)
{
	return write(launch->go_fd, "", 1) == 1;
}

int launch_release(struct launch *launch, const char *name, struct err *err)
{
	return launch_outcome(launch, launch_go(launch), name, err);
}

int launch_outcome(struct launch *launch, bool is_gone, const char *name, struct err *err)
{
	struct word word;
	ssize_t length = -1;
	int status = 0;

	if (is_gone) {
		do
			length = read(launch->result_fd, &word, sizeof(word));
		while (length < 0 && errno == EINTR);
	}
	if (length == 0) { // closed by exec
		close(launch->go_fd);
		launch->go_fd = -1;
		return 0;
	}
	if (length != sizeof(word))
		word.code = EIO;
	waitpid(launch->pid, &status, 0);
	launch->pid = 0;
	if (WIFSIGNALED(status)) { // such as Ctrl-C meanwhile
		err_set(err, ERR_INPUT, "%s: signal %d ended it before its exec", name,
			WTERMSIG(status));
		return waitstatus_shell(status);
	}
	err_set(err, ERR_INPUT, "%s: %s", name,
		word.code == ENOENT ? "command not found" : strerror(word.code));
	return word.code == ENOENT ? 127 : 126;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

struct record_usage launch_usage(const struct launch *launch, const struct rusage *usage,
				 uint64_t wall_ns)
{
	uint64_t user_ns = timeval_ns(usage->ru_utime), system_ns = timeval_ns(usage->ru_stime);
	uint64_t before_ns = launch->baseline.run_ns;
	// Until then it ran in the kernel. Ticks may have called all of a short command user time:
	// only the sum is exact.
	uint64_t in_system_ns = system_ns < before_ns ? system_ns : before_ns;
	uint64_t rest_ns = before_ns - in_system_ns;

	return (struct record_usage){
		.wall_ns = wall_ns,
		.user_ns = user_ns > rest_ns ? user_ns - rest_ns : 0,
		.system_ns = system_ns - in_system_ns,
		.minor = (uint64_t)usage->ru_minflt - launch->baseline_minor,
		.major = (uint64_t)usage->ru_majflt - launch->baseline_major,
	};
}

struct launch_times launch_times(const struct launch *launch)
{
	struct launch_times times = launch_times_of(launch->pid);

	if (times.run_ns < launch->baseline.run_ns)
		return (struct launch_times){ 0 }; // it is not there any more
	times.run_ns -= launch->baseline.run_ns;
	times.late_ns -= launch->baseline.late_ns;
	return times;
}

void launch_close(struct launch *launch)
{
	if (launch->go_fd >= 0) {
		close(launch->go_fd); // the child ends when it reads the end
		if (launch->pid > 0)
			waitpid(launch->pid, NULL, 0);
	}
	if (launch->result_fd >= 0)
		close(launch->result_fd);
	launch->go_fd = launch->result_fd = -1;
}
