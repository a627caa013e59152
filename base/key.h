// SPDX-License-Identifier: Apache-2.0
// Keys of base/u64map.h made of several numbers. Different ones may share a key, if hardly ever.
#pragma once

#include <stdint.h>
#include <xxhash.h>

/** The key of these numbers in this order. */
#define key_of(...) \
	XXH3_64bits((const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }))
