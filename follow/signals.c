// SPDX-License-Identifier: Apache-2.0
// Signals that would end this process while it follows a command: they are for the command.
#include "follow/private.h"

#include "record/record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/** The process that signals go to; 0: none. */
static volatile pid_t current;

static void pass_on(int number, siginfo_t *info, void *context)
{
	int reason = errno;

	// Ctrl-C reaches the command by itself; what our own writing raises is not for it.
	bool is_its_own = info->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);

	if (current > 0 && !is_its_own && info->si_pid != getpid())
		kill(current, number);
	errno = reason;
}

void entrysignals_take(struct entry_signals *signals, pid_t target)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t taken;

	current = target;
	record_signals(&taken);
	sigfillset(&action.sa_mask);
	for (int number = 1; number < ENTRY_SIGNALS; number++) {
		struct sigaction *old = &signals->old_actions[number];

		if (!sigismember(&taken, number) || sigaction(number, NULL, old) != 0 ||
		    old->sa_handler == SIG_IGN) // nohup
			continue;
		signals->has_actions[number] = sigaction(number, &action, NULL) == 0;
	}
}

void entrysignals_give_back(struct entry_signals *signals)
{
	for (int number = 1; number < ENTRY_SIGNALS; number++)
		if (signals->has_actions[number])
			sigaction(number, &signals->old_actions[number], NULL);
	memset(signals->has_actions, 0, sizeof(signals->has_actions));
	current = 0;
}

void entrysignals_stop(void)
{
	current = 0;
}
