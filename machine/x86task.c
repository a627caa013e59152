// SPDX-License-Identifier: Apache-2.0
#include "machine/task.h"

#include "machine/machine.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

bool machine_task_maps(pid_t tid, struct machine_mapping *ret_mapping)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0 ||
	    (regs.orig_rax != SYS_mmap && regs.orig_rax != SYS_mprotect &&
	     regs.orig_rax != SYS_pkey_mprotect))
		return false;
	*ret_mapping = (struct machine_mapping){
		.is_new = regs.orig_rax == SYS_mmap,
		// Where a call begins its result is -ENOSYS.
		.is_done = !machine_call_failed(regs.rax),
		.protection = (int)regs.rdx,
		.fd = regs.orig_rax == SYS_mmap ? (int)regs.r8 : -1,
	};
	return true;
}

bool machine_task_shares_memory(pid_t parent)
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

uint64_t machine_task_trap_addr(pid_t tid)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user_regs_struct, rip),
				NULL) -
	       1;
}

void machine_task_set_ip(pid_t tid, uint64_t addr)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip), addr);
}

void machine_task_return(pid_t tid, uint64_t addr, uint8_t byte)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct user_regs_struct regs;
	long word = ptrace(PTRACE_PEEKTEXT, tid, addr + 1, NULL);

	if (byte == endbr64[0] && memcmp(&word, endbr64 + 1, 3) == 0) {
		machine_task_set_ip(tid, addr + sizeof(endbr64));
		return;
	}
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
		return;
	regs.rip = (uint64_t)ptrace(PTRACE_PEEKTEXT, tid, regs.rsp, NULL);
	regs.rsp += 8;
	ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}
