// SPDX-License-Identifier: Apache-2.0
// Common parts of both backends, BPF and perf.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "bpf/cgroup.h"
#include "bpf/sighting.h"
#include "bpf/sink.h"
#include "machine/machine.h"

#include <stddef.h>
#include <sys/types.h>

/** The target of a recording, and its options. Borrowed while opening. */
struct backend_config {
	pid_t pid;	   // the process, stopped or running; 0: there is a cgroup
	const pid_t *tids; // all its threads, or those of the cgroup's processes
	size_t tid_count;
	const struct cgroup *cgroup; // what is executed there is recorded, too; NULL: none
	bool stacks;
	uint32_t stack_bytes;	   // 0: the default
	uint64_t ring_bytes;	   // of each ring, 0: the default
	bool storage;		   // what storage reads
	uint32_t cpu_hz;	   // samples of the processor a second; 0: none
	bool cpu_adapts;	   // take fewer where they are dear, and fewer after a while
	uint32_t sample_cost_ns;   // of one with BPF; 0: unknown. With perf events it is measured
	bool is_attached;	   // the process runs a program already
	bool is_limited;	   // see only what the user and group below may trace
	const struct watch *watch; // for what else; NULL: nothing
	uid_t caller_uid;
	gid_t caller_gid;
};

struct backend {
	const char *name; // "bpf" or "perf"
	int wake_fd;	  // an epoll or similar descriptor that becomes readable when it is urgent
	bool is_behind;	  // the last drain() left records: no need to wait for more
	uint64_t lost;	  // valid after stop(), as are the next two
	uint64_t lost_stacks; // of faults that were not lost
	uint64_t lost_other;
	uint32_t stack_bytes;	  // at most copied of each stack
	uint32_t stack_bytes_max; // that it can copy
	bool counts_exits;	  // delivers the ends of tasks with the kernel's counts
	bool sees_kernel;	  // faults that the kernel takes on the program's memory
	bool sees_reads;	  // tells what each fault brought into the page cache
	bool sees_pauses;	  // tells when tasks are off the processor
	uint64_t lost_pauses;	  // valid after stop()
	bool sees_storage;	  // tells read requests of block devices
	uint64_t lost_storage;	  // valid after stop()
	bool times_calls;	  // tells how long system calls take
	bool sees_opens;	  // tells where the dynamic linker looks for libraries
	uint64_t lost_calls;	  // valid after stop()
	bool takes_samples;	  // of the processor
	bool samples_user_only;	  // but none of the kernel
	uint32_t sample_hz;	  // how many a second, at first
	uint32_t sample_cost_ns;  // of one, as measured before the start; 0: unknown
	uint64_t lost_samples;	  // valid after stop()
	uint64_t moved_running;	  // likewise: processes that came into the cgroup with a program
	/** Deliver what is over within a moment, into sink->memory_files; NULL: it sees no such. */
	void (*hurry)(struct backend *backend, struct sink *sink);
	/** Deliver what is there, without waiting. Returns how many records. */
	size_t (*drain)(struct backend *backend, struct sink *sink);
	/** See no more faults, deliver the rest, and fill in lost. */
	void (*stop)(struct backend *backend, struct sink *sink, struct notes *notes);
	void (*close)(struct backend *backend);
};

/** Does elfault record on the processor that it is built for? @err: ERR_UNSUPPORTED. */
static inline bool backend_has_processor(struct err *err)
{
	return machine_own(false)->sampled ||
	       err_set(err, ERR_UNSUPPORTED,
		       "recording is not supported on this processor yet, only on x86-64; traces "
		       "from there can be analyzed here");
}

/** @err: ERR_DENIED with the ways out, ERR_UNSUPPORTED where this build or kernel has none. */
struct backend *backend_bpf_open(const struct backend_config *config, struct notes *notes,
				 struct err *err);
struct backend *backend_perf_open(const struct backend_config *config, struct notes *notes,
				  struct err *err);
