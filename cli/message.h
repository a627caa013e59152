// SPDX-License-Identifier: Apache-2.0
// Messages of commands, on standard error. They quote names of files, symbols and traces, which
// anyone may have chosen: control characters are escaped, so that no terminal acts on them.
#pragma once

#include "base/err.h"

#include <stdbool.h>

/** Print "elfault: ", the text and a newline. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print the message of @err. Returns false. */
bool message_fail(const struct err *err);

/** As message_print(), for @text of several lines, such as an error with the commands that would
 * avoid it. */
void message_print_lines(const char *text);

/**
 * Say so if writing the result failed (errno tells why). Returns whether the command may end well:
 * a reader that has closed its pipe, as `| head` does, is no failure.
 */
bool message_output(bool is_written);

/** As message_output() of what no command has asked about until the process ends. */
bool message_rest_of_output(void);

/** Make a closed pipe fail with EPIPE instead of ending the process. */
void message_ignore_sigpipe(void);
