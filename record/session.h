// SPDX-License-Identifier: Apache-2.0
// A recording under way: what record.c sets up, and the loop that keeps it going until its end.
#pragma once

#include "bpf/backend.h"
#include "bpf/sink.h"
#include "record/attach.h"
#include "record/diskcounters.h"
#include "record/launch.h"
#include "record/mapwatch.h"
#include "record/outfile.h"
#include "record/priority.h"
#include "record/cold/readahead.h"
#include "record/record.h"

#include <signal.h>
#include <time.h>

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
	struct trace_summary summary;
	uint32_t stack_bytes, stack_bytes_max; // as the backend had them
	pid_t pid;
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
	bool has_counts; // all of these
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

/** Stop recording events; the counts have been taken. */
void session_close_events(struct session *session);

/** Wait for the command without recording. */
void session_wait(struct session *session);

/** Forget signals that came after the command's end: there is nothing left to stop. */
void session_drop_signals(const struct session *session);

/** The shell's view of how the command ended; 0 when attached. */
int session_exit_status(const struct session *session);
