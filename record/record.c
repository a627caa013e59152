// SPDX-License-Identifier: Apache-2.0
// Orchestrates a recording: start or attach, choose a backend, drain until the end.
#include "record/record.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/filelimit.h"
#include "base/privilege.h"
#include "bpf/backend.h"
#include "record/attach.h"
#include "record/launch.h"
#include "record/mapwatch.h"
#include "record/outfile.h"
#include "record/permission.h"
#include "record/recordingcost.h"
#include "record/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAP_RING_BYTES_PERF = 64 << 10, MAP_RING_BYTES_BPF = 2 << 20 };

static struct backend *open_bpf(const struct backend_config *config, struct notes *notes,
				struct err *err)
{
#ifdef ELFAULT_WITH_BPF
	return backend_bpf_open(config, notes, err);
#else
	err_set(err, ERR_UNSUPPORTED, "this elfault was built without the BPF backend");
	return NULL;
#endif
}

/** Refuse what only BPF tells of; true if nothing of it is wanted. @way: to have BPF. */
static bool can_use_perf(const struct backend_config *config, const char *way, struct err *err)
{
	static const char *const names[SIGHTING_KINDS] = {
		[SIGHTING_LISTEN] = "sockets (listen)",
		[SIGHTING_WRITE] = "writes (output, mark)",
		[SIGHTING_FILE] = "opened files (file)",
		[SIGHTING_ENTER] = "functions (function)",
		[SIGHTING_QUIET] = "whether threads are quiet (quiet)",
	};

	if (config->cgroup)
		return err_set(err, ERR_UNSUPPORTED,
			       "perf events cannot follow a cgroup, which BPF does:\n  %s", way);
	for (size_t i = 0; config->watch && i < SIGHTING_KINDS; i++)
		if (config->watch->wants[i])
			return err_set(err, ERR_UNSUPPORTED,
				       "perf events do not tell of %s, which BPF does:\n"
				       "  %s",
				       names[i], way);
	return true;
}

static struct backend *choose_backend(const struct record_options *options,
				      const struct backend_config *config, struct notes *notes,
				      struct err *err)
{
	if (options->backend == RECORD_BACKEND_BPF)
		return open_bpf(config, notes, err);
	if (options->backend == RECORD_BACKEND_PERF)
		return can_use_perf(config, "leave out --backend perf", err)
			       ? backend_perf_open(config, notes, err)
			       : NULL;

	struct err reason = { 0 };
	struct backend *backend = open_bpf(config, notes, &reason);

	if (backend)
		return backend;
	// Above all others the reason is what this machine lacks.
	if (!can_use_perf(config, privilege_way(), err)) {
		err_drop_ways(&reason);
		err_prefix(err, "%s", reason.message);
		return NULL;
	}
	backend = backend_perf_open(config, notes, err);
	if (backend) {
		err_drop_ways(&reason);
		notes_add(notes, "recorded by perf, because %s", reason.message);
		return backend;
	}

	char why[1024];

	snprintf(why, sizeof(why), "%.1023s", reason.message);
	err_prefix(err, "%s\nThe other backend failed too", why);
	return NULL;
}

static bool open_writer(struct session *session, const struct record_usage *plain, struct err *err)
{
	const struct record_options *options = session->options;
	struct utsname system = { 0 };
	struct timespec now;
	size_t count = 0;

	while (options->command && options->command[count])
		count++;
	uname(&system);
	clock_gettime(CLOCK_REALTIME, &now);
	session->start_ns = clock_now_ns();

	struct trace_meta meta = {
		.command = (const char *const *)options->command,
		.command_count = count,
		.backend = session->backend->name,
		.kernel = system.release,
		.machine = system.machine,
		.producer = options->producer,
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.root_pid = (uint32_t)session->pid,
		.start_ns = session->start_ns,
		.start_unix_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.attached = !options->command,
		.cgroup = session->cgroup_path,
		.has_stacks = options->stacks,
		.has_reads = session->backend->sees_reads,
		.has_pauses = session->backend->sees_pauses,
		.has_storage = session->backend->sees_storage,
		.has_samples = session->backend->takes_samples,
		.samples_user_only = session->backend->samples_user_only,
		.sample_hz = session->backend->sample_hz,
		.has_calls = session->backend->times_calls,
		.has_opens = session->backend->sees_opens,
		.host = system.nodename,
		.labels = options->labels,
		.label_count = options->label_count,
		.plain_wall_ns = plain->wall_ns,
		.plain_user_ns = plain->user_ns,
		.plain_system_ns = plain->system_ns,
		.plain_minor = plain->minor,
		.plain_major = plain->major,
		.has_costs = session->has_costs,
	};

	memcpy(meta.costs_ns, session->costs_ns, sizeof(meta.costs_ns));

	return trace_writer_open(session->outfile.fd, &meta, &session->sink.writer, err);
}

/** Whether the recording's caller may see the process to attach to, whatever the recorder may. */
static bool may_attach(const struct session *session, const struct caller *caller, struct err *err)
{
	return permission_to_trace(caller, session->options->as_root, session->pid, session->tids,
				   session->tid_count, err);
}

static bool start_command(struct session *session, const struct caller *caller, struct err *err)
{
	const struct record_options *options = session->options;
	const struct launch_how how = { caller, options->as_root, options->is_silent,
					&session->old_mask };

	return launch_start(&session->launch, options->command, &how, err);
}

/** Find the cgroup, its processes and their threads. */
static bool open_cgroup(struct session *session, const struct caller *caller, struct err *err)
{
	const struct record_options *options = session->options;
	VEC(pid_t) tids = { 0 };

	if (!permission_is_root(caller, options->as_root))
		return err_set(err, ERR_DENIED,
			       "recording a cgroup needs privilege, as its processes may be "
			       "anybody's; run it as root, under sudo with --root");
	if (options->unit && !unit_find(options->unit, &session->old_mask, &session->unit, err))
		return false;
	session->cgroup_path = options->unit ? session->unit.cgroup : options->cgroup;
	if (!cgroup_open(session->cgroup_path, &session->cgroup, err) ||
	    !cgroup_processes(&session->cgroup, &session->pids, &session->pid_count, err))
		return false;
	for (size_t i = 0; i < session->pid_count; i++) {
		CLEANUP(freep) pid_t *threads = NULL;
		struct err ended;
		size_t count;

		if (!attach_threads(session->pids[i], &threads, &count, &ended))
			continue;
		for (size_t at = 0; at < count; at++)
			vec_push(&tids, threads[at]);
	}
	session->tids = tids.items;
	session->tid_count = tids.count;
	session->was_populated = session->pid_count > 0;
	return true;
}

/** Take what runs in the cgroup already, but for what has ended meanwhile. */
static void snapshot_cgroup(struct session *session)
{
	for (size_t i = 0; i < session->pid_count; i++) {
		CLEANUP(freep) pid_t *tids = NULL;
		struct err ended;
		size_t count;

		if (attach_threads(session->pids[i], &tids, &count, &ended))
			attach_snapshot(session->pids[i], tids, count, session->start_ns,
					session->files, &session->sink, &ended);
	}
}

/** Start the command or find the process; then everything that sees what it does. */
static bool open_session(struct session *session, const struct caller *caller, struct err *err)
{
	const struct record_options *options = session->options;

	if (options->command) {
		if (!start_command(session, caller, err))
			return false;
		session->pid = session->launch.pid;
		session->tids = xcalloc(1, sizeof(pid_t));
		session->tids[0] = session->pid;
		session->tid_count = 1;
	} else if (options->cgroup || options->unit) {
		if (!open_cgroup(session, caller, err))
			return false;
		session->sink.exec_known = true;
	} else {
		session->pid = options->pid;
		if (!attach_threads(session->pid, &session->tids, &session->tid_count, err))
			return false;
		if (!session_find_process(session, err) || !may_attach(session, caller, err))
			return false;
		session->sink.exec_known = true;
	}
	session->sink.root_pid = (uint32_t)session->pid;
	session->sink.keeps_times = until_has_end(options->until);
	filelimit_raise(); // after the command's fork: it keeps its own
	session_limit_processor();

	const struct backend_config config = {
		.pid = session->pid,
		.tids = session->tids,
		.tid_count = session->tid_count,
		.cgroup = session->cgroup_path ? &session->cgroup : NULL,
		.stacks = options->stacks,
		.stack_bytes = options->stack_bytes,
		.ring_bytes = options->ring_bytes,
		.storage = !options->no_storage,
		.cpu_hz = options->cpu_hz,
		.cpu_adapts = options->cpu_adapts,
		.sample_cost_ns = session->costs_ns[TRACE_COST_SAMPLE],
		.watch = options->until ? &session->wanted : NULL,
		.is_attached = !options->command,
		.is_limited = !permission_is_root(caller, options->as_root),
		.caller_uid = caller->uid,
		.caller_gid = caller->gid,
	};
	bool small_rings = options->backend == RECORD_BACKEND_PERF || geteuid() != 0;

	// Mappings first: their ring is small and must not be squeezed out by the other's.
	session->watch = mapwatch_open(session->tids, session->tid_count, config.cgroup,
				       small_rings ? MAP_RING_BYTES_PERF : MAP_RING_BYTES_BPF, err);
	if (!session->watch) {
		session_explain_denied(err);
		return false;
	}
	session->files = mappedfiles_create(caller);
	mapwatch_number_files(session->watch, session->files);
	// One thread has few events. Of a process that is attached to the files are looked at now.
	if (options->command)
		mapwatch_wake_at_exec(session->watch, session->tids, session->tid_count);
	session->has_counts = session->pid > 0 && !options->command &&
			      attach_count(session->pid, &session->counts[ATTACH_BEFORE_BEGIN]);
	diskcounters_read(&session->disks[DISK_BEFORE_BEGIN]);
	session->backend = choose_backend(options, &config, session->notes, err);
	if (!session->backend)
		return false;
	diskcounters_read(&session->disks[DISK_AFTER_BEGIN]);
	session->has_counts = session->has_counts &&
			      attach_count(session->pid, &session->counts[ATTACH_AFTER_BEGIN]);
	if (!session->backend->counts_exits)
		mapwatch_deliver_exits(session->watch);
	return true;
}

/** Let the command find its files as options->cold and options->is_exact want it. */
static bool prepare_files(struct session *session, const struct caller *caller, pid_t pid,
			  struct notes *notes, struct err *err)
{
	const struct record_options *options = session->options;
	const struct coldfiles cold = { options->files, caller,
					!caller->under_sudo || options->as_root };

	return (options->cold == RECORD_AS_IT_IS ||
		coldfiles_drop(&cold, options->cold == RECORD_COLD_ALL, pid, notes, err)) &&
	       (!options->is_exact || readahead_stop(&session->readahead, &cold, notes, err));
}

/** Let the command go. */
static bool release(struct session *session, struct record_result *result, struct err *err)
{
	session->release_ns = clock_now_ns();
	int status = launch_release(&session->launch, session->options->command[0], err);

	session->running = status == 0;
	result->exit_status = status;
	return session->running;
}

/**
 * Run the command as it will be recorded, while nothing records. A signal meanwhile is passed on to
 * it and ends the recording before it has begun.
 */
static bool run_plain(struct session *session, const struct caller *caller,
		      struct record_result *result, struct err *err)
{
	struct notes notes = { 0 }; // the recorded run has the same

	// What it leaves behind must not be counted with the recorded run.
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	bool done = start_command(session, caller, err) &&
		    prepare_files(session, caller, session->launch.pid, &notes, err) &&
		    release(session, result, err);

	if (done)
		session_wait(session);
	if (done && session->signal)
		done = err_set(err, ERR_INPUT, "interrupted");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	readahead_restore(&session->readahead, &notes);
	notes_deinit(&notes);
	launch_close(&session->launch);
	result->plain = session->usage;
	session->usage = (struct record_usage){ 0 };
	session->wait_status = -1;
	session->rusage_minor = session->rusage_major = 0;
	return done;
}

/** Find what recording costs here, before there is anything to record. */
static void find_costs(struct session *session)
{
	struct err err = { 0 };

	if (session->options->backend == RECORD_BACKEND_PERF)
		return;
	session->has_costs = recordingcost_find(session->options, session->costs_ns, &err);
	if (session->has_costs)
		return;
	err_drop_ways(&err);
	snprintf(session->costs_unknown, sizeof(session->costs_unknown), "%.511s", err.message);
}

/** Say why it is not known what recording costs; with perf events it is never measured. */
static void note_costs(struct session *session)
{
	if (!session->backend->counts_exits) {
		session->has_costs = false;
		memset(session->costs_ns, 0, sizeof(session->costs_ns));
		session->costs_ns[TRACE_COST_SAMPLE] = session->backend->sample_cost_ns;
		notes_add(session->notes, "what recording added to the time is not known with perf "
					  "events: it is within the other states");
	} else if (!session->has_costs) {
		notes_add(session->notes,
			  "what recording added to the time is not known (%s): it is within the "
			  "other states",
			  session->costs_unknown);
	}
}

/** The program that is recorded, as the kernel names it; free() it. NULL: unknown. */
static char *find_program(const struct record_options *options)
{
	char path[64];

	if (options->command)
		return commandfiles_program(options->command[0]);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)options->pid);
	return realpath(path, NULL);
}

/** Find what the conditions need. */
static bool plan(struct session *session, const struct caller *caller, struct err *err)
{
	const struct record_options *options = session->options;

	if (until_has(options->until, CONDITION_FUNCTION))
		session->program = find_program(options);
	return until_plan(options->until, options->command ? 0 : options->pid, options->is_silent,
			  session->program, &session->wanted, err) &&
	       until_begin(&session->until, options->until, options->unit, caller, err);
}

/** Everything until the trace stands in its place and faults are seen. */
static bool begin(struct session *session, const struct caller *caller,
		  struct record_result *result, struct err *err)
{
	const struct record_options *options = session->options;

	if (!plan(session, caller, err))
		return false;
	find_costs(session);
	readahead_recover(session->notes);
	if (!outfile_open(&session->outfile, options->output, options->new_folder, caller, err))
		return false;
	if (options->plain && !run_plain(session, caller, result, err))
		return false;
	// Last before the command's start, as it reads files itself.
	if (!open_session(session, caller, err) ||
	    !prepare_files(session, caller, session->pid, session->notes, err))
		return false;
	result->backend = session->backend->name;
	note_costs(session);
	if (options->stacks)
		session->sink.spool = stackspool_create(options->stack_memory);
	if (!open_writer(session, &result->plain, err))
		return false;
	if (options->unit && !unit_start(&session->unit, &session->old_mask, err))
		return false;
	// The command has been forked already, and does not get it.
	priority_raise(&session->priority);
	if (options->command) {
		if (!release(session, result, err))
			return false;
	} else if (session->cgroup_path) {
		snapshot_cgroup(session);
	} else if (!attach_snapshot(session->pid, session->tids, session->tid_count,
				    session->start_ns, session->files, &session->sink, err) ||
		   !may_attach(session, caller, err)) {
		// Asked again: between the first time and the events it may have executed a setuid
		// program, or ended and left its number to another.
		return false;
	}
	if (!outfile_commit(&session->outfile, err))
		return false;
	if (options->begun)
		options->begun();
	return true;
}

static bool run(struct session *session, const struct caller *caller, struct record_result *result,
		struct err *err)
{
	if (!begin(session, caller, result, err)) {
		// Whatever could not be done with it any more. Its events are refused from when it
		// begins to exit, which is before its end is told.
		bool is_exiting =
			!session->options->command && err->code == ERR_OS && err->os_errno == ESRCH;

		if (is_exiting || session_process_ended(session))
			err_set(err, ERR_INPUT, "process %d: has just ended", (int)session->pid);
		return false;
	}
	result->placed = true;

	bool drained = session_loop(session, err);
	struct err late = { 0 };
	bool done = session_finish(session, caller, result, drained ? err : &late);

	result->exit_status = session_exit_status(session);
	result->signal = session->signal;
	result->usage = session->usage;
	result->kept = trace_writer_faults_kept(session->sink.writer);
	return drained && done;
}

bool record_run(const struct record_options *options, struct record_result *ret_result,
		struct err *err)
{
	struct caller caller = caller_find();
	struct session session;

	*ret_result = (struct record_result){ .backend = "none" };
	if (!backend_has_processor(err))
		return false;
	session_init(&session, options, &ret_result->notes);

	struct err reason = { 0 };
	bool done = run(&session, &caller, ret_result, &reason);

	if (!done && session.running)
		session_wait(&session); // the command goes on unharmed
	session_drop_signals(&session);
	session_deinit(&session);
	// No command is started any more. Messages that cannot be written change no exit status.
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);

	struct err dropping = { 0 };

	if (!privilege_drop(&caller, &dropping) && done) {
		done = false;
		reason = dropping;
	}
	if (!done && err)
		*err = reason;
	return done;
}
