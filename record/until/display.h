// SPDX-License-Identifier: Apache-2.0
// A connection to an X display, and the little of its protocol that tells of windows.
#pragma once

#include "base/err.h"
#include "base/privilege.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	DISPLAY_CREATED = 16, // kinds of events
	DISPLAY_MAPPED = 19,
	DISPLAY_INPUT_ONLY = 2, // a class of windows
};

/** A reply or an event: all are at least as long. */
union display_reply {
	uint8_t bytes[32];
	uint16_t halves[16];
	uint32_t words[8];
};

/** The numbers that follow it. */
static inline const uint32_t *display_after(const union display_reply *reply)
{
	return (const uint32_t *)(reply + 1);
}

struct display {
	void *connection;
	uint32_t pid_atom, leader_atom;
	uint8_t resource; // X-Resource's opcode; 0: the server has not got 1.2 of it
};

/**
 * Connect to the display of the environment, as @caller, whom this process is.
 *
 * @err: ERR_UNSUPPORTED or ERR_DENIED, with the way out: no display, no libxcb, or not let in
 */
bool display_open(struct display *display, const struct caller *caller, struct err *err);

/** Be told of what appears on each screen, and of all windows that are there. */
void display_watch_screens(const struct display *display);

/** Be told of @window itself. */
void display_watch_window(const struct display *display, uint32_t window);

/** Ask of @window, and wait for nothing. Returns the request; 0: it cannot be asked. */
unsigned int display_ask_attributes(const struct display *display, uint32_t window);
unsigned int display_ask_client(const struct display *display, uint32_t window);
unsigned int display_ask_property(const struct display *display, uint32_t window, uint32_t atom);

/** The reply to a request, to be freed; NULL: an error, such as of a window that is gone. */
union display_reply *display_wait_for(const struct display *display, unsigned int request);

/** True if the reply to @request has come: *@ret_reply as display_wait_for() has it. */
bool display_has_reply(const struct display *display, unsigned int request,
		       union display_reply **ret_reply);

/** The next event that has come, to be freed; NULL: none has. */
union display_reply *display_next_event(const struct display *display);

/** The file that becomes readable when something has come. */
int display_fd(const struct display *display);

/** True if the connection has ended. */
bool display_is_gone(const struct display *display);

/** Send what was asked. */
void display_flush(const struct display *display);
