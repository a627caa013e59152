// SPDX-License-Identifier: Apache-2.0
// Coming back where memory runs out: what a library has to do and a command does not.
#pragma once

#include <stdbool.h>

/**
 * Run @operation(@argument) and return true. False if memory ran out in it: then the scopes that it
 * was in have released what they own (base/cleanup.h), and what it was building stays half built.
 * False as well where a library below lacked memory. errno stays. One at a time per thread; what it
 * runs has to be compiled with -fexceptions.
 */
bool guard_run(void (*operation)(void *argument), void *argument);
