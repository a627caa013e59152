// SPDX-License-Identifier: Apache-2.0
// A socket to which a service tells that it is ready, as sd_notify(3) does.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct notify {
	int fd;	       // -1: none
	char name[64]; // as NOTIFY_SOCKET has it
	char *outer;   // the socket that this process was given itself, to pass messages on to
};

/** Open the socket, and give it to the commands that this process starts from now on. */
bool notify_open(struct notify *notify, struct err *err);

/** Take messages. Returns whether one says READY=1: *@ret_ns when it was sent, *@ret_pid by whom.
 */
bool notify_take(struct notify *notify, uint64_t *ret_ns, pid_t *ret_pid);

void notify_close(struct notify *notify);
