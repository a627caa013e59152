// SPDX-License-Identifier: Apache-2.0
// How many files this process may have open.
#pragma once

/** Allow as many as the hard limit does. What is started afterwards has that limit as well. */
void filelimit_raise(void);
