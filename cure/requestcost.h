// SPDX-License-Identifier: Apache-2.0
// Cost of a request to a device, in bytes: how large a gap between two ranges is worth reading.
#pragma once

#include "base/err.h"

#include <stdint.h>

/** The measured cost. */
struct requestcost {
	double request_ns;	 // for one of many requests under way, of one block each
	double bytes_per_second; // of large requests, one behind the other
	uint64_t gap;		 // bytes that are read in the time of a request; whole pages
};

/** Files that are smaller than this tell nothing. */
enum { REQUESTCOST_FILE_LEAST = 4 << 20, REQUESTCOST_GAP_MOST = 1 << 20 };

/**
 * Measure the device of the file at @path: reads of it that go around the page cache (O_DIRECT), so
 * that nothing is dropped from there and nothing in it helps. Takes a quarter of a second, at most
 * a few.
 *
 * @err: ERR_OS; ERR_UNSUPPORTED: too small a file, a file system without such reads, or a sandbox.
 */
bool requestcost_measure(const char *path, struct requestcost *ret_cost, struct err *err);

/** The gap that follows from the first two figures. */
uint64_t requestcost_gap(double request_ns, double bytes_per_second);
