// SPDX-License-Identifier: Apache-2.0
// Threads and mappings of a process that runs already, from /proc.
#pragma once

#include "base/err.h"
#include "bpf/sink.h"
#include "record/files/mappedfiles.h"

#include <sys/types.h>

/** The threads of @pid, on the heap. @err: ERR_INPUT if it has ended or is a kernel thread. */
bool attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_count, struct err *err);

/** The kernel's counts of a process, its threads that have ended included. */
struct attach_counts {
	uint64_t minor, major;
};

/** Read them; false: the process has ended. */
bool attach_count(pid_t pid, struct attach_counts *ret_counts);

/** Deliver every mapping, its file numbered in @files, and thread name as of @time_ns. */
bool attach_snapshot(pid_t pid, const pid_t *tids, size_t tid_count, uint64_t time_ns,
		     struct mappedfiles *files, struct sink *sink, struct err *err);
