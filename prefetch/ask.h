// SPDX-License-Identifier: Apache-2.0
// Asks the kernel to read what a list names.
#pragma once

#include "prefetch/list.h"

struct prefetch_how {
	const char *program; // that messages begin with
	int messages_fd;     // -1: none
	int command_fd; // a pidfd: when its process has ended nothing more is asked for; -1: none
};

/** The outcome of asking. */
struct prefetch_result {
	uint64_t wanted;  // bytes of the list
	uint64_t present; // of these: in memory before, as far as the kernel says
	uint64_t asked;
	uint64_t calls;	 // that asked for them
	size_t stale;	 // files that are not as the list has them, or not there
	size_t unseen;	 // files of which only their owner may know what is in memory
	size_t failed;	 // files that the kernel reads nothing ahead of
	bool is_stopped; // the command ended meanwhile
	bool is_limited; // the list wants more than half of the memory
};

/**
 * Ask for every range of @list that is not in memory, in its order, in pieces that the device
 * takes. A file that is not as the list has it is left out, with a message. Waits until all is
 * asked for, not until it is read.
 */
void prefetch_ask(const struct prefetch_list *list, const struct prefetch_how *how,
		  struct prefetch_result *ret_result);

/** The same in two processes. */
struct prefetch_asking;

/**
 * Ask for the first ranges, which a command that starts next would wait for before another process
 * could ask, and wait for the first of these, which it would wait for one by one. Next to nothing
 * is done where what comes first is in memory.
 * @list and @how are borrowed. Returns: NULL without memory, which is said; also where nobody is
 * told anything and a sample of all ranges is in memory: a warm start does not wait for more looks.
 */
struct prefetch_asking *prefetch_ask_first(const struct prefetch_list *list,
					   const struct prefetch_how *how);

/** Ask for the rest, in a process forked since, which has closed all files. */
void prefetch_ask_rest(struct prefetch_asking *asking, const struct prefetch_how *how);

/**
 * Print a message: "PROGRAM: " and the text, in one write(); but on a terminal with "~" for $HOME.
 */
void prefetch_say(const struct prefetch_how *how, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
