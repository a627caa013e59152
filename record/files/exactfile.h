// SPDX-License-Identifier: Apache-2.0
// The very file behind a mapping, whatever has become of its path: deleted, renamed, or a memfd.
#pragma once

#include "base/privilege.h"
#include "trace/trace.h"

#include <stdbool.h>

/**
 * A descriptor (O_PATH) of the program that @pid runs, where it has no path any more; else -1. With
 * the caller's rights. @ret_link: how the kernel names it, as in its records of mappings
 */
int exactfile_of_program(const struct caller *caller, uint32_t pid, char *ret_link, size_t size);

/**
 * Whether the kernel lets the recorder open files by their mappings: that takes
 * CAP_CHECKPOINT_RESTORE (before 5.9 CAP_SYS_ADMIN), also for one's own (proc(5), map_files).
 */
bool exactfile_is_allowed(void);

/**
 * A descriptor (O_PATH) of the file of @mapping, while its process lives and has it mapped. Only of
 * processes that the caller may look into: errno is EACCES otherwise, or where the kernel does not
 * let the recorder. Returns -1 on failure.
 */
int exactfile_of_mapping(const struct caller *caller, const struct trace_mapping *mapping);
