// SPDX-License-Identifier: Apache-2.0
// The gap that is worth reading on a device: measured once and kept for the user.
#pragma once

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { DEVICEGAP_DEFAULT = 64 << 10 };

/** Whether the device is to be measured, which takes a moment and is said. */
enum devicegap_measures { DEVICEGAP_ONCE, DEVICEGAP_AGAIN, DEVICEGAP_NEVER };

/**
 * The gap for the device of the file at @path; DEVICEGAP_DEFAULT where it is not measured.
 *
 * @ret_source: how it is known, for the list's comments: static
 * @ret_said:   result of a measurement, for the user; untouched if none was made
 */
uint64_t devicegap_of(const char *path, enum devicegap_measures measures, const char **ret_source,
		      struct strbuf *ret_said);
