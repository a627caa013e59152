// SPDX-License-Identifier: Apache-2.0
// How many faults an exec takes without an event, where nobody counts them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Return how many faults of @exec_count programs the recorder cannot have seen, at most.
 *
 * @command, @environment: of the first program; the others are taken to have about as much
 * @sees_kernel: faults that the kernel takes on the program's memory are recorded
 *
 * The kernel writes arguments and environment to the new stack by get_user_pages(), one fault per
 * page and no event (copy_strings() in fs/exec.c). Without @sees_kernel there are also the ends of
 * .data that it clears, of the program and of its interpreter (padzero()), and the tables on the
 * stack, which begin at a random place (create_elf_tables()).
 */
uint64_t execpages_most(char *const *command, char *const *environment, size_t exec_count,
			bool sees_kernel);
