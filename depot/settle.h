// SPDX-License-Identifier: Apache-2.0
// Common parts of the ways to look for a file.
#pragma once

#include "depot/depot.h"

/**
 * Turn *@found into an unreadable file if opening failed with @os_errno, or it is no regular file.
 * 0: it did not fail. Returns whether there is anything, be it unreadable.
 */
bool depot_settle(struct depot_file *found, int os_errno);
