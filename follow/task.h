// SPDX-License-Identifier: Apache-2.0
// One task that is followed, stopped: what ptrace is asked of it, and how it goes on.
#pragma once

#include "follow/space.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct entry_task {
	pid_t tid;
	struct entry_space *space; // NULL: its first stop came before its parent's word
	bool is_there;
	bool is_loading;  // inside dlopen()
	bool is_trapping; // a SIGTRAP of its own is being delivered
};

/** Let it go on, with signal @number, 0: none; to its next system call where these are looked at.
 */
void entrytask_resume(const struct entry_task *task, int number);

/**
 * Deliver a SIGTRAP of the task's own. While a handler runs its signal is blocked, and the kernel
 * takes the handler of a blocked SIGTRAP away at an int3: stop at its first instruction.
 */
void entrytask_deliver_trap(struct entry_task *task);

/** Whether the stop is the one that entrytask_deliver_trap() asked for; then the task goes on. */
bool entrytask_take_delivery(struct entry_task *task);

/** What the event says that it stopped for: of a fork the child, of an exec the former thread. */
unsigned long long entrytask_event_message(pid_t tid);

/** Whether the task that @parent is about to have made shares its memory. */
bool entrytask_shares_memory(pid_t parent);

/** Where the int3 is that it has just executed, if it has. */
uint64_t entrytask_trap_addr(pid_t tid);

void entrytask_set_ip(pid_t tid, uint64_t addr);

/**
 * The function that the dynamic linker calls for debuggers does nothing: the breakpoint on it
 * stays, and its return is done here.
 */
void entrytask_step_over_brk(const struct entry_task *task);
