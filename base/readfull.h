// SPDX-License-Identifier: Apache-2.0
// Reads until everything that was asked for is there: read() and pread() may stop earlier. Needs
// libc alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

/**
 * Read @size bytes at @offset.
 *
 * Returns: how many were read. Fewer than @size: the file ended, and errno is 0; or errno says why
 * it could not be read further.
 */
size_t pread_full(int fd, void *ret_bytes, size_t size, uint64_t offset);

/** The same where @fd stands. */
size_t read_full(int fd, void *ret_bytes, size_t size);
