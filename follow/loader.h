// SPDX-License-Identifier: Apache-2.0
// What a process's memory says of its program and of the dynamic linker.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** From the auxiliary vector. Addresses. */
struct entry_program {
	uint64_t start;	      // the program's entry point
	uint64_t linker_base; // of the dynamic linker, 0: there is none
	uint64_t headers, header_count;
};

bool entryloader_program(pid_t pid, struct entry_program *ret_program);

/**
 * Where the dynamic linker keeps what debuggers look at, struct r_debug, which the program's
 * DT_DEBUG points to once it runs. Source: <link.h>, gABI ch. 5.
 */
bool entryloader_debug(pid_t pid, const struct entry_program *program, uint64_t *ret_debug,
		       uint64_t *ret_brk);

/** Whether any of its namespaces is being changed. */
bool entryloader_is_busy(pid_t pid, uint64_t debug);
