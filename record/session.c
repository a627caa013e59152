// SPDX-License-Identifier: Apache-2.0
// The loop of a recording. The reader is not woken for each record (that costs the traced program
// an inter-processor interrupt each), only when a ring has filled to some part, and comes by itself
// now and then. Until then it leaves both processors to the command: a short one is read when it
// has ended.
#include "record/session.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/privilege.h"
#include "base/waitstatus.h"
#include "trace/living.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { PAUSE_MS = 50 };

static const uint64_t flush_every_ns = 500000000;

void record_signals(sigset_t *ret_signals)
{
	static const int others[] = {
		SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,  SIGSYS, // of its own mistakes
		SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGWINCH, SIGURG, SIGCHLD,
	};

	sigfillset(ret_signals);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sigdelset(ret_signals, others[i]);
}

void session_init(struct session *session, const struct record_options *options,
		  struct notes *notes)
{
	struct sigaction hangup;
	sigset_t taken;

	*session = (struct session){
		.options = options,
		.notes = notes,
		.launch = { .go_fd = -1, .result_fd = -1 },
		.outfile = { .fd = -1 },
		.epoll_fd = -1,
		.process_fd = -1,
		.cgroup = { .fd = -1 },
		.wait_status = -1,
	};
	record_signals(&taken);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN) // nohup
		sigdelset(&taken, SIGHUP);
	sigaddset(&taken, SIGCHLD);
	sigprocmask(SIG_BLOCK, &taken, &session->old_mask);
	session->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (options->command && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		notes_add(notes,
			  "cannot wait for orphans of the command, so the kernel's count"
			  " excludes them: %s",
			  strerror(errno));
}

void session_close_events(struct session *session)
{
	if (session->backend)
		session->backend->close(session->backend);
	session->backend = NULL;
	mapwatch_close(session->watch);
	session->watch = NULL;
}

void session_deinit(struct session *session)
{
	priority_restore(&session->priority);
	readahead_restore(&session->readahead, session->notes);
	launch_close(&session->launch);
	session_close_events(session);
	trace_writer_close(session->sink.writer);
	stackspool_destroy(session->sink.spool);
	mappedfiles_destroy(session->files);
	sink_deinit(&session->sink);
	until_end(&session->until);
	for (size_t i = 0; i < DISK_LOOKS; i++)
		vec_deinit(&session->disks[i].list);
	outfile_close(&session->outfile);
	fd_close(&session->epoll_fd);
	fd_close(&session->signal_fd);
	fd_close(&session->process_fd);
	cgroup_close(&session->cgroup);
	unit_close(&session->unit);
	free(session->pids);
	free(session->tids);
	free(session->program);
	sigprocmask(SIG_SETMASK, &session->old_mask, NULL);
}

void session_limit_processor(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY ||
	    limit.rlim_cur < limit.rlim_max || limit.rlim_max < 2)
		return;
	limit.rlim_cur = limit.rlim_max - 1;
	setrlimit(RLIMIT_CPU, &limit);
}

void session_explain_denied(struct err *err)
{
	if (err->code != ERR_OS || (err->os_errno != EACCES && err->os_errno != EPERM))
		return;

	char what[256];
	char level[32] = "unknown\n";
	CLEANUP(file_closep) FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");

	if (file && !fgets(level, sizeof(level), file))
		strcpy(level, "unknown\n");
	level[strcspn(level, "\n")] = '\0';
	snprintf(what, sizeof(what), "%.255s", err->message);
	err_set(err, ERR_DENIED,
		"recording mappings is not allowed: %s (kernel.perf_event_paranoid is %s; it must "
		"be 2 or less, and the process your own); any of these helps:\n"
		"  %ssudo sysctl kernel.perf_event_paranoid=2\n"
		"  %s",
		what, level, privilege_place(), privilege_way());
}

/** Reap the children that have ended. Returns true if the command is among them. */
static bool reap(struct session *session, int flags)
{
	bool ended = false;
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, flags, &usage)) > 0) {
		session->rusage_minor += (uint64_t)usage.ru_minflt;
		session->rusage_major += (uint64_t)usage.ru_majflt;
		if (pid != session->launch.pid)
			continue;
		session->usage = launch_usage(&session->launch, &usage,
					      clock_now_ns() - session->release_ns);
		session->wait_status = status;
		session->running = false;
		ended = true;
		flags |= WNOHANG;
	}
	return ended;
}

/** Whether the signal comes from our own writing, whose error says the same. */
static bool is_own(const struct signalfd_siginfo *info)
{
	return (info->ssi_signo == SIGPIPE || info->ssi_signo == SIGXFSZ) &&
	       info->ssi_pid == (uint32_t)getpid();
}

static void note_signal(struct session *session, int number, bool attached)
{
	const char *name = sigabbrev_np(number);

	if (attached && number == SIGINT)
		return; // the way to end it
	notes_add(session->notes,
		  attached ? "elfault was sent SIG%s (signal %d), which ended the recording"
			   : "elfault was sent SIG%s (signal %d) and passed it on to the command",
		  name ? name : "RT", number);
}

/** Returns true when a signal asks to end. */
static bool take_signals(struct session *session)
{
	struct signalfd_siginfo info;
	bool attached = !session->options->command;
	bool end = false;

	while (read(session->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		int number = (int)info.ssi_signo;

		if (number == SIGCHLD || is_own(&info))
			continue;
		if (number == SIGXCPU && info.ssi_code == SI_KERNEL) {
			session->out_of_time = true;
			continue;
		}
		if (until_signal(&session->until, clock_now_ns()))
			continue;
		session->signal = number;
		if (attached)
			end = true;
		else if (info.ssi_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT))
			continue; // Ctrl-C reaches the command by itself
		else
			kill(session->launch.pid, number);
		note_signal(session, number, attached);
	}
	return end;
}

static bool watch_fd(struct session *session, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool prepare(struct session *session, struct err *err)
{
	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0 || session->signal_fd < 0)
		return err_os(err, "epoll");
	if (!watch_fd(session, session->signal_fd) ||
	    !mapwatch_wake(session->watch, session->epoll_fd))
		return err_os(err, "epoll");
	if (session->backend->wake_fd >= 0 && !watch_fd(session, session->backend->wake_fd))
		return err_os(err, "epoll");
	return session->process_fd < 0 || watch_fd(session, session->process_fd) ||
	       err_os(err, "epoll");
}

bool session_find_process(struct session *session, struct err *err)
{
	session->process_fd = (int)syscall(SYS_pidfd_open, session->pid, 0);
	return session->process_fd >= 0 || err_os(err, "process %d", (int)session->pid);
}

bool session_process_ended(const struct session *session)
{
	// A pidfd becomes readable when the process has ended; poll() passes over -1.
	struct pollfd process = { .fd = session->process_fd, .events = POLLIN };

	// Between the steps of its start a unit may have no process.
	if (session->unit.starter)
		return false;
	if (session->cgroup.fd >= 0)
		return session->was_populated && !cgroup_is_populated(&session->cgroup);
	return poll(&process, 1, 0) == 1;
}

uint64_t session_command_start(const struct session *session)
{
	return session->options->command ? session->sink.exec_ns : session->start_ns;
}

void session_judge(struct session *session)
{
	const uint64_t now_ns = clock_now_ns();
	uint64_t started_ns;

	if (unit_take(&session->unit, &started_ns))
		until_notified(&session->until, started_ns);
	if (!session->options->until)
		return;
	until_take(&session->until, &session->sink.sightings);
	until_take_tasks(&session->until, session->sink.tasks.items, session->sink.tasks.count);
	until_tick(&session->until, session_command_start(session), now_ns);
	session->is_over = until_is_over(&session->until, &session->over_ns, &session->over_item);
	// A recorder that is killed leaves what it has written.
	if (until_write_early(&session->until, session->sink.writer))
		trace_writer_flush(session->sink.writer);
}

/** True if processes of the recording are left when the command itself has ended. */
static bool is_anything_left(struct session *session)
{
	size_t processes;

	return waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       sink_running(&session->sink, &processes) > 0;
}

/** Take hold of files in memory before anything else: they may be gone within a moment. */
static void hold_memory_files(struct session *session)
{
	if (session->backend->hurry)
		session->backend->hurry(session->backend, &session->sink);
	vec_foreach (file, &session->sink.memory_files)
		mappedfiles_memory(session->files, file->pid, file->fd);
	session->sink.memory_files.count = 0;
	mappedfiles_let_go(session->files);
}

/** One look at everything. Returns true when it is over. */
static bool look(struct session *session)
{
	bool end = take_signals(session);

	// Before the events are read: those of a child that has ended are all among them.
	if (session->options->command)
		reap(session, WNOHANG);
	hold_memory_files(session);
	// Mappings first, so that a fault is rarely seen before what it needs.
	mapwatch_drain(session->watch, &session->sink);
	session->backend->drain(session->backend, &session->sink);
	session_judge(session);
	if (session->is_over)
		return true;
	if (session->options->command) {
		// A program that goes on in the background has not come to its condition yet.
		return !session->running &&
		       !(until_has_end(session->options->until) && is_anything_left(session));
	}

	session->was_populated = session->was_populated || sink_execs(&session->sink) > 0;
	uint64_t elapsed = clock_now_ns() - session->start_ns;

	return end || session_process_ended(session) || session->unit.status != 0 ||
	       (session->options->seconds > 0 &&
		(double)elapsed >= session->options->seconds * 1e9);
}

/** How long to wait for what wakes: less where a time is a condition. */
static int pause_ms(const struct session *session)
{
	const uint64_t ns = until_next_tick(&session->until, session_command_start(session),
					    clock_now_ns(), (uint64_t)PAUSE_MS * 1000000);

	return (int)(ns / 1000000) + (ns % 1000000 > 0); // at most PAUSE_MS
}

bool session_loop(struct session *session, struct err *err)
{
	uint64_t flushed = clock_now_ns();

	if (!prepare(session, err))
		return false;
	for (;;) {
		struct epoll_event events[4];

		epoll_wait(session->epoll_fd, events, 4,
			   session->backend->is_behind ? 0 : pause_ms(session));
		if (look(session))
			return true;
		if (session->out_of_time)
			return err_set(err, ERR_OS,
				       "%s: %" PRIu64
				       " faults were recorded, then the recorder's own"
				       " processor time was used up (ulimit -t)",
				       session->options->output,
				       trace_writer_fault_count(session->sink.writer));

		uint64_t now = clock_now_ns();

		if (now - flushed >= flush_every_ns) {
			trace_writer_flush(session->sink.writer);
			flushed = now;
		}

		const struct err *failed = trace_writer_error(session->sink.writer);

		if (!failed)
			continue;
		*err = *failed;
		return err_prefix(err, "%s: %" PRIu64 " faults were kept, then",
				  session->options->output,
				  trace_writer_faults_kept(session->sink.writer));
	}
}

void session_wait(struct session *session)
{
	session_close_events(session);
	while (session->running) {
		struct pollfd poll_signals = { .fd = session->signal_fd, .events = POLLIN };

		take_signals(session);
		if (reap(session, WNOHANG))
			break;
		poll(&poll_signals, 1, 1000);
	}
}

/** Send @number to the processes of the recording that live. Returns how many there are. */
static size_t signal_processes(struct session *session, int number)
{
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	CLEANUP(living_deinit) struct living living;
	const pid_t own = getpid();
	size_t count = 0;

	sink_sort(&session->sink);
	living_init(&living, session->sink.tasks.items, session->sink.tasks.count);
	vec_foreach (task, &session->sink.tasks) {
		const pid_t pid = (pid_t)task->pid;

		if (!living_is(&living, task->tid) || !u64map_add(&seen, task->pid) || pid <= 1 ||
		    pid == own)
			continue;
		count += kill(pid, number) == 0;
	}
	return count;
}

size_t session_end_processes(struct session *session)
{
	enum { PATIENCE_MS = 5000, STEP_MS = 10 };
	const size_t count = signal_processes(session, SIGTERM);
	int waited_ms = 0;

	// Those that nobody else waits for are this process's children.
	while (signal_processes(session, 0) > 0 && waited_ms < PATIENCE_MS) {
		reap(session, WNOHANG);
		poll(NULL, 0, STEP_MS);
		waited_ms += STEP_MS;
	}
	if (waited_ms >= PATIENCE_MS)
		signal_processes(session, SIGKILL);
	reap(session, WNOHANG);
	return count;
}

void session_drop_signals(const struct session *session)
{
	struct signalfd_siginfo info;

	while (read(session->signal_fd, &info, sizeof(info)) == sizeof(info))
		;
}

int session_exit_status(const struct session *session)
{
	if (!session->options->command || session->wait_status < 0 || session->is_over)
		return 0;
	return waitstatus_shell(session->wait_status);
}
