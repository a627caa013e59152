// SPDX-License-Identifier: Apache-2.0
#include "record/costchild.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/order.h"
#include "machine/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Long enough to be measured, some 10 ms in all.
enum { FAULTS = 1000, CALLS = 3000, MAPPINGS = 200, PAUSES = 200 };
enum { LOOP_PIECES = 25000, GAP_NS = 1000, LINES = 100, NICE_MOST = -20, PAGE = MACHINE_PAGE };

enum { ENDS = 2 };

/** Pipes to the process that the child waits for. */
struct partner {
	int to, from;
	pid_t pid;
};

/**
 * Memory that the child goes through meanwhile: a program has its own data in the caches, and the
 * recorder has to fetch its again for each event, which a bare loop would not show.
 */
static volatile char footprint[512 << 10];

static void walk(size_t lines)
{
	enum { LINE = 64 };
	static size_t at;

	for (size_t i = 0; i < lines; i++) {
		// An odd number of lines further each time: no pattern to be fetched ahead.
		at = (at + 1009 * LINE) % sizeof(footprint);
		footprint[at]++;
	}
}

/**
 * How fast the processor is right now: on a shared machine that changes by half within moments. The
 * middle of pieces that are so short that few are interrupted, recorded or not.
 */
static uint64_t pace(void)
{
	enum { PIECES = 15, PIECE_LINES = 2000 };
	uint64_t ns[PIECES];

	for (size_t i = 0; i < PIECES; i++) {
		const uint64_t start_ns = clock_now_ns();

		walk(PIECE_LINES);
		ns[i] = clock_now_ns() - start_ns;
	}
	qsort(ns, PIECES, sizeof(*ns), order_u64);
	return ns[PIECES / 2];
}

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/**
 * Read @count new pages: all are the kernel's page of zeros, so that what a fault takes differs
 * less than where a page has to be found and cleared.
 */
static uint64_t touch(volatile char *pages, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		walk(LINES);
		(void)pages[i * PAGE];
	}
	return count;
}

static uint64_t call(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		walk(LINES);
		syscall(SYS_getppid);
	}
	return count;
}

/** Map the program's own file: the path of a file is part of what is recorded. */
static uint64_t map(uint64_t count)
{
	CLEANUP(fd_close) int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t done = 0;

	for (uint64_t i = 0; i < count; i++) {
		void *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

		walk(LINES);
		if (page != MAP_FAILED && munmap(page, PAGE) == 0)
			done++;
	}
	return done;
}

static uint64_t pause_often(const struct partner *partner, uint64_t count)
{
	char byte = 0;
	uint64_t done = 0;

	while (done < count && write(partner->to, &byte, 1) == 1 &&
	       read(partner->from, &byte, 1) == 1)
		done++;
	return done;
}

/**
 * Compute in pieces, and look at those that were interrupted: *@ret_gap_ns is by how much the
 * middle one of these took longer. Returns how many they were.
 */
static uint64_t compute(uint64_t *ret_gap_ns)
{
	static uint64_t pieces[LOOP_PIECES];
	uint64_t before_ns = clock_now_ns();
	size_t first = LOOP_PIECES;

	for (size_t i = 0; i < LOOP_PIECES; i++) {
		walk(LINES);
		const uint64_t now_ns = clock_now_ns();

		pieces[i] = now_ns - before_ns;
		before_ns = now_ns;
	}
	qsort(pieces, LOOP_PIECES, sizeof(*pieces), order_u64);

	const uint64_t usual_ns = pieces[LOOP_PIECES / 2];

	while (first > 0 && pieces[first - 1] > usual_ns + GAP_NS)
		first--;
	if (first < LOOP_PIECES)
		*ret_gap_ns = pieces[first + (LOOP_PIECES - first) / 2] - usual_ns;
	return LOOP_PIECES - first;
}

/** Pages that are not there: what is asked for here is made by faults. NULL: none to be had. */
static volatile char *new_pages(uint64_t count)
{
	void *pages = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	madvise(pages, count * PAGE, MADV_NOHUGEPAGE);
	return pages;
}

static void do_part(enum costchild_part part, const struct partner *partner,
		    struct costchild_run *run)
{
	volatile char *pages = part == COSTCHILD_FAULTS ? new_pages(FAULTS) : NULL;

	*run = (struct costchild_run){ .pace_ns = pace(), .start_ns = clock_now_ns() };
	const uint64_t cpu_ns = thread_ns();

	switch (part) {
	case COSTCHILD_FAULTS:
		run->count = pages ? touch(pages, FAULTS) : 0;
		break;
	case COSTCHILD_CALLS:
		run->count = call(CALLS);
		break;
	case COSTCHILD_MAPPINGS:
		run->count = map(MAPPINGS);
		break;
	case COSTCHILD_PAUSES:
		run->count = pause_often(partner, PAUSES);
		break;
	default:
		run->count = compute(&run->gap_ns);
		break;
	}
	run->cpu_ns = thread_ns() - cpu_ns;
	run->end_ns = clock_now_ns();
	run->pace_ns += pace();
	if (pages)
		munmap((void *)pages, FAULTS * PAGE);
}

/** Answer each byte, until there are no more. */
static _Noreturn void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

/**
 * Let the recorder copy the stack up to @frame only: what is above are its own frames, 19 KiB,
 * where programs that start have 1 to 6. It takes a stack for signals as one of its own.
 */
static void end_stack_at(char *frame)
{
	enum { MOST = 64 << 10 };
	const stack_t stack = { .ss_sp = frame - MOST, .ss_size = MOST };

	sigaltstack(&stack, NULL);
}

static _Noreturn void be_child(const struct costchild *child, const struct partner *partner, int go,
			       int done)
{
	char byte;

	setpriority(PRIO_PROCESS, 0, NICE_MOST); // where that is allowed it is disturbed less
	end_stack_at(__builtin_frame_address(0));

	while (read(go, &byte, 1) == 1) {
		for (enum costchild_part part = 0; part < COSTCHILD_PARTS; part++)
			do_part(part, partner, &child->runs[part]);
		if (write(done, &byte, 1) != 1)
			break;
	}
	// Nobody else is to find it as an orphan.
	close(partner->to);
	waitpid(partner->pid, NULL, 0);
	_exit(0);
}

/** Fork; *@ret_to and *@ret_from are pipes to the new process, which has @own of its own. */
static pid_t fork_with_pipes(int *ret_to, int *ret_from, int own[2])
{
	int to[ENDS], from[ENDS];

	if (pipe2(to, O_CLOEXEC) != 0)
		return -1;
	if (pipe2(from, O_CLOEXEC) != 0) {
		close(to[0]);
		close(to[1]);
		return -1;
	}
	pid_t pid = fork();

	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		own[0] = to[0];
		own[1] = from[1];
		return 0;
	}
	close(to[0]);
	close(from[1]);
	if (pid < 0) {
		close(to[1]);
		close(from[0]);
		return -1;
	}
	*ret_to = to[1];
	*ret_from = from[0];
	return pid;
}

bool costchild_start(struct costchild *child, struct err *err)
{
	struct partner partner;
	int own[ENDS];

	*child = (struct costchild){ .go = -1, .done = -1 };
	void *runs = mmap(NULL, COSTCHILD_PARTS * sizeof(*child->runs), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (runs == MAP_FAILED)
		return err_os(err, "allocating memory to share");
	child->runs = runs;
	child->pid = fork_with_pipes(&child->go, &child->done, own);
	if (child->pid < 0) {
		child->pid = 0;
		return err_os(err, "starting a child");
	}
	if (child->pid > 0)
		return true;

	// The partner is not recorded: the child's own waits are what is measured.
	int partner_own[ENDS];

	partner.pid = fork_with_pipes(&partner.to, &partner.from, partner_own);
	if (partner.pid == 0)
		answer(partner_own[0], partner_own[1]);
	if (partner.pid < 0)
		_exit(1);
	be_child(child, &partner, own[0], own[1]);
}

bool costchild_run(struct costchild *child, struct err *err)
{
	char byte = 0;

	if (write(child->go, &byte, 1) == 1 && read(child->done, &byte, 1) == 1)
		return true;
	return err_set(err, ERR_UNSUPPORTED, "the child that measures ended early");
}

void costchild_end(struct costchild *child)
{
	if (child->go >= 0)
		close(child->go);
	if (child->done >= 0)
		close(child->done);
	if (child->pid > 0)
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (child->runs)
		munmap(child->runs, COSTCHILD_PARTS * sizeof(*child->runs));
}
