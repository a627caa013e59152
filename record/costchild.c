// SPDX-License-Identifier: Apache-2.0
#include "record/costchild.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/median.h"
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

// Batches so short that few are interrupted, and so long that reading the clock is little of them.
enum { BATCH = 8, BATCHES_MOST = 65, FAULTS = BATCH * BATCHES_MOST };
enum { LOOP_PIECES = 12500, GAP_NS = 1000, LINES = 100, NICE_MOST = -20, PAGE = MACHINE_PAGE };

/** Memory of both processes. */
struct shared {
	struct costchild_run runs[COSTCHILD_PARTS];
	struct costchild_gap gaps[COSTCHILD_GAPS];
};

static const size_t batches_of[] = {
	[COSTCHILD_FAULTS] = BATCHES_MOST,
	[COSTCHILD_CALLS] = BATCHES_MOST,
	[COSTCHILD_MAPPINGS] = 15,
	[COSTCHILD_PAUSES] = 15,
};

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

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** Memory, file and process that the events need. */
struct place {
	volatile char *pages; // of COSTCHILD_FAULTS, FAULTS that are not there yet; else NULL
	int file;	      // the program's own
	const struct partner *partner;
};

/**
 * Read a new page: all are the kernel's page of zeros, so that what a fault takes differs less than
 * where a page has to be found and cleared.
 */
static bool touch(const struct place *place, size_t number)
{
	walk(LINES);
	(void)place->pages[number * PAGE];
	return true;
}

static bool call(void)
{
	walk(LINES);
	syscall(SYS_getppid);
	return true;
}

/** Map the program's own file: the path of a file is part of what is recorded. */
static bool map(const struct place *place)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, place->file, 0);

	walk(LINES);
	return page != MAP_FAILED && munmap(page, PAGE) == 0;
}

static bool wait_for_answer(const struct place *place)
{
	char byte = 0;

	return write(place->partner->to, &byte, 1) == 1 &&
	       read(place->partner->from, &byte, 1) == 1;
}

static bool do_event(enum costchild_part part, const struct place *place, size_t number)
{
	switch (part) {
	case COSTCHILD_FAULTS:
		return touch(place, number);
	case COSTCHILD_CALLS:
		return call();
	case COSTCHILD_MAPPINGS:
		return map(place);
	default:
		return wait_for_answer(place);
	}
}

/**
 * Make events of @part, and find what the middle one takes: what interrupts some of them, and on a
 * busy machine that takes longer than they do, is not theirs. Returns how many they were.
 */
static uint64_t make_events(enum costchild_part part, const struct place *place, uint64_t *ret_ns)
{
	uint64_t (*const clock_ns)(void) = part == COSTCHILD_PAUSES ? thread_ns : clock_now_ns;
	const size_t batches = batches_of[part];
	uint64_t ns[BATCHES_MOST];
	uint64_t done = 0;

	for (size_t i = 0; i < batches; i++) {
		const uint64_t start_ns = clock_ns();

		for (size_t j = 0; j < BATCH; j++)
			done += do_event(part, place, i * BATCH + j);
		ns[i] = clock_ns() - start_ns;
	}
	*ret_ns = (uint64_t)(median_of(ns, batches) / BATCH);
	return done;
}

/** Compute in pieces, and find those that were interrupted. Returns how many they were. */
static uint64_t compute(struct costchild_gap *ret_gaps)
{
	static uint64_t ends_ns[LOOP_PIECES + 1], pieces_ns[LOOP_PIECES];
	uint64_t count = 0;

	ends_ns[0] = clock_now_ns();
	for (size_t i = 0; i < LOOP_PIECES; i++) {
		walk(LINES);
		ends_ns[i + 1] = clock_now_ns();
		pieces_ns[i] = ends_ns[i + 1] - ends_ns[i];
	}

	const uint64_t usual_ns = (uint64_t)median_of(pieces_ns, LOOP_PIECES);

	for (size_t i = 0; i < LOOP_PIECES && count < COSTCHILD_GAPS; i++)
		if (ends_ns[i + 1] - ends_ns[i] > usual_ns + GAP_NS)
			ret_gaps[count++] = (struct costchild_gap){
				.start_ns = ends_ns[i],
				.end_ns = ends_ns[i + 1],
				.excess_ns = ends_ns[i + 1] - ends_ns[i] - usual_ns,
			};
	return count;
}

/** Memory of which no page is there. NULL: none to be had. */
static volatile char *new_pages(void)
{
	void *pages = mmap(NULL, FAULTS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	madvise(pages, FAULTS * PAGE, MADV_NOHUGEPAGE);
	return pages;
}

static void do_part(enum costchild_part part, struct place *place, struct costchild_run *run,
		    struct costchild_gap *gaps)
{
	place->pages = part == COSTCHILD_FAULTS ? new_pages() : NULL;
	*run = (struct costchild_run){ .start_ns = clock_now_ns() };
	if (part == COSTCHILD_LOOP)
		run->count = compute(gaps);
	else if (part != COSTCHILD_FAULTS || place->pages)
		run->count = make_events(part, place, &run->event_ns);
	run->end_ns = clock_now_ns();
	if (place->pages)
		munmap((void *)place->pages, FAULTS * PAGE);
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
	struct place place = { .file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
			       .partner = partner };
	uint8_t range[2];

	setpriority(PRIO_PROCESS, 0, NICE_MOST); // where that is allowed it is disturbed less
	end_stack_at(__builtin_frame_address(0));

	while (read(go, range, sizeof(range)) == sizeof(range)) {
		for (enum costchild_part part = range[0]; part < range[1]; part++)
			do_part(part, &place, &child->runs[part], child->gaps);
		if (write(done, range, 1) != 1)
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
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return err_os(err, "allocating memory to share");
	child->runs = shared->runs;
	child->gaps = shared->gaps;
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

bool costchild_run(struct costchild *child, enum costchild_part first, enum costchild_part end,
		   struct err *err)
{
	uint8_t range[] = { (uint8_t)first, (uint8_t)end };

	if (write(child->go, range, sizeof(range)) == sizeof(range) &&
	    read(child->done, range, 1) == 1)
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
		munmap(child->runs, sizeof(struct shared));
}
