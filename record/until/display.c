// SPDX-License-Identifier: Apache-2.0
// Parts of the X11 protocol by libxcb, which is opened when it is needed: no program has to be
// installed, or built, with it. Its few functions used here are declared here, as in xcb.h and
// xcbext.h, which have not changed since libxcb 1.0; requests and replies are as X11's core
// protocol and the extension X-Resource 1.2 have them (x11protocol, resourceproto).
#include "record/until/display.h"

#include "base/cleanup.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

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
	SUBSTRUCTURE = 1 << 19,
	STRUCTURE = 1 << 17,
	RESOURCE_VERSION = 0,
	RESOURCE_CLIENTS = 4,
	CLIENT_PROCESS = 2,
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

union display_reply *display_wait_for(const struct display *display, unsigned int request)
{
	CLEANUP(freep) struct xcb_fault *fault = NULL;
	union display_reply *reply = xcb.wait_for_reply(display->connection, request, &fault);

	return reply;
}

static union display_reply *ask(const struct display *display, uint8_t opcode, void *bytes,
				size_t size)
{
	return display_wait_for(display, send_request(display, opcode, bytes, size, false));
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
	union display_reply *reply = ask(display, INTERN_ATOM, &request, 8 + request.name_length);

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
	union display_reply *reply =
		ask(display, QUERY_EXTENSION, &request, 8 + request.name_length);

	if (!reply || !reply->bytes[8])
		return 0;
	CLEANUP(freep)
	union display_reply *found = ask(display, reply->bytes[9], &version, sizeof(version));

	return found && (found->halves[4] > 1 || found->halves[5] >= 2) ? reply->bytes[9] : 0;
}

unsigned int display_ask_attributes(const struct display *display, uint32_t window)
{
	uint32_t request[2] = { 0, window };

	return send_request(display, GET_ATTRIBUTES, request, sizeof(request), false);
}

unsigned int display_ask_client(const struct display *display, uint32_t window)
{
	struct {
		uint8_t opcode, minor;
		uint16_t length;
		uint32_t count, window, mask;
	} request = { 0, RESOURCE_CLIENTS, 0, 1, window, CLIENT_PROCESS };

	return display->resource
		       ? send_request(display, display->resource, &request, sizeof(request), false)
		       : 0;
}

unsigned int display_ask_property(const struct display *display, uint32_t window, uint32_t atom)
{
	uint32_t request[6] = { 0, window, atom, 0, 0, 1 };

	return send_request(display, GET_PROPERTY, request, sizeof(request), false);
}

void display_watch_window(const struct display *display, uint32_t window)
{
	select_events(display, window, STRUCTURE);
}

union display_reply *display_next_event(const struct display *display)
{
	return xcb.poll_for_event(display->connection);
}

bool display_has_reply(const struct display *display, unsigned int request,
		       union display_reply **ret_reply)
{
	struct xcb_fault *fault = NULL;
	void *reply = NULL;
	const bool is_there = xcb.poll_for_reply(display->connection, request, &reply, &fault);

	free(fault);
	*ret_reply = reply;
	return is_there;
}

int display_fd(const struct display *display)
{
	return xcb.get_file_descriptor(display->connection);
}

bool display_is_gone(const struct display *display)
{
	return xcb.connection_has_error(display->connection);
}

void display_flush(const struct display *display)
{
	xcb.flush(display->connection);
}

void display_watch_screens(const struct display *display)
{
	struct xcb_screens screens = xcb.setup_roots_iterator(xcb.get_setup(display->connection));

	for (; screens.left > 0; xcb.screen_next(&screens)) {
		uint32_t request[2] = { 0, *screens.screen };

		select_events(display, *screens.screen, SUBSTRUCTURE);
		CLEANUP(freep)
		union display_reply *tree = ask(display, QUERY_TREE, request, sizeof(request));

		for (uint32_t i = 0; tree && i < tree->halves[8]; i++)
			display_watch_window(display, display_after(tree)[i]);
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

bool display_open(struct display *display, const struct caller *caller, struct err *err)
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
