// SPDX-License-Identifier: Apache-2.0
// Recording: from a live command or process to a trace file. The only public header of record/.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "record/cold/cold.h"
#include "record/until/until.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum record_backend {
	RECORD_BACKEND_AUTO, // BPF where allowed, else perf
	RECORD_BACKEND_BPF,
	RECORD_BACKEND_PERF,
};

enum { RECORD_STACK_BYTES_MAX = 1 << 20 }; // with perf 32768

/** The target of a recording, and how to record it. Strings are borrowed. */
struct record_options {
	char **command;	    // argv, NULL-terminated; NULL when attaching
	pid_t pid;	    // process to attach to, 0 when running a command
	const char *cgroup; // whose processes to record, see cgroup_open(); NULL: none
	const char *unit;   // service that its manager starts to be recorded; NULL: none
	double seconds;	    // attach: stop after so long, 0: until the process ends or SIGINT
	const char *output;
	const char *new_folder; // of output, made with it: an older one is kept as .old; or NULL
	enum record_backend backend;
	bool stacks;
	uint32_t stack_bytes;  // at most copied of each stack, 0: the backend's default
	uint32_t cpu_hz;       // samples of the processor a second, 0: none
	bool cpu_adapts;       // take fewer where they are dear, and fewer after a while
	uint64_t stack_memory; // bytes that raw stacks may take together until they are unwound
	uint64_t ring_bytes;   // of the buffer between kernel and recorder; 0: the default
	bool no_storage;       // do not record what storage reads
	bool recalibrate;      // measure again what recording costs here
	bool no_embed;	       // keep nothing in the trace of files that cannot be found later
	bool as_root;	       // under sudo, run the command or see the process as root
	bool is_silent;	       // the command's standard streams are /dev/null
	enum record_cold cold;
	bool is_exact;			  // no read-ahead from the devices that hold options.files
	const struct record_files *files; // of the command; NULL: neither cold nor exact
	bool plain;			  // run the command unrecorded first, prepared alike
	const struct until *until;	  // conditions to watch; NULL: none
	bool progress;			  // show progress on stderr
	void (*begun)(void);		  // called when all is seen from now on; or NULL
	const char *producer;		  // "elfault 0.1.0"
	const char *const *labels;	  // "key=value", to be kept in the trace
	size_t label_count;
};

/**
 * The signals that end a process which does not take them, but for those of its own mistakes
 * (SIGSEGV and the like). A recording passes them on to its command, or ends by them.
 */
void record_signals(sigset_t *ret_signals);

/** One run of the command, from its release before exec to its end: wall time, and rusage. */
struct record_usage {
	uint64_t wall_ns; // 0: there was no such run
	uint64_t user_ns, system_ns;
	uint64_t minor, major;
	uint64_t late_ns; // of wall_ns: its first thread waited for a processor; 0: or unknown
};

/** How a recording with conditions ended. */
struct record_ending {
	bool held;	   // a condition ended it
	bool is_missed;	   // it was to end by a condition, and none held
	uint64_t since_ns; // from the command's exec, or the start of recording, to the end
	const char *name;  // of the mark that ended it; of struct until
	bool is_running;   // the command goes on
	size_t ended;	   // processes that were ended
};

/** The outcome of asking. */
struct record_result {
	const char *backend; // "bpf" or "perf", static
	int exit_status; // the shell's: the command's own, 128 + signal, 127, 126; 0 when attached
	bool placed;	 // output is in its place, whole or not
	int signal; // that elfault was sent while the command ran: SIGINT, SIGTERM ...; 0: none
	uint64_t recorded, lost, lost_other;
	uint64_t stacks_lost;	  // recorded faults whose stack was lost
	uint64_t without_callers; // ... or could not be unwound
	uint64_t storage_lost;	  // records of what storage read
	uint64_t hidden;	  // faults of programs that the caller may not trace: not recorded
	uint64_t unseen_programs; // times that perf events ended at the exec of such a program
	uint64_t eventless;	  // faults without an event, by neither exec nor another call
	uint64_t unexplained;	  // faults that only the kernel's count of the command has
	struct record_ending ending;
	uint64_t kept;		   // faults that a reader will find in the file
	struct record_usage usage; // of the command while it was recorded; nothing when attached
	struct record_usage plain; // of its run before, with record_options.plain
	struct notes
		notes; // why this backend, what was not allowed, ...; to be released by the caller
};

/**
 * Record and write the whole trace.
 *
 * @err: ERR_DENIED (what failed, the value now, the value needed, each way out), ERR_OS, ERR_INPUT.
 * Returns: true when the trace is complete. On false, @ret_result still says what was kept (kept,
 * recorded); a command that could not be started leaves no file and an old output untouched.
 * Privilege is dropped for good before this returns.
 */
bool record_run(const struct record_options *options, struct record_result *ret_result,
		struct err *err);

/**
 * Run @options->command once while nothing records. *@ret_status is as wait4() gives it.
 *
 * Returns: false if it could not be started, with *@ret_status 127 (not found), 126 (cannot be run)
 * or 125.
 */
bool record_plain(const struct record_options *options, struct record_usage *ret_usage,
		  int *ret_status, struct err *err);

/** One thing that recording depends on. */
struct doctor_check {
	const char *name;
	bool ok;
	bool required_for_bpf, required_for_perf;
	char *now;    // the value found
	char *needed; // the value that would allow more; "" when ok
	char *way;    // the exact command that would allow it; "" when ok
};

/** Every check, in the order a person should read them. */
struct doctor {
	struct doctor_check *checks;
	size_t check_count;
	bool bpf_works;	 // tried, not guessed
	bool perf_works; // tried, not guessed
};

/**
 * Find out what this machine allows, and what recording costs here. Never fails: what cannot be
 * found out is a failed check. @producer: "elfault 0.1.0", which the costs are of.
 */
struct doctor *doctor_run(const char *producer);
void doctor_close(struct doctor *doctor);
