// SPDX-License-Identifier: Apache-2.0
// A trace from bytes that a fuzzer made.
#pragma once

#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

/** Whether @bytes begin as a binary trace does. */
bool tracebytes_is_binary(const void *bytes, size_t size);

/** Make every hash right that a reader would come to, with the stored sizes as they are. */
void tracebytes_repair(uint8_t *bytes, size_t size);

/** The trace in the file @fd; NULL: it is none. */
struct trace *tracebytes_read_fd(int fd);

/** The same of a file with these bytes. */
struct trace *tracebytes_read(const void *bytes, size_t size);
