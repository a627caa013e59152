// SPDX-License-Identifier: Apache-2.0
// The temporary folder of recordings that `bench` and `tune` make.
#pragma once

#include "base/arena.h"

#include <stddef.h>

/** Make the folder for whoever recordings belong to. Returns: in @arena; NULL: why not was said. */
const char *folder_make(struct arena *arena);

/** Remove @count traces of each of the folders @names from @folder, which may be NULL, and it. */
void folder_remove(const char *folder, const char *const *names, size_t count);
