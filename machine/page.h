// SPDX-License-Identifier: Apache-2.0
// Programs of the kernel include it: it includes nothing.
#pragma once

/**
 * The least size of a page on any processor, and the only one of x86. What a trace knows of its own
 * machine goes first.
 */
enum { MACHINE_PAGE = 4096 };

/** The highest number of an error: a system call that failed returns the negative of one. */
enum { MACHINE_ERRNO_MAX = 4095 };
