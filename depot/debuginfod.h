// SPDX-License-Identifier: Apache-2.0
// Files by build-id from debuginfod servers, by libdebuginfod, which is loaded only if the user has
// named servers (DEBUGINFOD_URLS). Its cache is used; nothing is fetched as root.
#pragma once

#include "depot/depot.h"

#include <stdint.h>
#include <stdio.h>

struct debuginfod;

/** NULL where DEBUGINFOD_URLS names no server. */
struct debuginfod *debuginfod_client_create(void);
/** Accepts NULL. */
void debuginfod_client_destroy(struct debuginfod *client);

/**
 * Get a file. @name: what it belongs to, for messages; @progress: where progress is shown, NULL
 * Returns a descriptor, and its path in the cache, which the caller frees. On failure -1; @err has
 * a message only if it was not told before and is not that no server has the file.
 */
int debuginfod_client_get(struct debuginfod *client, const struct depot_wish *wish, FILE *progress,
			  char **ret_path, struct err *err);
