// SPDX-License-Identifier: Apache-2.0
// perf events on every CPU and every thread of a process, with one ring a CPU.
#pragma once

#include "base/err.h"
#include "bpf/perfring.h"

#include <stdbool.h>
#include <sys/types.h>

struct perfset;

/** The system call; close-on-exec. Returns -1 (errno set) on failure. */
int perfset_open_event(const struct perf_event_attr *attr, pid_t tid, int cpu);

/** The same on @cpu for what runs in a cgroup, whose folder is open as @cgroup_fd. */
int perfset_open_in_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu);

/** The numbers of the CPUs that are online, on the heap; *@ret_count of them. */
int *perfset_online_cpus(size_t *ret_count);

/** Events that share rings of their own, one ring a CPU. */
struct perfset_config {
	// A wakeup_watermark of 0 becomes a part of the ring that is granted: the kernel takes it
	// from the event, and would otherwise wake nobody before a smaller ring is full.
	const struct perf_event_attr *attrs;
	size_t attr_count;    // 0: only room is wanted, for a set that is opened later
	uint64_t ring_bytes;  // at most; set to what is granted, a power of two of pages
	uint64_t least_bytes; // before an earlier ring is larger than its own least
	bool is_cgroup;	      // the only one of perfset_open_all()'s @tids is a cgroup's descriptor
};

/**
 * Open the events of each of @configs, in this order, for each of @tids on each online CPU,
 * inherited by their children, and map their rings.
 *
 * Where not all rings are allowed (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK) each has its least;
 * where there is room for more the first grows, then the second and so on. Where there is not even
 * room for that all are halved.
 *
 * @ret_sets: as many as @configs; NULL for one without events.
 * @err:      ERR_OS; os_errno EACCES or EPERM: not allowed; ESRCH: all threads are gone.
 * Source: ring_buffer_init() and perf_mmap() in kernel/events, Linux 6.18.
 */
bool perfset_open_all(struct perfset_config *configs, size_t count, const pid_t *tids,
		      size_t tid_count, struct perfset **ret_sets, struct err *err);

/** The rings, one a CPU. */
struct perfring **perfset_rings(struct perfset *set, size_t *ret_count);

/** How large each ring came out. */
uint64_t perfset_ring_bytes(const struct perfset *set);

/** Return which of perfset_open()'s @attrs has this PERF_SAMPLE_IDENTIFIER; -1: none. */
int perfset_event_of(const struct perfset *set, uint64_t id);

/**
 * How often the events have happened in all, whether or not a record found room; of clocks, how
 * many ns they ran.
 */
uint64_t perfset_count(const struct perfset *set);

/** Start all events, where @attr said disabled. */
void perfset_start(struct perfset *set);

/** Start or stop the events of perfset_open()'s @attrs[@kind]. */
void perfset_switch(struct perfset *set, int kind, bool on);

/** How many records found no room; 0 where the events' read_format is not PERF_FORMAT_LOST. */
uint64_t perfset_lost(const struct perfset *set);

/** Stop all events; what is in the rings stays there. */
void perfset_stop(struct perfset *set);

/** Let @epoll_fd wake when a ring passes its watermark. */
bool perfset_watch(const struct perfset *set, int epoll_fd);

/** Accepts NULL. */
void perfset_close(struct perfset *set);
