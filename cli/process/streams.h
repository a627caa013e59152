// SPDX-License-Identifier: Apache-2.0
// Standard streams as they are found and left.
#pragma once

/**
 * Occupy standard streams that are closed, so that no file becomes one of them and is written to by
 * messages. Using them fails as before, and COMMAND finds them closed.
 */
void streams_occupy(void);

/**
 * Make the process fail, with oom_status and a message, if at its end something that was printed
 * could not be written: help and version are printed by argp.
 */
void streams_check_at_exit(void);
