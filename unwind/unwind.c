// SPDX-License-Identifier: Apache-2.0
// Owns the unwinding child as its parent sees it: the limits it gets, what it reports, and undoing
// what it wrote when it died. A hostile ELF file can cost the call stacks, never the trace.
#include "unwind/unwind.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/privilege.h"
#include "base/strbuf.h"
#include "machine/page.h"
#include "unwind/unwindchild.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	REPORT_MAX = 1 << 20,	     // bytes believed of a child's report
	CPU_SECONDS_DEFAULT = 300,   // and, for slow machines,
	STACKS_PER_CPU_SECOND = 500, // many times what is needed: 27 µs a stack
	CPU_SECONDS_GRACE = 5,
	WALL_PER_CPU_SECOND = 4, // for disks and network file systems
};

static const uint64_t memory_default = 4ull << 30;

/** How the child leaves when it can still choose. */
enum child_status {
	CHILD_DONE,
	CHILD_OUT_OF_MEMORY,
	CHILD_NOT_DROPPED,
	CHILD_NOT_WRITTEN,
};

/** Everything that the child says: lines "lost N", "note COUNT TEXT", "err ERRNO TEXT", "done". */
struct report {
	struct strbuf text;
	bool timed_out;
};

// ---- The child ------------------------------------------------------------------------------

static uint32_t cpu_limit(const struct unwind_input *input)
{
	return input->cpu_seconds ? input->cpu_seconds
				  : CPU_SECONDS_DEFAULT +
					    stackspool_count(input->spool) / STACKS_PER_CPU_SECOND;
}

/** Bytes of address space that this process has now. */
static uint64_t address_space(void)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (!file || fscanf(file, "%" SCNu64, &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** For good; @grace is what lies between the limit and the one that kills without a word. */
static bool limit_set(__rlimit_resource_t resource, uint64_t value, uint64_t grace, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return err_os(err, "reading a limit");
	if (value < limit.rlim_cur)
		limit.rlim_cur = value;
	if (limit.rlim_max > grace && value < limit.rlim_max - grace)
		limit.rlim_max = value + grace;
	// At the hard limit of processor time the kernel kills without a word.
	if (resource == RLIMIT_CPU && limit.rlim_cur == limit.rlim_max && limit.rlim_max > 1)
		limit.rlim_cur = limit.rlim_max - 1;
	return setrlimit(resource, &limit) == 0 || err_os(err, "setting a limit");
}

/** Give up privilege, bound what can be used up, and make sure that nothing of the stacks leaks. */
static bool confine(const struct unwind_input *input, pid_t parent, struct err *err)
{
	struct caller caller = caller_find();
	uint64_t memory = input->memory_bytes ? input->memory_bytes : memory_default;
	uint64_t address_limit;
	struct rlimit files;
	sigset_t none;

	if (!checked_add(address_space(), memory, &address_limit))
		address_limit = RLIM_INFINITY;
	if (!privilege_drop(&caller, err) || !limit_set(RLIMIT_CORE, 0, 0, err) ||
	    !limit_set(RLIMIT_AS, address_limit, 0, err) ||
	    !limit_set(RLIMIT_CPU, cpu_limit(input), CPU_SECONDS_GRACE, err))
		return false;
	// Each file stays open, and a program may have hundreds.
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	// After the ids, which reset both. Not dumpable: no core, and no ptrace by the caller's
	// other processes while the stacks are in memory.
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return err_os(err, "confining the unwinding process");
	if (getppid() != parent)
		_exit(CHILD_NOT_DROPPED);

	// The recorder may block or catch these; here they end the unwinding and nothing else.
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); // a full trace is an error of writing
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	unsetenv("DEBUGINFOD_URLS");
	return true;
}

/** Append one line; what would end it early is replaced. */
static void report_line(struct strbuf *report, const char *kind, uint64_t number, const char *text)
{
	strbuf_printf(report, "%s %" PRIu64 " ", kind, number);
	for (const char *byte = text; *byte; byte++)
		strbuf_putc(report, iscntrl((unsigned char)*byte) ? '?' : *byte);
	strbuf_putc(report, '\n');
}

static void report_send(int fd, const struct strbuf *report)
{
	const char *text = strbuf_text(report);
	size_t left = report->length;

	while (left) {
		ssize_t sent = write(fd, text, left);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return; // the parent misses "done" and says that the report was cut
		text += sent;
		left -= (size_t)sent;
	}
}

/** All of the child. */
static int child_main(const struct unwind_input *input, struct trace_writer *writer, int report_fd,
		      pid_t parent)
{
	struct strbuf report = { 0 };
	struct notes notes = { 0 };
	struct err err = { 0 };
	uint64_t lost = 0;

	oom_status = CHILD_OUT_OF_MEMORY;
	if (!confine(input, parent, &err)) {
		report_line(&report, "err", (uint64_t)err.os_errno, err.message);
		report_send(report_fd, &report);
		return CHILD_NOT_DROPPED;
	}
	if (!unwindchild_run(input, writer, &notes, &lost)) {
		const struct err *failed = trace_writer_error(writer);

		if (failed)
			err = *failed;
		report_line(&report, "err", (uint64_t)err.os_errno, err.message);
		report_send(report_fd, &report);
		return CHILD_NOT_WRITTEN;
	}
	report_line(&report, "lost", lost, "");
	vec_foreach (note, &notes.list)
		report_line(&report, "note", note->count, note->text);
	report_line(&report, "done", 0, "");
	report_send(report_fd, &report);
	return CHILD_DONE;
}

// ---- The parent -----------------------------------------------------------------------------

/** Read until the child closes its end, which it does by ending; end it when it takes too long. */
static void report_receive(struct report *report, int fd, pid_t pid, uint64_t wall_seconds)
{
	int64_t deadline = clock_now_ms() + (int64_t)wall_seconds * 1000;
	char bytes[4 << 10];

	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_now_ms();

		if (left <= 0) {
			report->timed_out = true;
			kill(pid, SIGKILL);
			return;
		}
		if (poll(&poll_fd, 1, left > 1000 ? 1000 : (int)left) <= 0)
			continue;

		ssize_t size = read(fd, bytes, sizeof(bytes));

		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size <= 0)
			return;
		if (report->text.length < REPORT_MAX)
			strbuf_add(&report->text, bytes, (size_t)size);
	}
}

/**
 * Take the child's report apart; it has parsed hostile files, so nothing but the form is believed.
 * Returns: whether it is whole.
 */
static bool report_parse(struct report *report, struct notes *notes, uint64_t *ret_lost,
			 struct err *err)
{
	CLEANUP(notes_deinit) struct notes said = { 0 };
	char *rest = report->text.text;
	bool is_done = false;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char kind[8];
		uint64_t number;
		int used = 0;

		if (sscanf(line, "%7s %" SCNu64 "%n", kind, &number, &used) != 2 ||
		    line[used] != ' ')
			continue;

		const char *text = line + used + 1;

		if (!strcmp(kind, "lost"))
			*ret_lost = number;
		else if (!strcmp(kind, "note"))
			vec_push(&said.list,
				 (struct note){ .text = xstrdup(text), .count = number });
		else if (!strcmp(kind, "done"))
			is_done = true;
		else if (!strcmp(kind, "err")) {
			bool is_errno = number <= MACHINE_ERRNO_MAX;

			*err = (struct err){ .code = ERR_OS,
					     .os_errno = is_errno ? (int)number : 0 };
			snprintf(err->message, sizeof(err->message), "%s", text);
		}
	}
	if (is_done)
		notes_merge(notes, &said);
	return is_done;
}

/** True if this process is allowed less processor time than the child is to take. */
static bool cpu_is_limited(const struct unwind_input *input)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_CPU, &limit) && limit.rlim_max <= cpu_limit(input);
}

/** Describe how the child ended. */
static void describe_end(char *text, size_t size, int status, const struct report *report,
			 const struct unwind_input *input)
{
	if (report->timed_out)
		snprintf(text, size, "it took more than %u s",
			 cpu_limit(input) * WALL_PER_CPU_SECOND);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU && cpu_is_limited(input))
		snprintf(text, size, "it took all the processor time allowed (ulimit -t)");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(text, size, "it took more than %u s of processor time", cpu_limit(input));
	else if (WIFSIGNALED(status))
		snprintf(text, size, "it was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == CHILD_OUT_OF_MEMORY)
		snprintf(text, size, "it ran out of memory");
	else
		snprintf(text, size, "it exited with status %d", WEXITSTATUS(status));
}

bool unwind_append(const struct unwind_input *input, struct trace_writer *writer, int fd,
		   struct notes *notes, uint64_t *ret_lost, struct err *err)
{
	uint32_t count = stackspool_count(input->spool);
	off_t start = lseek(fd, 0, SEEK_CUR);
	int pipe_fds[2];

	*ret_lost = 0;
	if (start < 0)
		return err_os(err, "the trace: finding the position of the call stacks");
	if (count == 0)
		return true;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return err_os(err, "a pipe to the unwinding process");

	CLEANUP(fd_close) int report_fd = pipe_fds[0];
	// The child has a copy of every stdio buffer.
	fflush(NULL);
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		close(pipe_fds[0]);
		_exit(child_main(input, writer, pipe_fds[1], parent));
	}
	close(pipe_fds[1]);
	if (pid < 0)
		return err_os(err, "starting the unwinding process");

	struct report report = { 0 };
	struct err child_err = { 0 };
	int status = 0;

	report_receive(&report, report_fd, pid, (uint64_t)cpu_limit(input) * WALL_PER_CPU_SECOND);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;

	bool is_whole = report_parse(&report, notes, ret_lost, &child_err) && WIFEXITED(status) &&
			WEXITSTATUS(status) == CHILD_DONE;
	char why[256];

	describe_end(why, sizeof(why), status, &report, input);
	strbuf_deinit(&report.text);
	if (is_whole)
		return lseek(fd, 0, SEEK_END) >= 0 || err_os(err, "the trace: seeking to its end");

	// The child appended through the same open file, so both its bytes and its place count
	// here.
	*ret_lost = 0;
	for (uint32_t id = 1; id <= count; id++)
		*ret_lost += stackspool_uses(input->spool, id);
	if (ftruncate(fd, start) || lseek(fd, start, SEEK_SET) < 0)
		return err_os(err, "the trace: removing half-written call stacks");
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NOT_WRITTEN) {
		*err = child_err;
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NOT_DROPPED)
		snprintf(why, sizeof(why), "%.200s", child_err.message);
	notes_add(notes, "all %u call stacks were lost: the process that unwinds them failed: %s",
		  count, why);
	return true;
}
