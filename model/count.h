// SPDX-License-Identifier: Apache-2.0
// Faults counted for one row of a table.
#pragma once

#include "model/fault.h"

/** Faults counted for one row of any table. */
struct model_count {
	uint64_t faults;
	uint64_t major;
	uint64_t duration_ns; // of the faults whose duration is known
	uint64_t read_pages;  // brought into the page cache; see model_trace.has_reads
	uint64_t own_ns;      // of duration_ns: running, or waiting for storage
	uint64_t late_ns;     // of duration_ns: able to run, and not running
	uint64_t major_ns;    // of own_ns: of major faults, which wait for storage
};

/** Add @fault to @count. */
static inline void model_count_fault(struct model_count *count, const struct model_fault *fault)
{
	const uint64_t own_ns = model_fault_own(fault);

	count->faults++;
	count->major += fault->kind == MODEL_MAJOR;
	count->duration_ns += fault->has_duration ? fault->duration_ns : 0;
	count->read_pages += model_read_pages(fault);
	count->own_ns += own_ns;
	count->late_ns += model_fault_late(fault);
	count->major_ns += fault->kind == MODEL_MAJOR ? own_ns : 0;
}

/** Add @from to @to. */
static inline void model_count_add(struct model_count *to, const struct model_count *from)
{
	to->faults += from->faults;
	to->major += from->major;
	to->duration_ns += from->duration_ns;
	to->read_pages += from->read_pages;
	to->own_ns += from->own_ns;
	to->late_ns += from->late_ns;
	to->major_ns += from->major_ns;
}

/** Take @from, a part of @to, out of it. */
static inline void model_count_subtract(struct model_count *to, const struct model_count *from)
{
	to->faults -= from->faults;
	to->major -= from->major;
	to->duration_ns -= from->duration_ns;
	to->read_pages -= from->read_pages;
	to->own_ns -= from->own_ns;
	to->late_ns -= from->late_ns;
	to->major_ns -= from->major_ns;
}
