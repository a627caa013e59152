// SPDX-License-Identifier: Apache-2.0
// The build-id of an ELF file, read without a library.
#pragma once

#include <stdint.h>

/**
 * Read the build-id of the ELF file behind @fd, in its machine's byte order or the other, from its
 * note segments. Returns its size, at most PREFETCH_BUILD_ID_MAX; 0: it has none, or is no ELF
 * file.
 */
uint32_t prefetch_build_id(int fd, uint8_t *ret_build_id);
