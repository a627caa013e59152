// SPDX-License-Identifier: Apache-2.0
// One line of what `perf script` prints. Names of tasks, symbols and files are printed as they are:
// they may hold whatever a line is made of. A task's name has at most 15 bytes, and the numbers
// that count are looked for where none of these names can be.
#pragma once

#include "base/lines.h"
#include "import/scan.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** What lines of events begin with: COMM, PID/TID, [CPU], TIME and a colon. */
struct perfline_head {
	const char *comm;
	size_t comm_length;
	bool has_pid; // else only tid was printed
	uint32_t pid, tid;
	uint64_t time_ns;
	struct scan rest;
};

bool perfline_head(const struct text_line *line, struct perfline_head *ret_head);

enum perfline_event {
	PERFLINE_FAULT, // page-faults: when a fault begins
	PERFLINE_MINOR, // and when it is over
	PERFLINE_MAJOR,
	PERFLINE_OTHER, // no page fault
};

/** What follows the head of a sample. */
struct perfline_sample {
	enum perfline_event event;
	bool has_period;
	uint64_t period;
	bool has_addr, has_ip;
	bool is_ambiguous; // several numbers may be the ip
	uint64_t addr, ip;
};

/** False if it is no sample at all. Of PERFLINE_OTHER only the event is told. */
bool perfline_sample(struct scan rest, struct perfline_sample *ret_sample);

/** A line of a call chain. */
struct perfline_frame {
	uint64_t value;	    // an address, or an offset in a file
	struct scan behind; // the name of the symbol, and in parentheses that of the file
	bool is_inlined;    // a function within the one of the next line
};

bool perfline_frame(const struct text_line *line, struct perfline_frame *ret_frame);

/** PERF_RECORD_MMAP and _MMAP2; but for time_ns and path. */
bool perfline_mapping(struct scan rest, struct trace_mapping *ret_mapping, struct scan *ret_path);

/** PERF_RECORD_COMM, _FORK and _EXIT; but for time_ns and comm. */
bool perfline_task(struct scan rest, struct trace_task *ret_task, struct scan *ret_comm);

/** PERF_RECORD_LOST and the like. */
bool perfline_lost(struct scan rest, uint64_t *ret_lost);
