// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/escape.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

void message_print(const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };

	escape_terminal(&safe, text);
	fprintf(stderr, "elfault: %s\n", strbuf_text(&safe));
}

bool message_output(bool is_written)
{
	if (is_written || errno == EPIPE)
		return true;
	fprintf(stderr, "elfault: standard output: %s\n", strerror(errno));
	return false;
}

void message_ignore_sigpipe(void)
{
	signal(SIGPIPE, SIG_IGN);
}
