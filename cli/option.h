// SPDX-License-Identifier: Apache-2.0
// Values of options that several commands take. What is no such value ends the command with misuse.
#pragma once

#include "render/terminal.h"

#include <argp.h>
#include <stddef.h>

/** --format: which of @words @arg is, as an index. @count: at least 2 */
size_t option_format(const struct argp_state *state, const char *arg, const char *const *words,
		     size_t count);

/** --top */
size_t option_top(const struct argp_state *state, const char *arg);

/** --color */
enum terminal_color option_color(const struct argp_state *state, const char *arg);
