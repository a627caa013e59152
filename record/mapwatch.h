// SPDX-License-Identifier: Apache-2.0
// The mappings and tasks of a process tree, as perf's own records tell them; for both backends.
#pragma once

#include "base/err.h"
#include "bpf/cgroup.h"
#include "bpf/sink.h"
#include "record/files/mappedfiles.h"

#include <sys/types.h>

struct mapwatch;

/**
 * Watch the threads @tids and all that they start, or, unless it is NULL, what runs in @cgroup.
 * Returns: NULL on failure; @err: ERR_OS.
 */
struct mapwatch *mapwatch_open(const pid_t *tids, size_t tid_count, const struct cgroup *cgroup,
			       uint64_t ring_bytes, struct err *err);

/** Also deliver the ends of tasks (without counts), where nobody else does. */
void mapwatch_deliver_exits(struct mapwatch *watch);

/**
 * Also wake at every exec of @tids and all that they start, so that a process's root can be looked
 * at while it is there. Where that is not allowed nothing wakes.
 */
void mapwatch_wake_at_exec(struct mapwatch *watch, const pid_t *tids, size_t tid_count);

/** Number the files of mappings in @files, which is borrowed. */
void mapwatch_number_files(struct mapwatch *watch, struct mappedfiles *files);

/** Let @epoll_fd wake when a ring fills. */
bool mapwatch_wake(struct mapwatch *watch, int epoll_fd);

/** Deliver what is there; returns how many records. */
size_t mapwatch_drain(struct mapwatch *watch, struct sink *sink);

/** Records that found no room, or made no sense. */
uint64_t mapwatch_lost(const struct mapwatch *watch);

/** Accepts NULL. */
void mapwatch_close(struct mapwatch *watch);
