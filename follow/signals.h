// SPDX-License-Identifier: Apache-2.0
// Signals that would end this process while it follows a command: they are for the command.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ENTRY_SIGNALS = 65 };

/** Zero-initialise. What signals did before. */
struct entry_signals {
	struct sigaction old_actions[ENTRY_SIGNALS];
	bool has_actions[ENTRY_SIGNALS];
};

/** Pass them on to @target, a process; one such at a time. */
void entrysignals_take(struct entry_signals *signals, pid_t target);

/** The target has ended: until they are given back they are for nobody. */
void entrysignals_stop(void);

/** Let signals do what they did before. */
void entrysignals_give_back(struct entry_signals *signals);
