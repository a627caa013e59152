// SPDX-License-Identifier: Apache-2.0
// Initializers, and whether they have their sources: what initializers.c makes and source.c
// completes, apart from it since only that needs libdw.
#pragma once

#include "elfmap/private.h"

struct elfmap_initializer_set {
	struct elfmap_initializer *items;
	size_t count;
	bool has_sources; // they were looked for
};
