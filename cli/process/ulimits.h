// SPDX-License-Identifier: Apache-2.0
// Limits of the process: reaching one ends in a message, not in a signal.
#pragma once

/**
 * Take the signals of limits that nobody has taken or ignored: a file that is too large (ulimit -f)
 * is an error of writing; without stack (-s) or processor time (-t) the process prints a message
 * and exits with oom_status. COMMAND does not inherit any of it.
 */
void ulimits_take_signals(void);
