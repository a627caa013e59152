// SPDX-License-Identifier: Apache-2.0
// Device and inode as the kernel reports them of mappings.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/**
 * Find the kernel's numbers for the file behind @fd in its records of mappings; false: it cannot be
 * mapped.
 */
bool kernelinode_of(int fd, uint64_t *ret_device, uint64_t *ret_inode);

/**
 * Whether the file at @path, of which stat() says @status, is what the kernel calls @device and
 * @inode in its records of mappings.
 *
 * On btrfs and overlayfs stat() gives other numbers than these records. Where they differ the file
 * is mapped here, and the kernel asked for its numbers.
 */
bool kernelinode_is(const char *path, const struct stat *status, uint64_t device, uint64_t inode);
