// SPDX-License-Identifier: Apache-2.0
#include "cli/process/streams.h"

#include "base/arena.h"
#include "cli/message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void streams_occupy(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			// What a program does with the stream must not succeed.
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

static void check_output(void)
{
	if (!message_rest_of_output())
		_exit(oom_status);
}

void streams_check_at_exit(void)
{
	atexit(check_output);
}
