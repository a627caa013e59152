// SPDX-License-Identifier: Apache-2.0
// One task that is followed, stopped: what ptrace is asked of it, and how it goes on.
#include "follow/private.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

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

bool entrytask_shares_memory(pid_t parent)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, parent, NULL, &regs) != 0)
		return false;
	switch (regs.orig_rax) {
	case SYS_clone:
		return regs.rdi & CLONE_VM;
	case SYS_clone3:
		return (uint64_t)ptrace(PTRACE_PEEKDATA, parent, regs.rdi, NULL) & CLONE_VM;
	case SYS_vfork:
		return true;
	default:
		return false;
	}
}

uint64_t entrytask_trap_addr(pid_t tid)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user_regs_struct, rip),
				NULL) -
	       1;
}

void entrytask_set_ip(pid_t tid, uint64_t addr)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip), addr);
}

void entrytask_step_over_brk(const struct entry_task *task)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint64_t addr = task->space->brk.addr;
	struct user_regs_struct regs;
	long word = ptrace(PTRACE_PEEKTEXT, task->tid, addr + 1, NULL);

	if (task->space->brk.byte == endbr64[0] && memcmp(&word, endbr64 + 1, 3) == 0) {
		entrytask_set_ip(task->tid, addr + sizeof(endbr64));
		return;
	}
	if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) != 0)
		return;
	regs.rip = (uint64_t)ptrace(PTRACE_PEEKTEXT, task->tid, regs.rsp, NULL);
	regs.rsp += 8;
	ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
}
