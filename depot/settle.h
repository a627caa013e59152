// SPDX-License-Identifier: Apache-2.0
// What the ways to look for a file have in common.
#pragma once

#include "depot/depot.h"

/**
 * Where opening *@found failed with @os_errno, or it is no regular file, make it what cannot be
 * read. 0: it did not fail. Returns whether there is anything, be it unreadable.
 */
bool depot_settle(struct depot_file *found, int os_errno);
