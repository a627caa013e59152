// SPDX-License-Identifier: Apache-2.0
#include "record/until/window.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "record/until/display.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECT_MS = 20000 };

/** All that is asked of a window. Replies come in this order: with the last all are there. */
enum { ASK_ATTRIBUTES, ASK_CLIENT, ASK_PID, ASK_LEADER, ASKS };

/** A window that was asked about. */
struct question {
	uint32_t window;
	uint64_t mapped_ns; // 0: it is new, and counts if it is mapped already
	unsigned int requests[ASKS];
};

struct questions {
	VEC(struct question) list;
};

/** Ask without waiting: what is told meanwhile has to have its own time. */
static void question(const struct display *display, struct questions *questions, uint32_t window,
		     uint64_t mapped_ns)
{
	struct question question = { window, mapped_ns, { 0 } };

	question.requests[ASK_ATTRIBUTES] = display_ask_attributes(display, window);
	question.requests[ASK_CLIENT] = display_ask_client(display, window);
	question.requests[ASK_PID] = display_ask_property(display, window, display->pid_atom);
	question.requests[ASK_LEADER] = display_ask_property(display, window, display->leader_atom);
	vec_push(&questions->list, question);
}

/** The first number of a property; 0: it has none. */
static uint32_t number_of(const union display_reply *reply)
{
	return reply && reply->bytes[1] == 32 && reply->words[4] >= 1 ? display_after(reply)[0] : 0;
}

/** The process whose window it is: the server's word counts, then the window's or its leader's. */
static uint32_t process_of(const struct display *display, union display_reply *const replies[ASKS])
{
	const union display_reply *client = replies[ASK_CLIENT];
	uint32_t pid = 0;

	// There is the client, the mask, the size of what follows, the number.
	if (client && client->words[1] >= 4 && client->words[2] >= 1)
		pid = display_after(client)[3];
	if (!pid)
		pid = number_of(replies[ASK_PID]);
	if (!pid && number_of(replies[ASK_LEADER])) {
		const unsigned int request = display_ask_property(
			display, number_of(replies[ASK_LEADER]), display->pid_atom);
		CLEANUP(freep) union display_reply *reply = display_wait_for(display, request);

		pid = number_of(reply);
	}
	return pid;
}

/** Tell of the window, if it is one that counts: not of a menu or one without a picture. */
static void answer(const struct display *display, const struct question *question,
		   union display_reply *const replies[ASKS], int fd)
{
	const union display_reply *attributes = replies[ASK_ATTRIBUTES];
	const struct mapped_window window = {
		.time_ns = question->mapped_ns ? question->mapped_ns : clock_now_ns(),
		.pid = process_of(display, replies),
		.id = question->window,
	};

	if (attributes && (attributes->halves[6] == DISPLAY_INPUT_ONLY || attributes->bytes[27]))
		return;
	if (!question->mapped_ns && !(attributes && attributes->bytes[26]))
		return;
	if (write(fd, &window, sizeof(window)) < 0)
		_exit(0); // the recorder is gone
}

/** A window was mapped: the root tells of it, and the window itself, before the answer or after. */
static void mapped(const struct display *display, struct questions *questions, uint32_t window,
		   uint64_t now_ns)
{
	vec_foreach (question, &questions->list) {
		if (question->window != window)
			continue;
		if (!question->mapped_ns)
			question->mapped_ns = now_ns;
		return;
	}
	question(display, questions, window, now_ns);
}

/** Take the answers that are there. Returns whether there was any. */
static bool take_answers(const struct display *display, struct questions *questions, int fd)
{
	size_t count = 0;

	for (; count < questions->list.count; count++) {
		const struct question *question = &questions->list.items[count];
		union display_reply *replies[ASKS] = { 0 };

		if (!display_has_reply(display, question->requests[ASKS - 1], &replies[ASKS - 1]))
			break;
		for (size_t i = 0; i < ASKS - 1; i++)
			if (question->requests[i])
				replies[i] = display_wait_for(display, question->requests[i]);
		answer(display, question, replies, fd);
		for (size_t i = 0; i < ASKS; i++)
			free(replies[i]);
	}
	memmove(questions->list.items, questions->list.items + count,
		(questions->list.count - count) * sizeof(*questions->list.items));
	questions->list.count -= count;
	return count > 0;
}

/**
 * Take what happened. A window that is made is watched itself: a window manager puts it into one of
 * its own, and the root does not tell of it then. Returns whether there was anything.
 */
static bool take_events(const struct display *display, struct questions *questions)
{
	union display_reply *event;
	bool is_any = false;

	while ((event = display_next_event(display))) {
		const uint64_t now_ns = clock_now_ns();
		const uint8_t kind = event->bytes[0]; // with 0x80: another client says so

		if (kind == DISPLAY_CREATED && !event->bytes[22]) {
			display_watch_window(display, event->words[2]);
			question(display, questions, event->words[2], 0);
		} else if (kind == DISPLAY_MAPPED && !event->bytes[12]) {
			mapped(display, questions, event->words[2], now_ns);
		}
		free(event);
		is_any = true;
	}
	return is_any;
}

/** Tell of windows until the connection ends. */
static void tell_all(const struct display *display, int fd)
{
	struct pollfd poll_fd = { display_fd(display), POLLIN, 0 };
	struct questions questions = { 0 };

	while (!display_is_gone(display)) {
		bool is_any = true;

		// Reading events may have read answers as well.
		while (is_any) {
			is_any = take_events(display, &questions);
			is_any |= take_answers(display, &questions, fd);
		}
		display_flush(display);
		poll(&poll_fd, 1, -1);
	}
	vec_deinit(&questions.list);
}

/** Be the user whose display it is, and end with the recorder. */
static bool become(const struct caller *caller, struct err *err)
{
	if (!privilege_drop(caller, err))
		return false;
	if (caller->under_sudo && caller->home)
		setenv("HOME", caller->home, 1); // of .Xauthority
	// Here, as becoming a user takes it back.
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 || err_os(err, "window");
}

/** The process that tells: first an error or none, then windows. */
static void __attribute__((noreturn)) teller(const struct caller *caller, pid_t parent, int fd)
{
	struct display display = { 0 };
	struct err err = { 0 };

	signal(SIGPIPE, SIG_IGN);
	// It has next to nothing to do, but that at once: on a busy machine it was 4 ms late
	// otherwise.
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
	if (become(caller, &err) && display_open(&display, caller, &err))
		display_watch_screens(&display);
	if (getppid() != parent)
		_exit(0);
	if (write(fd, &err, sizeof(err)) == sizeof(err) && !err.code)
		tell_all(&display, fd);
	_exit(0);
}

/** Wait for the first word of the process that tells. */
static bool wait_for_teller(struct window_watch *watch, struct err *err)
{
	struct pollfd poll_fd = { .fd = watch->fd, .events = POLLIN };
	struct err word;
	int ready;

	do
		ready = poll(&poll_fd, 1, CONNECT_MS);
	while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return err_set(err, ERR_OS, "window: the X display %s does not answer",
			       getenv("DISPLAY"));
	if (read(watch->fd, &word, sizeof(word)) != sizeof(word))
		return err_set(err, ERR_OS, "window: the process that watches the X display ended");
	if (word.code)
		*err = word;
	return !word.code;
}

bool window_watch_open(struct window_watch *watch, const struct caller *caller, struct err *err)
{
	const pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return err_os(err, "pipe");
	// No child that waiting for any finds: its faults and its end are not the command's.
	watch->teller = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (watch->teller == 0) {
		close(fds[0]);
		teller(caller, parent, fds[1]);
	}
	close(fds[1]);
	watch->fd = fds[0];
	if (watch->teller < 0)
		return err_os(err, "cannot start a process");
	return wait_for_teller(watch, err) &&
	       (fcntl(watch->fd, F_SETFL, O_NONBLOCK) == 0 || err_os(err, "window"));
}

bool window_watch_take(struct window_watch *watch, const struct u64map *pids,
		       struct mapped_window *ret_window)
{
	struct mapped_window window;
	ssize_t size = -1;

	// Shorter than PIPE_BUF: one is there whole or not at all.
	while (watch->fd >= 0 &&
	       (size = read(watch->fd, &window, sizeof(window))) == sizeof(window))
		vec_push(&watch->seen, window);
	watch->is_gone |= size == 0;
	vec_foreach (seen, &watch->seen) {
		if (!u64map_get(pids, seen->pid))
			continue;
		*ret_window = *seen;
		return true;
	}
	return false;
}

void window_watch_close(struct window_watch *watch)
{
	if (watch->teller > 0) {
		kill(watch->teller, SIGKILL);
		while (waitpid(watch->teller, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	}
	if (watch->fd >= 0)
		close(watch->fd);
	vec_deinit(&watch->seen);
	*watch = (struct window_watch){ .fd = -1 };
}
