// SPDX-License-Identifier: Apache-2.0
// What commands say on standard error. Messages quote names of files, symbols and traces, which
// come from anyone: control characters are escaped, so that no terminal acts on them.
#pragma once

#include <stdbool.h>

/** Print "elfault: @text" and a newline. */
void message_print(const char *text);

/**
 * Say so if writing the result failed (errno tells why). Returns whether the command may end well:
 * a reader that has closed its pipe, as `| head` does, is no failure.
 */
bool message_output(bool is_written);

/** From here on a closed pipe shows as EPIPE instead of ending the process. */
void message_ignore_sigpipe(void);
