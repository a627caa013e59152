// SPDX-License-Identifier: Apache-2.0
// A recording under way: what record.c sets up, and the loop that keeps it going until its end.
#pragma once

#include "base/vec.h"
#include "bpf/backend.h"
#include "bpf/cgroup.h"
#include "bpf/sink.h"
#include "record/attach.h"
#include "record/cold/cold.h"
#include "record/launch.h"
#include "record/mapwatch.h"
#include "record/outfile.h"
#include "record/record.h"
#include "record/unit.h"
#include "trace/writer.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct diskcounter {
	uint64_t device;
	uint64_t bytes; // read since the machine started
	char name[64];
};

/** One look; zero-initialise. */
struct diskcounters {
	VEC(struct diskcounter) list;
};

/** Around the begin and the end of recording. */
enum {
	DISK_BEFORE_BEGIN,
	DISK_AFTER_BEGIN,
	DISK_BEFORE_END,
	DISK_AFTER_END,
	DISK_LOOKS,
};

/**
 * Read the counters of all disks that are on no other one: not of partitions, nor of what device
 * mapper and md build. Nothing where the kernel has none.
 */
void diskcounters_read(struct diskcounters *counters);

/** Write what each disk has read between the looks, of those that have read anything. */
void diskcounters_write(const struct diskcounters looks[DISK_LOOKS], struct trace_writer *writer);

/** The priority before; zero-initialise. */
struct priority {
	bool is_raised, has_slice;
	int before; // nice value
	uint64_t slice_before_ns;
};

/**
 * Run this thread before others: with a short slice, and where that is allowed (root, CAP_SYS_NICE,
 * RLIMIT_NICE) at nice -20. Without it more may be lost, and nothing else changes. Children made
 * before do not have it; none may be made until priority_restore().
 */
void priority_raise(struct priority *priority);

/** As it was. Needs no privilege. */
void priority_restore(struct priority *priority);

/** When the kernel's counts of a process attached to are read: around the begin and the end. */
enum { ATTACH_BEFORE_BEGIN, ATTACH_AFTER_BEGIN, ATTACH_BEFORE_END, ATTACH_AFTER_END, ATTACH_LOOKS };

struct session {
	const struct record_options *options;
	struct notes *notes;
	struct launch launch;
	struct outfile outfile;
	struct backend *backend;
	struct mapwatch *watch;
	struct mappedfiles *files;
	struct sink sink;
	char *program;	     // of a condition that names a function alone; NULL: unknown
	struct watch wanted; // for the conditions of options->until
	struct until_state until;
	bool is_over; // a condition has ended the recording, at
	uint64_t over_ns;
	size_t over_item; // by this one
	struct trace_summary summary;
	uint32_t stack_bytes, stack_bytes_max; // as the backend had them
	pid_t pid;			       // 0: of a cgroup
	struct cgroup cgroup;		       // fd -1: none
	const char *cgroup_path;	       // as it was named
	struct unit unit;		       // whose cgroup it is
	bool was_populated;		       // a process has lived in it
	pid_t *pids;			       // of the cgroup, at the start
	size_t pid_count;
	pid_t *tids; // at the start
	size_t tid_count;
	sigset_t old_mask;
	struct priority priority;
	struct readahead readahead;
	int signal_fd, process_fd, epoll_fd;
	uint64_t start_ns;
	bool out_of_time; // the recorder's own processor time is nearly used up
	bool running;	  // the command has been let go and has not been waited for
	int signal;	  // that asked to end, 0: none
	int wait_status;  // as wait4 gives it; -1 unknown
	uint64_t rusage_minor, rusage_major;
	uint64_t release_ns;	   // when the command was let go
	struct record_usage usage; // of the command alone, once it has ended
	bool has_costs;		   // what recording costs here is known
	uint32_t costs_ns[TRACE_COSTS];
	char costs_unknown[512]; // else: why
	bool has_counts;	 // all of these
	struct attach_counts counts[ATTACH_LOOKS];
	struct diskcounters disks[DISK_LOOKS];
};

/** Block the signals that the loop takes; become the reaper of orphans. */
void session_init(struct session *session, const struct record_options *options,
		  struct notes *notes);
void session_deinit(struct session *session);

/** Be told before the kernel ends this process for its processor time; after the command's fork. */
void session_limit_processor(void);

/** Keep hold of the process to attach to, whose number may be another's once it has ended. */
bool session_find_process(struct session *session, struct err *err);

/** Whether that process has ended; false of a command. */
bool session_process_ended(const struct session *session);

/** Say what would allow it, where @err is a refusal by the kernel. */
void session_explain_denied(struct err *err);

/**
 * Drain until the command has ended, the time is up or somebody asks to stop.
 * Returns: false when the trace cannot be written any more.
 */
bool session_loop(struct session *session, struct err *err);

/**
 * Fill the counts of session->summary and of @result, when all was drained, and tell in notes what
 * the kernel counted that the trace does not have.
 */
void session_account(struct session *session, const struct caller *caller,
		     struct record_result *result);

/**
 * Record no more, and close the trace with what is left: conditions, counts, frames, notes. Gives
 * up privilege for good before any file of the target is read. Returns false where the trace is not
 * whole.
 */
bool session_finish(struct session *session, const struct caller *caller,
		    struct record_result *result, struct err *err);

/** Stop recording events; the counts have been taken. */
void session_close_events(struct session *session);

/** When what conditions count from began: the command's program, or the recording; 0: not yet. */
uint64_t session_command_start(const struct session *session);

/** Judge the conditions by what was drained. */
void session_judge(struct session *session);

/** Wait for the command without recording. */
void session_wait(struct session *session);

/**
 * End all processes of the recording that run still: by SIGTERM, and after some seconds by SIGKILL.
 * Returns how many there were.
 */
size_t session_end_processes(struct session *session);

/** Forget signals that came after the command's end: there is nothing left to stop. */
void session_drop_signals(const struct session *session);

/** The shell's view of how the command ended; 0 when attached. */
int session_exit_status(const struct session *session);
