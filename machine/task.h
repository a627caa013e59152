// SPDX-License-Identifier: Apache-2.0
// A stopped task on the processor that elfault is built for, as ptrace shows it to its tracer.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** The byte that traps, in place of an instruction's first. */
enum { MACHINE_BREAKPOINT = 0xcc }; // int3

/** A system call that maps memory or changes its protection. */
struct machine_mapping {
	bool is_new;
	bool is_done; // it has ended, well
	int protection;
	int fd; // -1: none
};

/** True if @tid stands at such a call. */
bool machine_task_maps(pid_t tid, struct machine_mapping *ret_mapping);

/** True if the task that @parent is about to have made shares its memory. */
bool machine_task_shares_memory(pid_t parent);

/** Return the address of the breakpoint that it has just executed, if it has. */
uint64_t machine_task_trap_addr(pid_t tid);

void machine_task_set_ip(pid_t tid, uint64_t addr);

/**
 * Go past the breakpoint at @addr, on a function that does nothing and begins with @byte: its
 * return is done here.
 */
void machine_task_return(pid_t tid, uint64_t addr, uint8_t byte);
