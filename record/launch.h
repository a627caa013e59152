// SPDX-License-Identifier: Apache-2.0
// A command that is started but held just before its exec.
#pragma once

#include "base/err.h"
#include "base/privilege.h"
#include "record/record.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/** Of a first thread. */
struct launch_times {
	uint64_t run_ns;
	uint64_t late_ns; // it could run and did not
};

struct launch {
	pid_t pid;
	int go_fd;     // closing or writing it lets the child go; -1: done
	int result_fd; // the child's word; ends without one when exec succeeds
	uint64_t baseline_minor, baseline_major; // faults of the child so far
	struct launch_times baseline;		 // likewise
};

/** The child to be. */
struct launch_how {
	const struct caller *caller; // who runs the command
	bool as_root;		     // root does instead
	bool is_silent;		     // its standard streams are /dev/null
	const sigset_t *mask;	     // its signal mask
};

/**
 * Fork a child that will run @command and wait until it stands before its exec. It has default
 * handling of SIGINT and the like.
 */
bool launch_start(struct launch *launch, char *const *command, const struct launch_how *how,
		  struct err *err);

/**
 * Let it exec. Returns 0, or why it could not start: the shell's 127 (not found), 126, or 128 + n
 * of a signal that ended it before, with @err. The child has been waited for then.
 */
int launch_release(struct launch *launch, const char *name, struct err *err);

/** The two halves of launch_release(), for who has to look after the child in between. */
bool launch_go(const struct launch *launch);
int launch_outcome(struct launch *launch, bool is_gone, const char *name, struct err *err);

/** The command's part of @usage, which wait4() gave of the child, less what it did before. */
struct record_usage launch_usage(const struct launch *launch, const struct rusage *usage,
				 uint64_t wall_ns);

/** Those of process @pid so far; nothing: unknown. Also if it has ended and was not waited for. */
struct launch_times launch_times_of(pid_t pid);

/** Those of the command. */
struct launch_times launch_times(const struct launch *launch);

/** End a child that was never released; otherwise only close what is open. */
void launch_close(struct launch *launch);
