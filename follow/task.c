// SPDX-License-Identifier: Apache-2.0
// One task that is followed, stopped: what ptrace is asked of it, and how it goes on.
#include "follow/private.h"

#include <signal.h>
#include <sys/ptrace.h>

void entrytask_resume(const struct entry_task *task, int number)
{
	bool is_slow = task->is_loading || (task->space && task->space->is_starting);

	// It may be gone: SIGKILL waits for nobody.
	ptrace(is_slow ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, NULL, number);
}

void entrytask_deliver_trap(struct entry_task *task)
{
	task->is_trapping = true;
	ptrace(PTRACE_SINGLESTEP, task->tid, NULL, SIGTRAP);
}

bool entrytask_take_delivery(struct entry_task *task)
{
	siginfo_t info = { 0 };
	uint64_t mask;

	if (!task->is_trapping || ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info) != 0)
		return false;
	task->is_trapping = false;
	if (info.si_code != SIGTRAP && info.si_code != TRAP_TRACE)
		return false;
	// TRAP_TRACE: there was no handler, and one instruction was executed.
	if (info.si_code == SIGTRAP &&
	    ptrace(PTRACE_GETSIGMASK, task->tid, sizeof(mask), &mask) == 0) {
		mask &= ~(UINT64_C(1) << (SIGTRAP - 1));
		ptrace(PTRACE_SETSIGMASK, task->tid, sizeof(mask), &mask);
	}
	entrytask_resume(task, 0);
	return true;
}

unsigned long long entrytask_event_message(pid_t tid)
{
	unsigned long message = 0;

	ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
	return message;
}
