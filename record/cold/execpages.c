// SPDX-License-Identifier: Apache-2.0
// How many faults exec and fork take without an event, where nobody counts them.
#include "record/cold/cold.h"

#include <string.h>
#include <unistd.h>

enum {
	SLACK_PAGES = 1, // the path, and the words that a script's first line adds
	ZEROED_ENDS = 2, // of the program and of its interpreter
	TABLE_PAGES = 2, // less than one page, which may cross a boundary
	STACK_END = 8,	 // bytes above the first string
	// The thread's number and rseq area of the child, that of the parent, SIGCHLD's frame.
	FORK_PAGES = 5,
};

/** Add the strings up to NULL to @bytes, and how many there are to @count. */
static void add_strings(char *const *strings, uint64_t *bytes, uint64_t *count)
{
	for (; strings && *strings; strings++) {
		*bytes += strlen(*strings) + 1;
		++*count;
	}
}

uint64_t execpages_most(char *const *command, char *const *environment, size_t exec_count,
			size_t fork_count, bool sees_kernel)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = STACK_END, strings = 0;

	add_strings(command, &bytes, &strings);
	add_strings(environment, &bytes, &strings);
	uint64_t each = (bytes + page - 1) / page + SLACK_PAGES;

	if (!sees_kernel)
		each += ZEROED_ENDS + TABLE_PAGES + strings * sizeof(char *) / page;
	return each * exec_count + (sees_kernel ? 0 : (uint64_t)FORK_PAGES * fork_count);
}
