// SPDX-License-Identifier: Apache-2.0
// Parts of the X11 protocol by libxcb, which is opened when it is needed: no program has to be
// installed, or built, with it. Its few functions used here are declared here, as in xcb.h and
// xcbext.h, which have not changed since libxcb 1.0; requests and replies are as X11's core
// protocol and the extension X-Resource 1.2 have them (x11protocol, resourceproto).
#include "record/until/window.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECT_MS = 20000 };

struct xcb_screens {
	const uint32_t *screen; // begins with its root window
	int left, index;
};

struct xcb_request {
	size_t parts;
	void *extension;
	uint8_t opcode, is_void;
};

struct xcb_fault;

static struct {
	void *(*connect)(const char *name, int *ret_screen);
	int (*connection_has_error)(void *connection);
	const void *(*get_setup)(void *connection);
	struct xcb_screens (*setup_roots_iterator)(const void *setup);
	void (*screen_next)(struct xcb_screens *screens);
	unsigned int (*send_request)(void *connection, int flags, struct iovec *parts,
				     const struct xcb_request *request);
	void *(*wait_for_reply)(void *connection, unsigned int request, struct xcb_fault **ret);
	int (*poll_for_reply)(void *connection, unsigned int request, void **ret_reply,
			      struct xcb_fault **ret);
	void *(*poll_for_event)(void *connection);
	int (*get_file_descriptor)(void *connection);
	int (*flush)(void *connection);
} xcb;

enum {
	REQUEST_CHECKED = 1, // an error comes instead of the reply, not as an event
	CHANGE_ATTRIBUTES = 2,
	GET_ATTRIBUTES = 3,
	QUERY_TREE = 15,
	INTERN_ATOM = 16,
	GET_PROPERTY = 20,
	QUERY_EXTENSION = 98,
	ATTRIBUTE_EVENTS = 1 << 11,
	STRUCTURE = 1 << 17,
	SUBSTRUCTURE = 1 << 19,
	EVENT_CREATED = 16,
	EVENT_MAPPED = 19,
	CLASS_INPUT_ONLY = 2,
	RESOURCE_VERSION = 0,
	RESOURCE_CLIENTS = 4,
	CLIENT_PROCESS = 2,
};

/** A reply: all are at least as long. */
union reply {
	uint8_t bytes[32];
	uint16_t halves[16];
	uint32_t words[8];
};

/** The numbers that follow it. */
static const uint32_t *after(const union reply *reply)
{
	return (const uint32_t *)(reply + 1);
}

struct display {
	void *connection;
	uint32_t pid_atom, leader_atom;
	uint8_t resource; // X-Resource's opcode; 0: the server has not got 1.2 of it
};

/** Send a request of @size bytes; its length is filled in. */
static unsigned int send_request(const struct display *display, uint8_t opcode, void *bytes,
				 size_t size, bool is_void)
{
	static char padding[3];
	struct iovec parts[4] = { [2] = { bytes, size }, [3] = { padding, -size & 3 } };
	const struct xcb_request request = { .parts = 2, .opcode = opcode, .is_void = is_void };

	// libxcb puts what has to go before into the two parts in front.
	return xcb.send_request(display->connection, is_void ? 0 : REQUEST_CHECKED, parts + 2,
				&request);
}

/** The reply to a request, to be freed; NULL: an error, such as of a window that is gone. */
static union reply *wait_for(const struct display *display, unsigned int request)
{
	struct xcb_fault *fault = NULL;
	union reply *reply = xcb.wait_for_reply(display->connection, request, &fault);

	free(fault);
	return reply;
}

static union reply *ask(const struct display *display, uint8_t opcode, void *bytes, size_t size)
{
	return wait_for(display, send_request(display, opcode, bytes, size, false));
}

static void select_events(const struct display *display, uint32_t window, uint32_t events)
{
	uint32_t request[4] = { 0, window, ATTRIBUTE_EVENTS, events };

	send_request(display, CHANGE_ATTRIBUTES, request, sizeof(request), true);
}

static uint32_t find_atom(const struct display *display, const char *name)
{
	struct {
		uint8_t opcode, only_if_exists;
		uint16_t length, name_length, unused;
		char name[32];
	} request = { .name_length = (uint16_t)strlen(name) };

	memcpy(request.name, name, strlen(name));
	CLEANUP(freep)
	union reply *reply = ask(display, INTERN_ATOM, &request, 8 + request.name_length);

	return reply ? reply->words[2] : 0;
}

/** The opcode of X-Resource, of a version that tells of processes; 0: none. */
static uint8_t find_resource(const struct display *display)
{
	static const char name[] = "X-Resource";
	struct {
		uint8_t opcode, unused;
		uint16_t length, name_length, unused_too;
		char name[sizeof(name)];
	} request = { .name_length = sizeof(name) - 1 };
	struct {
		uint8_t opcode, minor;
		uint16_t length;
		uint8_t client_major, client_minor, unused[2];
	} version = { .minor = RESOURCE_VERSION, .client_major = 1, .client_minor = 2 };

	memcpy(request.name, name, sizeof(name));
	CLEANUP(freep)
	union reply *reply = ask(display, QUERY_EXTENSION, &request, 8 + request.name_length);

	if (!reply || !reply->bytes[8])
		return 0;
	CLEANUP(freep)
	union reply *found = ask(display, reply->bytes[9], &version, sizeof(version));

	return found && (found->halves[4] > 1 || found->halves[5] >= 2) ? reply->bytes[9] : 0;
}

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

static unsigned int ask_property(const struct display *display, uint32_t window, uint32_t atom)
{
	uint32_t request[6] = { 0, window, atom, 0, 0, 1 };

	return send_request(display, GET_PROPERTY, request, sizeof(request), false);
}

/** Ask without waiting: what is told meanwhile has to have its own time. */
static void question(const struct display *display, struct questions *questions, uint32_t window,
		     uint64_t mapped_ns)
{
	uint32_t attributes[2] = { 0, window };
	struct {
		uint8_t opcode, minor;
		uint16_t length;
		uint32_t count, window, mask;
	} clients = { 0, RESOURCE_CLIENTS, 0, 1, window, CLIENT_PROCESS };
	const uint8_t resource = display->resource;
	struct question question = { window, mapped_ns, { 0 } };

	question.requests[ASK_ATTRIBUTES] =
		send_request(display, GET_ATTRIBUTES, attributes, sizeof(attributes), false);
	if (resource)
		question.requests[ASK_CLIENT] =
			send_request(display, resource, &clients, sizeof(clients), false);
	question.requests[ASK_PID] = ask_property(display, window, display->pid_atom);
	question.requests[ASK_LEADER] = ask_property(display, window, display->leader_atom);
	vec_push(&questions->list, question);
}

/** The first number of a property; 0: it has none. */
static uint32_t number_of(const union reply *reply)
{
	return reply && reply->bytes[1] == 32 && reply->words[4] >= 1 ? after(reply)[0] : 0;
}

/** The process whose window it is: the server's word counts, then the window's or its leader's. */
static uint32_t process_of(const struct display *display, union reply *const replies[ASKS])
{
	const union reply *client = replies[ASK_CLIENT];
	uint32_t pid = 0;

	// There is the client, the mask, the size of what follows, the number.
	if (client && client->words[1] >= 4 && client->words[2] >= 1)
		pid = after(client)[3];
	if (!pid)
		pid = number_of(replies[ASK_PID]);
	if (!pid && number_of(replies[ASK_LEADER])) {
		const unsigned int request =
			ask_property(display, number_of(replies[ASK_LEADER]), display->pid_atom);
		CLEANUP(freep) union reply *reply = wait_for(display, request);

		pid = number_of(reply);
	}
	return pid;
}

/** Tell of the window, if it is one that counts: not of a menu or one without a picture. */
static void answer(const struct display *display, const struct question *question,
		   union reply *const replies[ASKS], int fd)
{
	const union reply *attributes = replies[ASK_ATTRIBUTES];
	const struct mapped_window window = {
		.time_ns = question->mapped_ns ? question->mapped_ns : clock_now_ns(),
		.pid = process_of(display, replies),
		.id = question->window,
	};

	if (attributes && (attributes->halves[6] == CLASS_INPUT_ONLY || attributes->bytes[27]))
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
		union reply *replies[ASKS] = { 0 };
		struct xcb_fault *fault = NULL;

		if (!xcb.poll_for_reply(display->connection, question->requests[ASKS - 1],
					(void **)&replies[ASKS - 1], &fault))
			break;
		free(fault);
		for (size_t i = 0; i < ASKS - 1; i++)
			if (question->requests[i])
				replies[i] = wait_for(display, question->requests[i]);
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
	union reply *event;
	bool is_any = false;

	while ((event = xcb.poll_for_event(display->connection))) {
		const uint64_t now_ns = clock_now_ns();
		const uint8_t kind = event->bytes[0]; // with 0x80: another client says so

		if (kind == EVENT_CREATED && !event->bytes[22]) {
			select_events(display, event->words[2], STRUCTURE);
			question(display, questions, event->words[2], 0);
		} else if (kind == EVENT_MAPPED && !event->bytes[12]) {
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
	struct pollfd poll_fd = { xcb.get_file_descriptor(display->connection), POLLIN, 0 };
	struct questions questions = { 0 };

	while (!xcb.connection_has_error(display->connection)) {
		bool is_any = true;

		// Reading events may have read answers as well.
		while (is_any) {
			is_any = take_events(display, &questions);
			is_any |= take_answers(display, &questions, fd);
		}
		xcb.flush(display->connection);
		poll(&poll_fd, 1, -1);
	}
	vec_deinit(&questions.list);
}

/** Watch each screen, and all windows that are there. */
static void watch_screens(const struct display *display)
{
	struct xcb_screens screens = xcb.setup_roots_iterator(xcb.get_setup(display->connection));

	for (; screens.left > 0; xcb.screen_next(&screens)) {
		uint32_t request[2] = { 0, *screens.screen };

		select_events(display, *screens.screen, SUBSTRUCTURE);
		CLEANUP(freep)
		union reply *tree = ask(display, QUERY_TREE, request, sizeof(request));

		for (uint32_t i = 0; tree && i < tree->halves[8]; i++)
			select_events(display, after(tree)[i], STRUCTURE);
	}
}

static bool load(struct err *err)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "xcb_connect", &xcb.connect },
		{ "xcb_connection_has_error", &xcb.connection_has_error },
		{ "xcb_get_setup", &xcb.get_setup },
		{ "xcb_setup_roots_iterator", &xcb.setup_roots_iterator },
		{ "xcb_screen_next", &xcb.screen_next },
		{ "xcb_send_request", &xcb.send_request },
		{ "xcb_wait_for_reply", &xcb.wait_for_reply },
		{ "xcb_poll_for_reply", &xcb.poll_for_reply },
		{ "xcb_poll_for_event", &xcb.poll_for_event },
		{ "xcb_get_file_descriptor", &xcb.get_file_descriptor },
		{ "xcb_flush", &xcb.flush },
	};
	void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
	bool is_whole = library;

	for (size_t i = 0; is_whole && i < sizeof(functions) / sizeof(functions[0]); i++) {
		*(void **)functions[i].function = dlsym(library, functions[i].name);
		is_whole = *(void **)functions[i].function;
	}
	return is_whole ||
	       err_set(err, ERR_UNSUPPORTED,
		       "window: %s; with libxcb it is seen:\n  apt-get install libxcb1", dlerror());
}

static bool connect_display(struct display *display, const struct caller *caller, struct err *err)
{
	const char *name = getenv("DISPLAY"), *key = getenv("XAUTHORITY");

	if (!name || !name[0])
		return err_set(err, ERR_UNSUPPORTED,
			       "window: the environment has no DISPLAY, the X display on which "
			       "windows appear; name it, and keep it under sudo:\n"
			       "  DISPLAY=:0 elfault record ...\n"
			       "  sudo --preserve-env=DISPLAY,XAUTHORITY elfault record ...");
	if (!load(err))
		return false;
	display->connection = xcb.connect(name, NULL);
	if (xcb.connection_has_error(display->connection))
		return err_set(err, ERR_DENIED,
			       "window: cannot connect to the X display %s as user %d, with the "
			       "key in %s (XAUTHORITY): it is not there, or does not let this user "
			       "in; keep both under sudo:\n"
			       "  sudo --preserve-env=DISPLAY,XAUTHORITY elfault record ...",
			       name, (int)caller->uid, key ? key : "~/.Xauthority");
	display->pid_atom = find_atom(display, "_NET_WM_PID");
	display->leader_atom = find_atom(display, "WM_CLIENT_LEADER");
	display->resource = find_resource(display);
	return true;
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
	if (become(caller, &err) && connect_display(&display, caller, &err))
		watch_screens(&display);
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
