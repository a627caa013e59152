// SPDX-License-Identifier: Apache-2.0
// Names of the system calls of x86-64.
#pragma once

#include <stdint.h>

/** The number of the call that begins a program. */
enum { CALLNAME_EXECVE = 59 };

/** "openat" of 257; NULL: no system call that is known here. */
const char *callname_of(uint32_t number);
