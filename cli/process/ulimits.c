// SPDX-License-Identifier: Apache-2.0
#include "cli/process/ulimits.h"

#include "base/arena.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	HANDLER_STACK = 64 << 10, // more than any processor's registers take
	LARGEST_FRAME = 1 << 20,
	LIMIT_USUAL = 8 << 20,
};

// Of handlers, which get no argument of ours.
static uintptr_t stack_top, stack_limit;
static char out_of_stack[128];
static char handler_stack[HANDLER_STACK] __attribute__((aligned(16)));

static void __attribute__((noreturn)) end_with(const char *text)
{
	// There is no other place to tell that this fails, too.
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(oom_status);
	_exit(oom_status);
}

/** The signal of an access where nothing is mapped: right below the stack it is the limit's. */
static void end_without_stack(int number, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;

	if (info->si_code > 0 && addr < stack_top && stack_top - addr < stack_limit + LARGEST_FRAME)
		end_with(out_of_stack);
	signal(number, SIG_DFL); // and the access is made again
}

static void end_without_time(int number)
{
	end_with("elfault: out of processor time: the limit (ulimit -t) is reached\n");
}

/** The call that wrote returns EFBIG. To ignore the signal would be inherited by COMMAND. */
static void go_on(int number)
{
}

static void take(int number, struct sigaction action)
{
	struct sigaction former;

	if (sigaction(number, NULL, &former) == 0 && former.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

static void take_stack_overflow(void)
{
	const stack_t own = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    sigaltstack(&own, NULL) != 0)
		return;
	stack_top = (uintptr_t)__builtin_frame_address(0);
	stack_limit = limit.rlim_cur;
	snprintf(out_of_stack, sizeof(out_of_stack),
		 "elfault: out of stack: the limit is %" PRIu64 " KiB; %s allows more\n",
		 (uint64_t)limit.rlim_cur / 1024,
		 limit.rlim_cur < LIMIT_USUAL ? "ulimit -s 8192" : "ulimit -s unlimited");
	take(SIGSEGV, (struct sigaction){ .sa_sigaction = end_without_stack,
					  .sa_flags = SA_SIGINFO | SA_ONSTACK });
}

void ulimits_take_signals(void)
{
	take_stack_overflow();
	take(SIGXCPU, (struct sigaction){ .sa_handler = end_without_time });
	take(SIGXFSZ, (struct sigaction){ .sa_handler = go_on, .sa_flags = SA_RESTART });
}
