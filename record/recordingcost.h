// SPDX-License-Identifier: Apache-2.0
// The cost of recording for a program here: measured once, and kept.
#pragma once

#include "record/record.h"
#include "trace/trace.h"

/**
 * Find what recording with @options costs here, as costs_ns of struct trace_meta: as it was
 * measured before, or measured now and kept. BPF only.
 * @err: why it is not known, which is no reason not to record.
 */
bool recordingcost_find(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			struct err *err);

/** Measure it by a child that is recorded and not recorded in turn. @err: as above. */
bool recordingcost_measure(const struct record_options *options, uint32_t ret_costs_ns[TRACE_COSTS],
			   struct err *err);

/** Find in the cache of @folder what was kept for @key. */
bool costcache_look_up(const char *folder, const char *key, uint32_t ret_costs_ns[TRACE_COSTS]);

/**
 * Keep it there; where that is not possible it is measured again next time. Of more keys than the
 * cache holds those kept longest ago go.
 */
void costcache_keep(const char *folder, const char *key, const uint32_t costs_ns[TRACE_COSTS]);
