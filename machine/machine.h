// SPDX-License-Identifier: Apache-2.0
// A processor, as far as answers depend on it: what its code does, its system calls, its pages.
//
// To add one, write machine/NAME.c with one const struct machine, and list it in processors.h and
// machine.c. What a processor leaves out is unknown: readers then say that they do not know, or
// leave the answer out. Its relocation types are data of ELF, in elfmap/psabi.c. The recorder's
// processor is the one elfault is built for: bpf/ has its kernel side.
#pragma once

#include "machine/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine {
	uint16_t elf;	  // EM_X86_64, ...
	const char *name; // as `uname -m` prints it; NULL: no kernel of its own is known
	const char *const *calls;
	uint32_t call_count;
};

/** The processor of ELF files whose e_machine is @elf; one that leaves everything out if unknown.
 */
const struct machine *machine_of(uint16_t elf);

/** The processor that `uname -m` calls @name. Traces without a name are from x86-64. */
const struct machine *machine_named(const char *name);

/** The number of the system call @name; UINT32_MAX: @machine has none. O(calls). */
uint32_t machine_call_number(const struct machine *machine, const char *name);

/** "openat" of 257 on x86-64; NULL: no system call that is known here. */
const char *machine_call(const struct machine *machine, uint32_t number);
